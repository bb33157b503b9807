package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.Suppressed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What one piece of work uses of other devices. Each of them has a part of the work: a submission
 * that registers the uses, on a stream that no caller can name. The work waits until that stream
 * has come to it, and that stream waits for the work. So each device orders it like any use, and
 * neither knows the tickets of the other.
 *
 * <p>Confined to the thread that holds the submission lock of the work.
 */
final class Peers {
  private record PeerUse(
      StreamPool owner, HazardState hazards, boolean reads, boolean writes, int label) {}

  private final Submission work;
  private final List<PeerUse> uses = new ArrayList<>(0);

  /** In the order of their devices; a new list for each work, since they are closed after it. */
  private List<Submission> parts = List.of();

  Peers(Submission work) {
    this.work = work;
  }

  void use(StreamPool owner, HazardState hazards, boolean reads, boolean writes, int label) {
    uses.add(new PeerUse(owner, hazards, reads, writes, label));
  }

  /**
   * Begins a part on each device. In the order of the devices, and after the work: a thread that
   * holds a stream which no caller can name waits for no other.
   */
  void begin() {
    if (uses.isEmpty()) {
      return;
    }
    uses.sort(Comparator.comparingLong(use -> use.owner().number()));
    // Room for all, since a part that cannot be added would stay open.
    List<Submission> room = new ArrayList<>(uses.size());
    room.addAll(parts);
    parts = room;
    for (PeerUse use : uses) {
      part(use.owner()).use(use.hazards(), use.reads(), use.writes(), use.label());
    }
    // Before anything is registered on one device, since another one may refuse.
    work.requireUsable();
    parts.forEach(Submission::requireUsable);
  }

  /** The part on a device, which a preflight that was refused may have begun. */
  private Submission part(StreamPool owner) {
    // From the end: there is the one of the use before.
    for (int i = parts.size() - 1; i >= 0; i--) {
      if (pool(parts.get(i)) == owner) {
        return parts.get(i);
      }
    }
    UseLabels labels = work.labels().forPeers(device(work));
    Submission begun = owner.beginPeer(labels, work.timeline().index());
    parts.add(begun);
    begun.becomePartOf(this);
    return begun;
  }

  /**
   * Registers the work on all devices, one after the other in their order: who waits for a use on
   * the second has registered all on the first, so no thread that it waits for waits there for it.
   */
  void register() {
    int registered = 0;
    while (registered < parts.size()
        && pool(parts.get(registered)).number() < pool(work).number()) {
      parts.get(registered++).preflight();
    }
    work.registerAndWait();
    while (registered < parts.size()) {
      parts.get(registered++).preflight();
    }
    try {
      for (int i = 0; i < parts.size(); i++) {
        work.timeline().waitForPeer(parts.get(i).timeline());
      }
    } catch (CudaDriverException e) {
      throw e.during(work.purpose());
    }
  }

  /** Lets the calling thread close the parts in place of another thread, which has begun them. */
  void takeOver(Thread thread) {
    parts.forEach(part -> part.timeline().takeOver(thread));
  }

  /**
   * Throws if the end of a runtime has closed a part, since the thread had left it open.
   *
   * @throws dev.streamfence.RuntimeClosedException if so: the memory is freed
   */
  void requireOpen() {
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isHeldByCurrentThread()) {
        throw pool(parts.get(i)).life().closed("");
      }
    }
  }

  /** Says that the work is put on its stream next. */
  void queuing() {
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).queuing();
    }
  }

  /** Adds the place on each other device where the use of its memory is ordered. */
  WorkFacts addTo(WorkFacts facts) {
    WorkFacts all = facts;
    for (Submission part : parts) {
      all =
          all.and(
              "uses memory of device "
                  + device(part)
                  + " as "
                  + part.timeline()
                  + " #"
                  + part.ticket());
    }
    return all;
  }

  /**
   * Makes the other devices wait for the work. The end of a runtime that has closed a part has done
   * so.
   */
  void end() {
    for (int i = 0; i < parts.size(); i++) {
      try {
        if (parts.get(i).isHeldByCurrentThread()) {
          end(parts.get(i));
        }
      } catch (CudaDriverException e) {
        throw e.during(work.purpose());
      }
    }
  }

  /** Does {@link #end} for work that may have been queued and was not committed. */
  void secureEnd() {
    for (int i = 0; i < parts.size(); i++) {
      secureEnd(parts.get(i));
    }
  }

  /** Does the same for one part. */
  void secureEnd(Submission part) {
    if (part.isQueuing() && part.isHeldByCurrentThread()) {
      try {
        end(part);
      } catch (RuntimeException | Error e) {
        // The device is lost, as its next call says.
      }
    }
  }

  /**
   * Makes the stream of a part wait for the work, so that the part covers that. If either driver
   * refuses, waits on the host.
   *
   * @throws CudaDriverException if neither was possible. Unless the device of the work is lost,
   *     whose work has ended then, that of the part counts as lost.
   */
  private void end(Submission part) {
    part.queued();
    try {
      part.timeline().waitForPeer(work.timeline(), work.ticket());
    } catch (RuntimeException | Error refused) {
      if (refused instanceof CudaDriverException error) {
        pool(work).sticky().rethrowIfLostBy(error.during(part.purpose()));
      }
      try {
        work.timeline().synchronizeTo(work.ticket(), part.purpose());
      } catch (RuntimeException | Error e) {
        Suppressed.add(e, refused);
        if (pool(work).sticky().error() == null) {
          pool(part).sticky().declareLost(e, part.purpose());
        }
        throw e;
      }
      if (pool(part).sticky().error() != null) {
        throw refused;
      }
    }
    part.commit();
    try {
      part.coverIfPossible();
    } catch (Error e) {
      // As if the driver had refused: a caller that saw it might queue the work again.
    }
  }

  /** Forgets the uses and the parts, which are to be closed after the work. */
  List<Submission> clear() {
    if (uses.isEmpty()) {
      return List.of();
    }
    List<Submission> ended = parts;
    uses.clear();
    parts = List.of();
    return ended;
  }

  private static StreamPool pool(Submission submission) {
    return submission.timeline().pool();
  }

  private static int device(Submission submission) {
    return pool(submission).driver().properties().ordinal();
  }
}
