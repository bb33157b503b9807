package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One piece of work on its way onto a stream: the blocks that it uses are added, {@link #preflight}
 * registers all of them at once and queues the waits, the caller queues the work, and {@link
 * #commit} makes it known. {@link #close} ends it however it went; what was registered stays a use,
 * so that nothing that may have been queued is ever forgotten.
 *
 * <p>There is one per stream, used again and again. Confined to the thread that holds the
 * submission lock. Allocates nothing once its arrays have grown to the largest number of blocks.
 */
public final class Submission implements AutoCloseable {
  private enum State {
    CLOSED,
    RECORDING,
    REGISTERED,
    PREFLIGHTED,
    COMMITTED
  }

  private static final UseLabels NOBODY =
      new UseLabels() {
        @Override
        public String purpose() {
          return "nothing";
        }

        @Override
        public String use(int label) {
          return "nothing";
        }
      };

  private final Timeline timeline;
  private final Waits waits;
  private final long[] scratch;
  private Dependencies[] uses = new Dependencies[8];
  private boolean[] reading = new boolean[8];
  private boolean[] writing = new boolean[8];
  private int[] labelOf = new int[8];
  private int count;
  private boolean freeing;
  private UseLabels labels = NOBODY;
  private State state = State.CLOSED;
  private int waitsQueued;
  private boolean isUse;
  private long ticket;

  Submission(Timeline timeline) {
    this.timeline = timeline;
    int timelines = timeline.pool().capacity() + 1;
    this.waits = new Waits(timeline, timelines);
    this.scratch = new long[timelines];
  }

  void open(UseLabels newLabels) {
    labels = newLabels;
    state = State.RECORDING;
    isUse = true;
  }

  /** Whether the calling thread began it and has not closed it. */
  public boolean isHeldByCurrentThread() {
    return timeline.isHeldByCurrentThread();
  }

  /** What is being submitted, in words. */
  public String purpose() {
    return labels.purpose();
  }

  /** The ticket of this work; from {@link #preflight} on. */
  public long ticket() {
    return ticket;
  }

  /**
   * Adds a block that the work uses. The same block added twice is one use that does both.
   *
   * @param label what {@link UseLabels#use} is asked if the block cannot be used
   * @throws StreamMisuseException after preflight
   */
  public void use(Dependencies block, boolean reads, boolean writes, int label) {
    require(State.RECORDING, "records a use");
    for (int i = 0; i < count; i++) {
      if (uses[i] == block) {
        reading[i] |= reads;
        writing[i] |= writes;
        return;
      }
    }
    if (count == uses.length) {
      grow();
    }
    uses[count] = block;
    reading[count] = reads;
    writing[count] = writes;
    labelOf[count++] = label;
  }

  /** Adds the block that the work frees; it has been closed to everybody else. */
  public void free(Dependencies block) {
    freeing = true;
    use(block, false, true, 0);
  }

  /**
   * Checks all blocks, registers this work on all of them in one step, and queues the waits. When
   * it throws a {@link dev.streamfence.UseAfterFreeException} or a {@link StreamMisuseException},
   * nothing was registered and nothing queued.
   *
   * @throws CudaDriverException if a wait could not be queued; the caller must not queue its work
   */
  public void preflight() {
    require(State.RECORDING, "runs preflight");
    sortByGeneration();
    int locked = 0;
    try {
      for (; locked < count; locked++) {
        uses[locked].lock();
      }
      collect();
      ticket = timeline.nextTicket();
      for (int i = 0; i < count; i++) {
        uses[i].register(timeline, ticket, writing[i]);
      }
      state = State.REGISTERED;
    } finally {
      while (locked > 0) {
        uses[--locked].unlock();
      }
    }
    try {
      for (int i = 0; i < waits.count(); i++) {
        waits.timeline(i).awaitSubmitted(waits.ticket(i));
      }
      for (; waitsQueued < waits.count(); waitsQueued++) {
        waits.bringForwardWhatCovers(waitsQueued);
        timeline.waitFor(waits.timeline(waitsQueued), waits.ticket(waitsQueued), scratch);
      }
    } catch (CudaDriverException e) {
      throw timeline.pool().faults().note(e, labels.purpose());
    }
    state = State.PREFLIGHTED;
  }

  /**
   * Makes the work known as submitted, with an event that covers it where other streams are in use.
   * Cannot fail half: without the event the stream is synchronised instead, and if even that fails
   * the device counts as lost.
   *
   * @throws StreamMisuseException before preflight
   * @throws CudaDriverException if neither was possible; the work is known as submitted all the
   *     same
   */
  public void commit() {
    require(State.PREFLIGHTED, "commits");
    state = State.COMMITTED;
    if (timeline.pool().isShared()) {
      recordOrSynchronize();
    }
  }

  /** Makes the work known as submitted, and leaves the event until somebody has to wait for it. */
  public void commitWithoutEvent() {
    require(State.PREFLIGHTED, "commits");
    state = State.COMMITTED;
    isUse = false;
  }

  /** Whether {@link #preflight} has succeeded and {@link #commit} has not run. */
  public boolean isPreflighted() {
    return state == State.PREFLIGHTED;
  }

  /** Refuses after {@link #preflight}. */
  public void requireRecording(String act) {
    require(State.RECORDING, act);
  }

  /** Refuses unless {@link #preflight} has succeeded and {@link #commit} has not run. */
  public void requirePreflighted(String act) {
    require(State.PREFLIGHTED, act);
  }

  /**
   * Ends the submission and gives the submission lock back; does nothing in a thread that does not
   * hold it. Work that was registered and not committed counts as submitted: if something was
   * queued it is ordered like any other use, and if not, its ticket stands for nothing.
   */
  @Override
  public void close() {
    if (!isHeldByCurrentThread() || state == State.CLOSED) {
      return;
    }
    List<Runnable> releases = List.of();
    try {
      if (state != State.RECORDING) {
        securePendingWaits();
        timeline.publish(ticket, labels, isUse);
        releases = unpin();
      }
    } finally {
      reset();
      timeline.release();
    }
    if (!releases.isEmpty()) {
      releases.forEach(Runnable::run);
    }
  }

  private void collect() {
    for (int i = 0; i < count; i++) {
      uses[i].requireUsable(freeing, reading[i], labels, labelOf[i]);
      uses[i].makeRoom();
    }
    // Reads first: a reader has waited for the write before it, so that its clock often makes that
    // wait unnecessary.
    for (int i = 0; i < count; i++) {
      if (writing[i]) {
        uses[i].collectReads(waits);
      }
    }
    for (int i = 0; i < count; i++) {
      uses[i].collectWrite(waits);
    }
    for (int i = 0; i < waits.count(); i++) {
      if (waits.timeline(i).isPendingInThisThread(waits.ticket(i))) {
        throw new StreamMisuseException(
            labels.purpose()
                + " depends on work that this thread has open on "
                + waits.timeline(i)
                + "; commit that first");
      }
    }
  }

  private void recordOrSynchronize() {
    try {
      timeline.record(ticket);
    } catch (CudaDriverException unrecorded) {
      CudaDriverException cause = timeline.pool().faults().note(unrecorded, labels.purpose());
      try {
        timeline.synchronizeTo(ticket, labels.purpose());
      } catch (CudaDriverException unsynchronized) {
        unsynchronized.addSuppressed(cause);
        timeline.pool().faults().poison(unsynchronized, labels.purpose());
        throw unsynchronized;
      }
    }
  }

  /**
   * Later users of these blocks wait for this ticket alone, so that everything it was to wait for
   * must be behind it even if queuing the waits failed: then the host waits.
   */
  private void securePendingWaits() {
    for (; waitsQueued < waits.count(); waitsQueued++) {
      Timeline other = waits.timeline(waitsQueued);
      try {
        other.awaitSubmitted(waits.ticket(waitsQueued));
        other.awaitCompleted(waits.ticket(waitsQueued));
      } catch (RuntimeException e) {
        timeline.pool().faults().poison(e, labels.purpose());
      }
    }
  }

  private List<Runnable> unpin() {
    List<Runnable> releases = List.of();
    for (int i = 0; i < count; i++) {
      Runnable release = uses[i].unpin();
      if (release != null) {
        if (releases.isEmpty()) {
          releases = new ArrayList<>();
        }
        releases.add(release);
      }
    }
    return releases;
  }

  private void reset() {
    Arrays.fill(uses, 0, count, null);
    count = 0;
    waits.clear();
    waitsQueued = 0;
    freeing = false;
    labels = NOBODY;
    state = State.CLOSED;
  }

  private void require(State needed, String act) {
    if (state != needed) {
      throw new StreamMisuseException(
          labels.purpose()
              + " "
              + act
              + " while it is "
              + inWords(state)
              + "; the order is begin, uses, preflight, launch, commit");
    }
  }

  private static String inWords(State state) {
    return switch (state) {
      case CLOSED -> "not begun";
      case RECORDING -> "before preflight";
      case REGISTERED -> "failed in preflight";
      case PREFLIGHTED -> "preflighted and not committed";
      case COMMITTED -> "committed";
    };
  }

  /**
   * Insertion sort: a launch has few blocks, and their order hardly changes from one launch to the
   * next.
   */
  private void sortByGeneration() {
    for (int i = 1; i < count; i++) {
      for (int j = i; j > 0 && uses[j - 1].generation() > uses[j].generation(); j--) {
        swap(j - 1, j);
      }
    }
  }

  private void swap(int i, int j) {
    Dependencies block = uses[i];
    uses[i] = uses[j];
    uses[j] = block;
    boolean reads = reading[i];
    reading[i] = reading[j];
    reading[j] = reads;
    boolean writes = writing[i];
    writing[i] = writing[j];
    writing[j] = writes;
    int label = labelOf[i];
    labelOf[i] = labelOf[j];
    labelOf[j] = label;
  }

  private void grow() {
    int capacity = uses.length * 2;
    uses = Arrays.copyOf(uses, capacity);
    reading = Arrays.copyOf(reading, capacity);
    writing = Arrays.copyOf(writing, capacity);
    labelOf = Arrays.copyOf(labelOf, capacity);
  }
}
