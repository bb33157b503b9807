package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.memory.LiveAllocations.Place;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Frees allocations after their registered uses. It knows the allocations whose memory has not been
 * given back, and keeps the frees that are postponed or must be repeated; subclasses give the
 * memory back. Thread-safe; the only lock held across a driver call is the submission lock of the
 * one stream.
 */
public abstract sealed class TrackedFrees permits TrackedResource, AdoptedMemory {
  final StreamPool streams;
  final CudaDriver driver;
  private final boolean tracing;

  /** By {@link #key}. */
  final LiveAllocations live = new LiveAllocations();

  private final Queue<Allocation> unreleased = new ConcurrentLinkedQueue<>();

  TrackedFrees(StreamPool streams, boolean tracing) {
    this.streams = streams;
    this.driver = streams.driver();
    this.tracing = tracing;
  }

  /** What identifies an allocation among those that are live. */
  long key(Allocation allocation) {
    return allocation.address();
  }

  /**
   * Gives the memory of a closed allocation back, by {@link #giveBack}.
   *
   * @param timeline the stream of its latest use
   * @param submission begun on that stream; this method uses it, and the caller closes it if this
   *     method does not
   * @return bytes that this call returned to the account
   */
  abstract long free(Allocation allocation, Timeline timeline, Submission submission);

  /** Forgets a closed allocation whose memory was lost with the device. */
  long lose(Allocation allocation) {
    return allocation.returned();
  }

  /**
   * Closes an allocation and frees it after its registered uses.
   *
   * @throws UseAfterFreeException if it is closed
   */
  public final void deallocate(Allocation allocation) {
    if (allocation.isOpen() && !isLive(allocation)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          allocation + " is freed by a resource that it does not come from");
    }
    switch (allocation.close(closingSite())) {
      case ALREADY_CLOSED ->
          throw new UseAfterFreeException(
              AttemptedUse.of("a second free"),
              allocation.toString(),
              allocation.generation(),
              null);
      case WITH_LAST_USE -> {}
      case NOW -> {
        try {
          disown(allocation, true);
        } catch (Throwable e) {
          if (isLive(allocation)) {
            allocation.reopen();
          }
          throw e;
        }
        releaseAgain();
      }
    }
  }

  /** A snapshot of the allocations whose memory has not been given back, in no particular order. */
  public final List<Allocation> live() {
    return live.all();
  }

  /**
   * Frees every allocation whose memory has not been given back, open or closed, as steps of the
   * teardown. Nothing uses them any more.
   */
  public final void freeAll(Teardown teardown) {
    for (Allocation allocation : live()) {
      teardown.step(
          () -> {
            if (allocation.isOpen()) {
              deallocate(allocation);
            } else if (isLive(allocation)) {
              disown(allocation, false);
            }
          });
    }
  }

  final boolean isLive(Allocation allocation) {
    return live.has(allocation);
  }

  /**
   * Makes the call that gives an allocation's memory back to the driver or to a memory resource.
   *
   * <p>The allocation is forgotten just before: afterwards the driver may give the address to
   * another one, which must not find it taken. It is known again if the call is refused. An {@link
   * Error} may have come before or after the memory was freed, so the call is not made again: that
   * might free another allocation.
   *
   * @param purpose the reason for the call, for errors
   */
  final void giveBack(Allocation allocation, Supplier<String> purpose, Runnable call) {
    live.remove(allocation);
    try {
      call.run();
    } catch (CudaDriverException e) {
      live.addAgain(allocation);
      throw e.during(purpose.get());
    } catch (Exception e) {
      live.addAgain(allocation);
      throw e;
    } catch (Error e) {
      allocation.returned();
      throw e;
    }
  }

  /** Whether the context is lost, and its memory with it: nothing can or need be freed. */
  final boolean isLost() {
    return streams.sticky().error() != null;
  }

  final @Nullable Throwable closingSite() {
    return tracing ? new ClosedHere() : null;
  }

  final @Nullable Throwable site() {
    return tracing ? new AllocatedHere() : null;
  }

  /**
   * Makes a new allocation known.
   *
   * @throws CudaDriverException if its address belongs to an allocation that has not been given
   *     back. The memory is leaked, since freeing it would free the other allocation, and the
   *     device counts as lost
   */
  final Allocation register(Allocation allocation) {
    return registered(allocation, live.add(key(allocation), allocation));
  }

  /** Makes a new allocation known in a place that is kept, like {@link #register(Allocation)}. */
  final Allocation register(Allocation allocation, Place place) {
    return registered(allocation, live.add(place, allocation));
  }

  private Allocation registered(Allocation allocation, @Nullable Allocation owner) {
    if (owner != null) {
      throw collision(allocation, owner);
    }
    return allocation;
  }

  /** Declares the device lost, since its memory was handed out twice. */
  final CudaDriverException collision(Allocation allocation, Allocation owner) {
    CudaDriverException collision =
        StickyError.unknown(
            "an allocation",
            "handing out " + allocation + ", whose memory belongs to " + owner,
            null);
    streams.sticky().declareLost(collision, collision.purpose());
    return collision;
  }

  /**
   * Frees an allocation that was closed while it was pinned. No caller is left to repeat a failed
   * free, so this resource repeats it in a later call. The thread that ends a launch here may hold
   * locks that others wait for, so this never waits for a submission lock.
   */
  final void release(Allocation allocation) {
    tryRelease(allocation);
  }

  /** Keeps a free for a later call. */
  final void postpone(Allocation allocation) {
    unreleased.add(allocation);
  }

  /** Returns the bytes that the free returned to the account. */
  private long tryRelease(Allocation allocation) {
    if (!streams.life().tryEnter()) {
      // The thread that closes the runtime frees what is left.
      return 0;
    }
    try {
      return disown(allocation, false);
    } catch (Exception e) {
      streams.sticky().swallowed(e);
      unreleased.add(allocation);
      return 0;
    } catch (Error e) {
      if (isLive(allocation)) {
        unreleased.add(allocation);
      }
      throw e;
    } finally {
      streams.life().leave();
    }
  }

  private long disown(Allocation allocation, boolean mayWait) {
    if (isLost()) {
      live.remove(allocation);
      return lose(allocation);
    }
    // Closed here too: the Java heap may be full before the work is carried out.
    try (Submission submission = begin(allocation, mayWait)) {
      if (submission == null) {
        unreleased.add(allocation);
        return 0;
      }
      return free(allocation, submission.timeline(), submission);
    }
  }

  /**
   * Begins a free on the stream of the latest use. Two threads that each hold a stream and wait for
   * the other's would deadlock: returns null if this thread must not wait, to postpone the free.
   */
  private @Nullable Submission begin(Allocation allocation, boolean mayWait) {
    while (true) {
      Timeline timeline = allocation.hazards().lastUser();
      Purpose purpose =
          new Purpose(Purpose.Act.FREE, allocation.sizeInBytes(), allocation.tag(), timeline);
      Submission submission = timeline.tryBegin(purpose);
      if (submission != null) {
        return submission;
      }
      if (!mayWait || !streams.mayWaitForOthers()) {
        return null;
      }
      try {
        return timeline.begin(purpose);
      } catch (StreamMisuseException e) {
        if (timeline.isUsable()) {
          throw e;
        }
      }
    }
  }

  /** Whether frees are postponed. */
  public final boolean hasPostponed() {
    return !unreleased.isEmpty();
  }

  /** Carries out the postponed frees, and returns the bytes that they returned to the account. */
  final long releaseAgain() {
    if (unreleased.isEmpty() || !streams.mayWaitForOthers()) {
      return 0;
    }
    long released = 0;
    // Once each: an allocation that cannot be freed returns to the end of the queue.
    for (int left = unreleased.size(); left > 0; left--) {
      Allocation allocation = unreleased.poll();
      if (allocation == null) {
        break;
      }
      // The thread that closes the runtime may have freed it without taking it from this queue.
      if (isLive(allocation)) {
        released += tryRelease(allocation);
      }
    }
    return released;
  }
}
