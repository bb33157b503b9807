package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.transfer.Bytes;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DirectMemoryTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final UpstreamResource resource = UpstreamResource.direct(on.pool, false);

  @AfterEach
  void close() {
    assertThat(resource.bytesOutstanding()).isZero();
    on.close();
  }

  @Test
  void errorsSayWhetherMemoryIsOfThePoolOfTheDriver() {
    assertThat(DriverMemory.direct(on.driver)).hasToString("the driver");
    assertThat(DriverMemory.pooled(on.driver)).hasToString("the driver's pool");
  }

  @Test
  void everyAllocationIsOneOfTheDriverOutsideThePool() {
    Allocation block = resource.allocate(4096, on.a, "");
    assertThat(on.device.calls(DriverCall.ALLOCATE)).isEqualTo(1);
    assertThat(on.device.calls(DriverCall.ALLOCATE_ASYNC)).isZero();
    resource.deallocate(block);
    assertThat(resource.bytesOutstanding()).isZero();
    assertThat(on.device.calls(DriverCall.FREE)).isEqualTo(1);
    assertThat(resource.reap()).isZero();
  }

  @Test
  void aFreshAllocationIsReadyOnEveryStreamWithoutAWait() {
    Allocation block = resource.allocate(64, on.a, "");
    on.copies.fill(on.b, Region.of(block).range(0, 64), 1, 1);
    assertThat(on.device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
    resource.deallocate(block);
  }

  @Test
  void aFreeWaitsForTheUsesOnEveryStream() {
    Allocation block = resource.allocate(64, on.a, "");
    Allocation copyB = resource.allocate(64, on.b, "");
    Allocation copyC = resource.allocate(64, on.c, "");
    on.copies.fill(on.a, Region.of(block).range(0, 64), 1, 3);
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(copyB).range(0, 64));
    on.copies.copy(on.c, Region.of(block).range(0, 64), Region.of(copyC).range(0, 64));
    // The device runs nothing until it has to, and unmaps the memory at once: a copy that is not
    // waited for would fault.
    resource.deallocate(block);
    Bytes seen = Bytes.of(64, 0);
    on.copies.download(on.b, Region.of(copyB).range(0, 64), seen);
    assertThat(seen.values()).containsOnly(3);
    on.copies.download(on.c, Region.of(copyC).range(0, 64), seen);
    assertThat(seen.values()).containsOnly(3);
    resource.deallocate(copyB);
    resource.deallocate(copyC);
  }

  @Test
  void aFreeThatFailsLeavesTheAllocationAndCanBeRepeated() {
    Allocation block = resource.allocate(64, on.a, "");
    for (DriverCall call : new DriverCall[] {DriverCall.SYNCHRONIZE_STREAM, DriverCall.FREE}) {
      on.device.failCall(call, 1, 999);
      assertThatThrownBy(() -> resource.deallocate(block)).isInstanceOf(CudaDriverException.class);
      assertThat(block.hazards().isOpen()).isTrue();
      assertThat(resource.bytesOutstanding()).isEqualTo(64);
    }
    resource.deallocate(block);
    assertThat(resource.bytesOutstanding()).isZero();
  }
}
