package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A driver that returns memory that is still allocated. */
final class AddressCollisionTest {
  enum Backend {
    STREAM_ORDERED(pool -> UpstreamResource.streamOrdered(pool, false)),
    DIRECT(pool -> UpstreamResource.direct(pool, false));

    private final Function<StreamPool, TrackedResource> factory;

    Backend(Function<StreamPool, TrackedResource> factory) {
      this.factory = factory;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAddressThatIsAllocatedTwiceLosesTheDeviceAndFreesNothing(Backend backend) {
    SimulatedDevice device = SimulatedDevice.builder().build();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              Object answer = call.proceed();
              return method.startsWith("allocate") ? 4096L : answer;
            });
    StreamPool pool = new StreamPool(driver, 1);
    Timeline stream = pool.acquire();
    TrackedResource twice = backend.factory.apply(pool);
    Allocation first = twice.allocate(64, stream, "first");

    assertThatThrownBy(() -> twice.allocate(64, stream, "second"))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("'first'")
        .hasMessageContaining("'second'");
    assertThat(pool.sticky().error()).isNotNull();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    assertThat(device.calls(DriverCall.FREE)).isZero();
    assertThat(twice.live()).containsExactly(first);
    assertThat(twice.bytesOutstanding()).isEqualTo(64);
  }
}
