package dev.streamfence.internal.device;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A runtime with a watchdog, on a device that does not end a kernel. */
public final class StuckRuntime {
  private StuckRuntime() {}

  /**
   * A runtime whose first kernel while {@code isStuck} is true does not end while that is so: its
   * second event, which is behind the kernel, does not complete.
   */
  public static DeviceRuntime open(AtomicBoolean isStuck, Duration limit) {
    List<Object> recorded = new CopyOnWriteArrayList<>();
    return RuntimeOverDriver.open(
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().build()),
            (method, call) -> {
              if (method.equals("recordEvent") && isStuck.get()) {
                recorded.add(call.argument(0));
              }
              return method.equals("isEventComplete")
                      && isStuck.get()
                      && recorded.indexOf(call.argument(0)) == 1
                  ? false
                  : call.proceed();
            }),
        RuntimeOptions.defaults().withWatchdog(limit));
  }
}
