package dev.streamfence.launch;

import dev.streamfence.RuntimeInternals;
import java.lang.invoke.MethodHandles;

/** Asks for what only this package of the runtime may have. */
public final class Intruder {
  private Intruder() {}

  public static Object internals() {
    return RuntimeInternals.of(MethodHandles.lookup());
  }
}
