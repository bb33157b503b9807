package dev.streamfence.it;

import dev.streamfence.internal.driver.CudaDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;

/** A driver that shows a test each call first; the test decides whether the call is made. */
final class WatchedDriver {
  private WatchedDriver() {}

  /**
   * Wraps a driver.
   *
   * @param takes told the name of each call; whether it is carried out
   */
  static CudaDriver of(CudaDriver device, Predicate<String> takes) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (proxy, method, arguments) -> {
              if (!takes.test(method.getName())) {
                return null;
              }
              try {
                return method.invoke(device, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
