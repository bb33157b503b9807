package dev.streamfence.internal;

/** Throws what no method declares, as the code of a user in Kotlin or Scala may. */
public final class Undeclared {
  private Undeclared() {}

  /** Throws an exception as it is; the caller writes {@code throw} for the compiler. */
  public static RuntimeException thrown(Throwable exception) {
    Undeclared.<RuntimeException>rethrow(exception);
    throw new AssertionError("it was thrown");
  }

  @SuppressWarnings("unchecked") // Not checked: that is the point.
  private static <T extends Throwable> void rethrow(Throwable exception) throws T {
    throw (T) exception;
  }
}
