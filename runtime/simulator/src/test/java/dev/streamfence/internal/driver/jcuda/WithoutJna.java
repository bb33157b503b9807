package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.RuntimeLog;

/** A process in which JNA finds no library of its own. */
public final class WithoutJna {
  private WithoutJna() {}

  /** Opens a device, with a caching pool if the property says so, and prints what was logged. */
  public static void main(String[] arguments) {
    boolean isCaching = Boolean.getBoolean("caching");
    try (RuntimeLog log = RuntimeLog.listen();
        DeviceRuntime gpu =
            DeviceRuntime.open(0, RuntimeOptions.defaults().withCachingPool(isCaching))) {
      System.out.println("opened " + gpu.info().name());
      log.messages().forEach(System.out::println);
    }
  }
}
