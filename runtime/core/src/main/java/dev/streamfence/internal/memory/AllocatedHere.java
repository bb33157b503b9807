package dev.streamfence.internal.memory;

/** The place where memory was allocated: never thrown, kept for its stack trace. */
public final class AllocatedHere extends Throwable {
  private static final long serialVersionUID = 1L;

  /** Takes the stack trace of this thread. */
  public AllocatedHere() {
    super("allocated here by " + Thread.currentThread().getName());
  }
}
