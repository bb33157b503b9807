package dev.streamfence;

/** Calls what is package private in the runtime. */
public final class Peeker {
  private Peeker() {}

  public static Object driver() {
    return DeviceRuntime.simulated().driver();
  }
}
