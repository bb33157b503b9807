package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A driver whose calls a test can watch, answer or make fail. */
public final class InterceptedDriver {
  private InterceptedDriver() {}

  /** A call that can be carried out. */
  public static final class Call {
    private final CudaDriver driver;
    private final Method method;
    private final Object[] arguments;

    private Call(CudaDriver driver, Method method, Object[] arguments) {
      this.driver = driver;
      this.method = method;
      this.arguments = arguments;
    }

    public Object proceed() throws Throwable {
      try {
        return method.invoke(driver, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    public Object argument(int index) {
      return arguments[index];
    }

    /** The number of arguments. */
    public int count() {
      return arguments == null ? 0 : arguments.length;
    }

    /** Passes another argument on. */
    public void replace(int index, Object argument) {
      arguments[index] = argument;
    }
  }

  /** The test's action around each call. */
  @FunctionalInterface
  public interface Interceptor {
    Object around(String method, Call call) throws Throwable;
  }

  public static CudaDriver of(CudaDriver driver, Interceptor interceptor) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("calls")) {
                return driver.calls();
              }
              if (method.getName().equals("sticky")) {
                return driver.sticky();
              }
              try {
                return interceptor.around(method.getName(), new Call(driver, method, arguments));
              } catch (CudaDriverException e) {
                throw driver.sticky().keep(e);
              }
            });
  }
}
