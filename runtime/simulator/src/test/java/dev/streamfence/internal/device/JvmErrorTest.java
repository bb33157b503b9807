package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Java errors, which may come from anywhere: here from each driver call in turn, before or after
 * the driver was called. No thread may deadlock then, and work that may have been queued stays
 * ordered.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JvmErrorTest {
  /** Whether the error comes before or after the driver's work. */
  enum When {
    BEFORE_THE_CALL,
    AFTER_THE_CALL
  }

  /** Throws at one call, counted from where it is armed. */
  private static final class Trap {
    private final When when;
    private int left;
    private boolean sprung;

    Trap(When when) {
      this.when = when;
    }

    CudaDriver on(CudaDriver driver) {
      return InterceptedDriver.of(
          driver,
          (method, call) -> {
            boolean throwing = !method.equals("properties") && left > 0 && --left == 0;
            if (throwing && when == When.BEFORE_THE_CALL) {
              throw spring();
            }
            Object answer = call.proceed();
            if (throwing) {
              throw spring();
            }
            return answer;
          });
    }

    private Error spring() {
      sprung = true;
      return new StackOverflowError("as planned");
    }
  }

  @ParameterizedTest
  @EnumSource
  void noJavaErrorLeavesALockOrLosesAnOrder(When when) {
    int positions = 0;
    for (int position = 1; run(when, position); position++) {
      positions++;
    }
    assertThat(positions).isGreaterThan(10);
  }

  /** As the JVM does while the Java heap is full: it has made a few errors in advance. */
  @Test
  void anErrorThatComesAgainWhileItIsHandledIsThrownAsItIs() {
    OutOfMemoryError error = new OutOfMemoryError("as planned");
    boolean[] isFull = {false};
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().build()),
            (method, call) -> {
              if (isFull[0] && method.equals("copyToDeviceAsync")) {
                throw error;
              }
              return call.proceed();
            });
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withMemoryResource(
                next ->
                    new ForwardingResource(next) {
                      @Override
                      public void deallocate(long address, long bytes, MemoryStream stream) {
                        super.deallocate(address, bytes, stream);
                        if (isFull[0]) {
                          throw error;
                        }
                      }
                    });
    try (DeviceRuntime gpu = RuntimeOverDriver.open(driver, options)) {
      DeviceStream stream = gpu.streams().acquire();
      isFull[0] = true;
      assertThatThrownBy(() -> gpu.memory().upload(stream, new int[] {1})).isSameAs(error);
      isFull[0] = false;
    }
  }

  /** Whether the error came. */
  private static boolean run(When when, int position) {
    Trap trap = new Trap(when);
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime gpu =
        RuntimeOverDriver.open(trap.on(Inside.open(device)), RuntimeOptions.defaults());
    DeviceStream a = gpu.streams().acquire();
    DeviceStream b = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {0, 0, 0});
    VectorKernels[] kernels = {VectorKernels.on(a), VectorKernels.on(b)};
    kernels[0].increment(values, 0);

    trap.left = position;
    int launched = 0;
    int doubtful = 0;
    for (int i = 0; i < 6; i++) {
      try {
        kernels[i % 2].increment(values, 3);
        launched++;
      } catch (StackOverflowError e) {
        doubtful++;
      }
    }
    boolean threw = trap.sprung;
    trap.left = 0;
    DeviceStream c = gpu.streams().acquire();
    try {
      int[] counts = values.download(c);
      assertThat(counts[0]).isBetween(launched, launched + doubtful);
      assertThat(counts).containsOnly(counts[0]);
    } catch (CudaDriverException lost) {
      assertThat(Inside.of(gpu).sticky().error()).isNotNull();
    }
    values.close();
    gpu.close();
    return threw;
  }
}
