package dev.streamfence.internal.memory;

/** The place where an allocation was closed: never thrown, kept for its stack trace. */
final class ClosedHere extends Throwable {
  private static final long serialVersionUID = 1L;

  ClosedHere() {
    super("closed here by " + Thread.currentThread().getName());
  }
}
