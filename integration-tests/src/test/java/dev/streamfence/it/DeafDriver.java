package dev.streamfence.it;

import dev.streamfence.driver.CudaDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A driver that leaves out the waits of one stream for another while it is told to: what a test of
 * ordering must notice.
 */
final class DeafDriver {
  private final CudaDriver driver;
  private final AtomicBoolean deaf = new AtomicBoolean();

  DeafDriver(CudaDriver device) {
    this.driver =
        (CudaDriver)
            Proxy.newProxyInstance(
                CudaDriver.class.getClassLoader(),
                new Class<?>[] {CudaDriver.class},
                (proxy, method, arguments) -> {
                  if (deaf.get() && method.getName().equals("waitForEvent")) {
                    return null;
                  }
                  try {
                    return method.invoke(device, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  CudaDriver driver() {
    return driver;
  }

  void setDeaf(boolean waitsAreLeftOut) {
    deaf.set(waitsAreLeftOut);
  }
}
