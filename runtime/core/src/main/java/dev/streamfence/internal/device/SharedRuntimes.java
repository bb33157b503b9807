package dev.streamfence.internal.device;

import dev.streamfence.DeviceRuntime;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;

/** At most one runtime per device, opened at the first request. Thread-safe. */
final class SharedRuntimes {
  private final ConcurrentMap<Integer, DeviceRuntime> byOrdinal = new ConcurrentHashMap<>();
  private final IntFunction<DeviceRuntime> opener;

  SharedRuntimes(IntFunction<DeviceRuntime> opener) {
    this.opener = opener;
  }

  /**
   * The runtime of a device. Concurrent callers wait for the one that opens it; if that fails, the
   * next one tries again.
   */
  DeviceRuntime get(int ordinal) {
    return byOrdinal.computeIfAbsent(ordinal, opener::apply);
  }
}
