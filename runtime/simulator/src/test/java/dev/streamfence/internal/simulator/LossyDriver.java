package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
        (CudaDriver)
            Proxy.newProxyInstance(
                CudaDriver.class.getClassLoader(),
                new Class<?>[] {CudaDriver.class},
                (proxy, called, arguments) -> {
                  boolean counted = called.getName().equals(method);
                  calls += counted ? 1 : 0;
                  note(called.getName(), arguments);
                  if (counted && calls == lost) {
                    return null;
                  }
                  try {
                    return called.invoke(device, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
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

  private void note(String called, Object[] arguments) {
    if (called.equals("recordEvent")) {
      recordOf.put((EventHandle) arguments[0], ++records);
    } else if (WAITS.contains(called)) {
      Integer record = recordOf.get((EventHandle) arguments[arguments.length - 1]);
      if (record != null) {
        awaitedRecords.add(record);
      }
    }
  }
}
