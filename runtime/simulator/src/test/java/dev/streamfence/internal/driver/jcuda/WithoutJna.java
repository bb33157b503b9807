package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.internal.device.RuntimeLog;

/** A process in which JNA finds no library of its own. */
public final class WithoutJna {
  private WithoutJna() {}

  public static void main(String[] arguments) {
    try (RuntimeLog log = RuntimeLog.listen();
        DeviceRuntime gpu = DeviceRuntime.open(0)) {
      System.out.println("opened " + gpu.info().name());
      log.messages().forEach(System.out::println);
    }
  }
}
