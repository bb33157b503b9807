package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Fails an upload of tables at each of its steps, and asserts that nothing stays allocated.
 *
 * @param upload uploads the tables, and returns what closes them
 * @param step 1 for each step, 2 for every second one, and so on
 */
public record FailingUploads(Function<DeviceStream, AutoCloseable> upload, int step) {
  private static final int INVALID_VALUE = 1;

  /** Fails calls of the driver. */
  public void assertNothingStaysAfterAnyDriverCall() throws Exception {
    long calls = calls();
    assertThat(calls).isGreaterThan(20);
    for (int nth = 1; nth <= calls; nth += step) {
      SimulatedDevice simulated = SimulatedDevice.builder().build();
      try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
          DeviceStream stream = device.streams().acquire()) {
        simulated.failCall(nth, INVALID_VALUE);
        assertNothingStays(stream, CudaDriverException.class, "call " + nth + " of " + calls);
      }
    }
  }

  private long calls() throws Exception {
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire()) {
      long before = simulated.calls();
      try (AutoCloseable uploaded = upload.apply(stream)) {
        assertThat(uploaded).isNotNull();
        return simulated.calls() - before;
      }
    }
  }

  /** Fails allocations with an {@link Error}, as a host without memory does. */
  public void assertNothingStaysAfterAnError() throws Exception {
    Allocations all = new Allocations(Integer.MAX_VALUE);
    try (DeviceRuntime device = all.open();
        DeviceStream stream = device.streams().acquire()) {
      upload.apply(stream).close();
    }
    assertThat(all.count).isGreaterThan(10);
    for (int nth = 1; nth <= all.count; nth += step) {
      try (DeviceRuntime device = new Allocations(nth).open();
          DeviceStream stream = device.streams().acquire()) {
        assertNothingStays(stream, OutOfMemoryError.class, "allocation " + nth);
      }
    }
  }

  private void assertNothingStays(
      DeviceStream stream, Class<? extends Throwable> failure, String when) {
    ThrowingCallable failing = () -> upload.apply(stream);
    assertThatThrownBy(failing).as(when).isInstanceOf(failure);
    assertThat(stream.runtime().memory().statistics().liveBytes()).as(when).isZero();
  }

  /** Memory whose n-th allocation throws. */
  private static final class Allocations {
    private final int failing;
    private int count;

    Allocations(int failing) {
      this.failing = failing;
    }

    DeviceRuntime open() {
      return DeviceRuntime.simulated(
          SimulatedDevice.builder().build(),
          RuntimeOptions.defaults().withMemoryResource(Counting::new));
    }

    private final class Counting implements MemoryResource {
      private final MemoryResource behind;

      Counting(MemoryResource behind) {
        this.behind = behind;
      }

      @Override
      public long allocate(long sizeInBytes, MemoryStream stream) {
        count++;
        if (count == failing) {
          throw new OutOfMemoryError("no memory on the host");
        }
        return behind.allocate(sizeInBytes, stream);
      }

      @Override
      public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
        behind.deallocate(address, sizeInBytes, stream);
      }
    }
  }
}
