package dev.streamfence.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A driver whose calls a test watches, answers or lets fail. */
public final class InterceptedDriver {
  private InterceptedDriver() {}

  /** Carries a call out. */
  @FunctionalInterface
  public interface Call {
    Object proceed() throws Throwable;
  }

  /** What a test does around each call. */
  @FunctionalInterface
  public interface Interceptor {
    Object around(String method, Call call) throws Throwable;
  }

  public static CudaDriver of(CudaDriver driver, Interceptor interceptor) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (proxy, method, arguments) ->
                interceptor.around(
                    method.getName(),
                    () -> {
                      try {
                        return method.invoke(driver, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    }));
  }
}
