package dev.streamfence.model;

import java.util.Arrays;

/**
 * The driver calls that order work, one after another: the queued work, the recorded events, and
 * the recording that each wait was for. Confined to one thread at a time.
 */
final class Trace {
  private static final int ENQUEUED = 1;
  private static final int RECORDED = 2;
  private static final int WAITED = 3;
  private static final int HOST_WAITED = 4;
  private static final int SYNCHRONIZED = 5;

  private final int[] recordings = new int[ClockDriver.STREAMS];
  private int[] calls = new int[16];
  private int size;

  void enqueued(int stream) {
    add(ENQUEUED, stream, 0, 0);
  }

  /** Returns the recording's number on its stream, from 1. */
  int recorded(int stream) {
    int recording = ++recordings[stream];
    add(RECORDED, stream, recording, 0);
    return recording;
  }

  void waited(int waiter, int stream, int recording) {
    add(WAITED, waiter, stream, recording);
  }

  void hostWaited(int stream, int recording) {
    add(HOST_WAITED, stream, recording, 0);
  }

  void synchronizedStream(int stream) {
    add(SYNCHRONIZED, stream, 0, 0);
  }

  int size() {
    return size;
  }

  /** How many events of a stream were recorded. */
  int recordings(int stream) {
    return recordings[stream];
  }

  /** Whether another trace goes on with the same call at a position. */
  boolean agrees(Trace other, int position) {
    return position < size && position < other.size && calls[position] == other.calls[position];
  }

  /** The same without one call. */
  Trace without(int position) {
    Trace shorter = new Trace();
    for (int i = 0; i < size; i++) {
      if (i != position) {
        shorter.add(calls[i]);
      }
    }
    return shorter;
  }

  /** Forgets the calls from a position on. */
  void cut(int position) {
    while (size > position) {
      int call = calls[--size];
      if (call >>> 24 == RECORDED) {
        recordings[call >>> 16 & 0xFF]--;
      }
    }
  }

  private void add(int kind, int first, int second, int third) {
    add(kind << 24 | first << 16 | second << 8 | third);
  }

  private void add(int call) {
    if (size == calls.length) {
      calls = Arrays.copyOf(calls, 2 * size);
    }
    calls[size++] = call;
  }

  @Override
  public boolean equals(Object object) {
    return object instanceof Trace other
        && size == other.size
        && Arrays.equals(calls, 0, size, other.calls, 0, size);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(Arrays.copyOf(calls, size));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < size; i++) {
      int a = calls[i] >>> 16 & 0xFF;
      int b = calls[i] >>> 8 & 0xFF;
      text.append(i == 0 ? "" : ", ")
          .append(
              switch (calls[i] >>> 24) {
                case ENQUEUED -> "work on " + a;
                case RECORDED -> "event " + a + "." + b;
                case WAITED -> a + " waits for " + b + "." + (calls[i] & 0xFF);
                case HOST_WAITED -> "the host waits for " + a + "." + b;
                default -> "the host waits for " + a;
              });
    }
    return text.toString();
  }
}
