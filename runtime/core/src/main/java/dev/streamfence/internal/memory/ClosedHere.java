package dev.streamfence.internal.memory;

/** The place where an object was closed: never thrown, kept for its stack trace. */
public final class ClosedHere extends Throwable {
  private static final long serialVersionUID = 1L;

  /** Notes the calling thread and where it is. */
  public ClosedHere() {
    super("closed here by " + Thread.currentThread().getName());
  }
}
