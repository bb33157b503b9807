package dev.streamfence.it;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.simulation.DriverCall;
import java.lang.invoke.MethodHandles;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.MethodCall;

/**
 * A driver whose launches, events and waits are only counted: benchmarks then measure the runtime
 * alone. It passes all other calls on to another driver, by methods that are generated: a proxy
 * would allocate.
 */
abstract class IdleDriver implements CudaDriver {
  private final DriverCalls calls;

  IdleDriver(CudaDriver driver) {
    this.calls = driver.calls();
  }

  /** A driver that passes other calls on to {@code driver}. */
  static IdleDriver over(CudaDriver driver) {
    try (DynamicType.Unloaded<IdleDriver> type =
        new ByteBuddy()
            .subclass(IdleDriver.class)
            .method(isAbstract())
            .intercept(MethodCall.invokeSelf().on(driver, CudaDriver.class).withAllArguments())
            .make()) {
      return type.load(
              IdleDriver.class.getClassLoader(),
              ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
          .getLoaded()
          .getDeclaredConstructor(CudaDriver.class)
          .newInstance(driver);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public DriverCalls calls() {
    return calls;
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    calls.begin(DriverCall.WAIT_FOR_EVENT);
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    calls.begin(DriverCall.RECORD_EVENT);
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    calls.begin(launch.call());
  }
}
