package dev.streamfence.memory;

/** Calls a member that only this package of the runtime may call. */
public final class Peeker {
  private Peeker() {}

  public static Object log() {
    return new RecordedAllocations();
  }
}
