package demo;

import dev.streamfence.internal.Services;
import dev.streamfence.internal.ptx.check.KernelCheck;

/** Names an internal package, and one that is exported to the processor alone. */
public final class Intruder {
  private Intruder() {}

  public static Class<?> services() {
    return Services.class;
  }

  public static Class<?> check() {
    return KernelCheck.class;
  }
}
