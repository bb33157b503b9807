package dev.streamfence.model;

import java.util.Arrays;

/**
 * Detects two conflicting uses of an allocation that were enqueued without an order. It knows
 * streams, events and host synchronisation as a device does, and no tickets: streams and events are
 * vector clocks of enqueued operations, a free is a write, and every use after a free is wrong.
 *
 * <p>Works on a slice at the start of a state array, so that a state is copied in one call; the
 * clocks of events are where the caller says, since rings differ in size.
 */
final class RaceOracle {
  static final int STREAMS = 3;
  static final int ALLOCATIONS = 2;

  private static final int DONE = STREAMS * STREAMS;
  private static final int ALLOCATION = DONE + STREAMS;
  private static final int WRITER = 0;
  private static final int WRITE = 1;
  private static final int READS = 2;
  private static final int FREED = READS + STREAMS;
  private static final int ALLOCATION_SIZE = FREED + 1;

  /** How many numbers of the state array belong to the oracle. */
  static final int SIZE = ALLOCATION + ALLOCATIONS * ALLOCATION_SIZE;

  private RaceOracle() {}

  /** One more operation on a stream; its uses follow. */
  static void enqueue(int[] s, int stream) {
    s[stream * STREAMS + stream]++;
  }

  /** The operation enqueued last on {@code stream} reads; false if that races. */
  static boolean reads(int[] s, int stream, int allocation) {
    int b = ALLOCATION + allocation * ALLOCATION_SIZE;
    if (s[b + FREED] != 0 || !isOrdered(s, stream, s[b + WRITER], s[b + WRITE])) {
      return false;
    }
    s[b + READS + stream] = s[stream * STREAMS + stream];
    return true;
  }

  /** The operation enqueued last on {@code stream} writes; false if that races. */
  static boolean writes(int[] s, int stream, int allocation) {
    int b = ALLOCATION + allocation * ALLOCATION_SIZE;
    if (s[b + FREED] != 0 || !isOrdered(s, stream, s[b + WRITER], s[b + WRITE])) {
      return false;
    }
    for (int reader = 0; reader < STREAMS; reader++) {
      if (!isOrdered(s, stream, reader, s[b + READS + reader])) {
        return false;
      }
    }
    Arrays.fill(s, b + READS, b + READS + STREAMS, 0);
    s[b + WRITER] = stream;
    s[b + WRITE] = s[stream * STREAMS + stream];
    return true;
  }

  /** The operation enqueued last on {@code stream} frees; false if that races. */
  static boolean frees(int[] s, int stream, int allocation) {
    boolean ordered = writes(s, stream, allocation);
    s[ALLOCATION + allocation * ALLOCATION_SIZE + FREED]++;
    return ordered;
  }

  /** How often an allocation was freed. */
  static int frees(int[] s, int allocation) {
    return s[ALLOCATION + allocation * ALLOCATION_SIZE + FREED];
  }

  /** An event of a stream, whose clock is at {@code event}, stands for all of it so far. */
  static void record(int[] s, int stream, int event) {
    System.arraycopy(s, stream * STREAMS, s, event, STREAMS);
  }

  /** Orders everything that is enqueued on {@code waiter} from now on after an event. */
  static void await(int[] s, int waiter, int event) {
    merge(s, waiter * STREAMS, event);
  }

  /** The host has waited for an event: everything that is enqueued from now on comes after it. */
  static void synchronizeEvent(int[] s, int event) {
    merge(s, DONE, event);
  }

  /** The host has waited for all of a stream. */
  static void synchronizeStream(int[] s, int stream) {
    merge(s, DONE, stream * STREAMS);
  }

  private static void merge(int[] s, int into, int from) {
    for (int i = 0; i < STREAMS; i++) {
      s[into + i] = Math.max(s[into + i], s[from + i]);
    }
  }

  private static boolean isOrdered(int[] s, int stream, int other, int operation) {
    return other == stream
        || s[stream * STREAMS + other] >= operation
        || s[DONE + other] >= operation;
  }
}
