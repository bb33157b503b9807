package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ScheduleTest {
  /**
   * Four streams write their numbers into one byte without any order; its value after each call
   * shows the schedule.
   */
  private static List<Integer> trace(Schedule schedule, long seed) {
    CudaDriver driver =
        Inside.open(
            SimulatedDevice.builder().schedule(schedule).seed(seed).checkRaces(false).build());
    StreamHandle[] streams = new StreamHandle[4];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = driver.createStream(0);
    }
    long address = driver.allocateAsync(1, streams[0]);
    driver.synchronizeStream(streams[0]);
    HostMemory host = driver.allocateHost(64);
    List<Integer> seen = new ArrayList<>();
    for (int round = 0; round < 64; round++) {
      driver.fillAsync(address, Byte.BYTES, (round + 1), 1, streams[round % 4]);
      driver.copyToHostAsync(host, round, address, 1, streams[(round + 1) % 4]);
    }
    driver.synchronizeDevice();
    for (int round = 0; round < 64; round++) {
      seen.add((int) host.buffer().get(round));
    }
    return seen;
  }

  @Test
  void theSameSeedGivesTheSameOrder() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(trace(Schedule.RANDOM, seed)).isEqualTo(trace(Schedule.RANDOM, seed));
    }
  }

  @Test
  void seedsGiveDifferentOrders() {
    Set<List<Integer>> orders = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      orders.add(trace(Schedule.RANDOM, seed));
    }
    assertThat(orders).hasSizeGreaterThan(15);
  }

  @Test
  void eagerRunsQueuedWorkAtOnceAndLazyRunsNothing() {
    for (Schedule schedule : List.of(Schedule.EAGER, Schedule.LAZY)) {
      CudaDriver driver =
          Inside.open(SimulatedDevice.builder().schedule(schedule).checkRaces(false).build());
      StreamHandle stream = driver.createStream(0);
      long address = driver.allocateAsync(4, stream);
      HostMemory host = driver.allocateHost(4);
      driver.fillAsync(address, Integer.BYTES, 7, 1, stream);
      driver.copyToHostAsync(host, 0, address, 4, stream);
      assertThat(host.buffer().getInt(0)).isEqualTo(schedule == Schedule.EAGER ? 7 : 0);
      driver.synchronizeStream(stream);
      assertThat(host.buffer().getInt(0)).isEqualTo(7);
    }
  }

  @Test
  void aDeviceDescribesItselfAndRefusesImpossibleSettings() {
    assertThat(SimulatedDevice.builder().schedule(Schedule.RANDOM).seed(5).build())
        .hasToString("simulated device, RANDOM schedule, seed 5");
    assertThatThrownBy(() -> SimulatedDevice.builder().memoryInBytes(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SimulatedDevice.builder().computeCapability(-1, -4))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
