package dev.streamfence.internal.memory;

import dev.streamfence.internal.driver.InterceptedDriver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes the calls to a driver, and throws at one of them, before or after it is carried out. */
public final class DriverTrap implements InterceptedDriver.Interceptor {
  /** The methods of the driver that were called, in order. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  private Set<String> methods = Set.of();
  private int left;
  private boolean after;
  private Throwable failure;

  /** Throws instead of the n-th call from now of one of some methods. */
  public void before(int nth, Throwable thrown, String... names) {
    arm(nth, thrown, false, names);
  }

  /** Throws when the n-th call from now of one of some methods has been carried out. */
  public void after(int nth, Throwable thrown, String... names) {
    arm(nth, thrown, true, names);
  }

  private synchronized void arm(int nth, Throwable thrown, boolean late, String... names) {
    methods = Set.of(names);
    left = nth;
    failure = thrown;
    after = late;
  }

  private synchronized boolean springsAt(String method) {
    return methods.contains(method) && --left == 0;
  }

  @Override
  public Object around(String method, InterceptedDriver.Call call) throws Throwable {
    calls.add(method);
    boolean springs = springsAt(method);
    if (springs && !after) {
      throw failure;
    }
    Object answer = call.proceed();
    if (springs) {
      throw failure;
    }
    return answer;
  }
}
