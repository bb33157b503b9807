package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.InterceptedDriver;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A driver that leaves out one call of a kind and reports success. Confined to one thread. */
final class LossyDriver {
  private static final Set<String> WAITS = Set.of("waitForEvent", "synchronizeEvent");

  private final CudaDriver driver;
  private final Map<EventHandle, Integer> recordOf = new HashMap<>();
  private final Set<Integer> awaitedRecords = new TreeSet<>();
  private int calls;
  private int records;

  /**
   * Puts one in front of a device.
   *
   * @param method the kind of call
   * @param lost which one, from 1; 0 for none
   */
  LossyDriver(CudaDriver device, String method, int lost) {
    this.driver =
        InterceptedDriver.of(
            device,
            (called, call) -> {
              boolean counted = called.equals(method);
              calls += counted ? 1 : 0;
              note(called, call);
              return counted && calls == lost ? null : call.proceed();
            });
  }

  CudaDriver driver() {
    return driver;
  }

  /** How many calls of the kind there were. */
  int calls() {
    return calls;
  }

  /** The records that a stream or the host waited for. */
  Set<Integer> awaitedRecords() {
    return awaitedRecords;
  }

  private void note(String called, InterceptedDriver.Call call) {
    if (called.equals("recordEvent")) {
      recordOf.put((EventHandle) call.argument(0), ++records);
    } else if (WAITS.contains(called)) {
      Integer record = recordOf.get((EventHandle) call.argument(call.count() - 1));
      if (record != null) {
        awaitedRecords.add(record);
      }
    }
  }
}
