package dev.streamfence.trace;

/**
 * What happened because the memory of a device was short: a task has waited for some, or a
 * spillable array has left the device or come back. Immutable.
 *
 * @param device the runtime, as in {@link TracedWork#device}
 * @param kind what happened
 * @param what the request that a task has waited for, or the spillable array, in words
 * @param bytes of the request or the array
 * @param thread the name of the Java thread that has waited or has queued the copy
 * @param span how long the thread has waited, or has taken to queue the copy and to free the memory
 * @param outcome what ended the wait, or where the array was brought or came from
 */
public record TracedPressure(
    String device,
    Kind kind,
    String what,
    long bytes,
    String thread,
    TraceSpan span,
    Outcome outcome) {

  /** What happens when memory is short. */
  public enum Kind {
    /** A task waits for memory. */
    WAIT,
    /** An idle array leaves the device. */
    SPILL,
    /** An array that has left the device comes back, since it is used. */
    RETURN
  }

  /** How a wait ends, and where an array is that is not on the device. */
  public enum Outcome {
    /** The task has got the memory. */
    MEMORY("gets it"),
    /** The task gives way: it begins its operator again. */
    RETRY("has to begin again"),
    /** The task has to ask for less. */
    SPLIT("has to ask for less"),
    /** The task has given way, and begins again although its memory is not free. */
    TURN("begins again without it"),
    /** The patience of the task has ended. */
    REFUSED("is refused"),
    /** The thread was interrupted. */
    INTERRUPTED("is interrupted"),
    /** The runtime was closed. */
    CLOSED("ends since the runtime is closed"),
    /** The request has failed for another reason, such as a lost device. */
    FAILED("fails"),
    /** The array is in page-locked memory of the host. */
    HOST("host memory"),
    /** The array is in a file. */
    DISK("a file");

    private final String words;

    Outcome(String words) {
      this.words = words;
    }
  }

  /** What happened, in one sentence without bytes and times. */
  @Override
  public String toString() {
    return switch (kind) {
      case WAIT -> "thread " + thread + " waits for memory for " + what + ", and " + outcome.words;
      case SPILL -> what + " leaves the device for " + outcome.words;
      case RETURN -> what + " comes back from " + outcome.words;
    };
  }
}
