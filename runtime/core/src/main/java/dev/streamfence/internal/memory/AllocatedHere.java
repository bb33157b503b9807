package dev.streamfence.internal.memory;

/** The place where memory was allocated: never thrown, kept for its stack trace. */
final class AllocatedHere extends Throwable {
  private static final long serialVersionUID = 1L;

  AllocatedHere() {
    super("allocated here by " + Thread.currentThread().getName());
  }
}
