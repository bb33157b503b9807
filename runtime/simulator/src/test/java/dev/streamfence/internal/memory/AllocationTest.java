package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.simulation.Schedule;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The facts that an allocation and its resource know about each other and the device. */
final class AllocationTest {
  @Test
  void theOrdinalComesFromTheDriver() {
    try (SimulatedStreams on =
        new SimulatedStreams(
            Schedule.EAGER,
            (method, call) -> {
              Object answer = call.proceed();
              return answer instanceof DeviceProperties read ? numbered(3, read) : answer;
            })) {
      UpstreamResource resource = UpstreamResource.direct(on.pool, false);
      Allocation block = resource.allocate(64, on.a, "");
      assertThat(block.deviceOrdinal()).isEqualTo(3);
      assertThat(resource.deviceOrdinal()).isEqualTo(3);
      resource.deallocate(block);
    }
  }

  private static DeviceProperties numbered(int ordinal, DeviceProperties read) {
    return DeviceProperties.of(
        new DeviceProperties.Identity(read.name(), ordinal, read.uuid(), ""),
        read.driverVersion(),
        read.totalMemoryInBytes(),
        Map.of());
  }

  @Test
  void aMinimalResourceNeitherTracksNorReaps() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      UntrackingResource resource = new UntrackingResource(on.pool);
      Allocation block = resource.allocate(64, on.a, "");
      assertThat(block.isTracked()).isFalse();
      assertThat(resource.tracksUses()).isFalse();
      assertThat(resource.mayWaitForOthers()).isFalse();
      assertThat(resource.reap()).isZero();
      resource.deallocate(block);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyTracingTellsWhereAnAllocationWasMadeAndClosed(boolean tracing) {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      UpstreamResource resource = UpstreamResource.direct(on.pool, tracing);
      Allocation block = resource.allocate(64, on.a, "keys");
      resource.deallocate(block);
      assertThat(block.allocatedAt() != null).isEqualTo(tracing);
      assertThatThrownBy(() -> on.copies.fill(on.a, Region.of(block).range(0, 64), 1, 1))
          .isInstanceOfSatisfying(
              UseAfterFreeException.class,
              e -> assertThat(e.getCause() instanceof ClosedHere).isEqualTo(tracing));
    }
  }

  @Test
  void workIsNamedInTheSameWayForEveryUseOfTheAllocation() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      Purpose purpose = new Purpose(Purpose.Act.FREE, 64, "keys", on.a);
      assertThat(purpose.purpose()).startsWith("freeing 64 bytes for 'keys' on ");
      assertThat(purpose.use(1)).hasToString(purpose.purpose());
    }
  }
}
