package dev.streamfence.internal.simulator;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.simulator.bytes.Backing;
import dev.streamfence.internal.simulator.bytes.HeapMemory;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device memory beyond the Java heap, and arrays of several segments. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeviceMemoryLimitsTest {
  private static final int SEGMENT_SHIFT = 12;
  private static final int SEGMENT = 1 << SEGMENT_SHIFT;

  @ParameterizedTest
  @EnumSource
  void anAllocationBeyondTheJavaHeapIsRefusedAsOneBeyondTheDevice(Schedule schedule)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                DeviceBeyondTheHeap.class.getName(),
                schedule.name())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anArrayThatIsLargerThanTheWholeHeapIsRefusedAndLeavesNothing(Schedule schedule) {
    long tooMuch = Runtime.getRuntime().maxMemory() + (1L << 30);
    SimulatedDevice device =
        SimulatedDevice.builder().schedule(schedule).memoryInBytes(1L << 44).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      int before = device.liveObjects();
      OutOfMemoryBudgetException refusal =
          catchThrowableOfType(
              OutOfMemoryBudgetException.class,
              () -> gpu.memory().allocate(stream, byte[].class, tooMuch));
      assertThat(refusal.requested()).isEqualTo(tooMuch);
      assertThat(refusal).cause().hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY");
      assertThat(device.liveObjects()).isEqualTo(before);
      gpu.memory().allocate(stream, byte[].class, 100).close();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void memoryIsTakenAtSubmissionAndSharedByLaterAllocationsAtItsAddress() {
    AddressSpace addresses = new AddressSpace(1 << 20, new HeapMemory(), SEGMENT_SHIFT, 0);
    SubmissionOrder order = new SubmissionOrder();
    SimulatedStream stream = new SimulatedStream(order.newStream());
    SimulatedStream other = new SimulatedStream(order.newStream());

    AddressSpace.AddressRange first = requireNonNull(addresses.allocate(1000, stream));
    Backing bytes = first.bytes();
    AddressSpace.Freed freed = requireNonNull(addresses.free(first.address(), stream));
    AddressSpace.AddressRange second = requireNonNull(addresses.allocate(900, stream));
    assertThat(second.address()).isEqualTo(first.address());
    assertThat(second.bytes()).isSameAs(bytes);

    freed.carryOut();
    assertThat(second.bytes()).isSameAs(bytes);
    requireNonNull(addresses.free(second.address(), stream)).carryOut();
    AddressSpace.AddressRange third = requireNonNull(addresses.allocate(1000, other));
    assertThat(third.address()).isEqualTo(first.address());
    assertThat(third.bytes()).as("memory that was given back").isNotSameAs(bytes);
    assertThat(addresses.available()).isEqualTo((1 << 20) - 1024);
  }

  private static CudaDriver segmented(Schedule schedule) {
    return Inside.open(
        new SimulationSettings().segmentShift(SEGMENT_SHIFT).schedule(schedule).build());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, SEGMENT - 4, SEGMENT, SEGMENT + 12})
  void copiesAndFillsCrossSegments(int shift) {
    CudaDriver driver = segmented(Schedule.LAZY);
    StreamHandle stream = driver.createStream(0);
    int bytes = 3 * SEGMENT + 100;
    long from = driver.allocateAsync(bytes + shift, stream);
    long to = driver.allocateAsync(bytes + 2L * shift, stream);
    HostMemory host = driver.allocateHost(2L * bytes);
    for (int i = 0; i < bytes; i += 4) {
      host.buffer().putInt(i, i * 31);
    }
    driver.copyToDeviceAsync(from + shift, host, 0, bytes, stream);
    driver.copyOnDeviceAsync(to + 2L * shift, from + shift, bytes, stream);
    driver.copyToHostAsync(host, bytes, to + 2L * shift, bytes, stream);
    driver.synchronizeStream(stream);
    for (int i = 0; i < bytes; i += 4) {
      assertThat(host.buffer().getInt(bytes + i)).isEqualTo(i * 31);
    }

    driver.fillAsync(from + shift, Short.BYTES, 0x1234, bytes / 2, stream);
    driver.copyToHostAsync(host, 0, from + shift, bytes, stream);
    driver.fill32StridedAsync(to + 2L * shift, 12, 77, bytes / 12, stream);
    driver.copyToHostAsync(host, bytes, to + 2L * shift, bytes, stream);
    driver.synchronizeStream(stream);
    for (int i = 0; i < bytes; i += 4) {
      assertThat(host.buffer().getInt(i)).isEqualTo(0x1234_1234);
      assertThat(host.buffer().getInt(bytes + i))
          .isEqualTo(i % 12 == 0 && i / 12 < bytes / 12 ? 77 : i * 31);
    }
  }

  @Test
  void aKernelReachesEachSegmentAndNoByteBeyondTheLast() {
    CudaDriver driver = segmented(Schedule.EAGER);
    StreamHandle stream = driver.createStream(0);
    FunctionHandle store = GrowthTest.load(driver);
    int bytes = 2 * SEGMENT + 8;
    long array = driver.allocateAsync(bytes, stream);
    HostMemory host = driver.allocateHost(bytes);
    for (int at : new int[] {0, SEGMENT - 4, SEGMENT, 2 * SEGMENT, 2 * SEGMENT + 4}) {
      GrowthTest.launch(driver, store, array + at, stream);
      driver.copyToHostAsync(host, 0, array, bytes, stream);
      driver.synchronizeStream(stream);
      assertThat(host.buffer().getInt(at)).isEqualTo(7);
    }
    assertThatThrownBy(
            () -> {
              GrowthTest.launch(driver, store, array + bytes, stream);
              driver.synchronizeStream(stream);
            })
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.code()).isEqualTo(ResultCode.ILLEGAL_ADDRESS));
  }

  @Test
  void aRaceBeyondTwoGigabytesIsFoundAtItsAddress() {
    long size = 6L << 30;
    long base = 1L << 40;
    long at = (5L << 30) + 4;
    SubmissionOrder order = new SubmissionOrder();
    SubmissionOrder.StreamClock one = order.newStream();
    SubmissionOrder.StreamClock other = order.newStream();
    Submitted allocation = submitted(order, one, "the allocation");
    Finding[] found = new Finding[1];
    Shadow shadow = new Shadow(base, size, allocation, false, finding -> found[0] = finding);
    order.waited(other, order.reached(one));
    shadow.use(submitted(order, one, "a write"), Runs.of(at, 8, Runs.WRITES));
    assertThat(found[0]).isNull();
    shadow.use(submitted(order, other, "another write"), Runs.of(at + 4, 8, Runs.WRITES));

    assertThat(found[0].kind()).isEqualTo(Kind.WRITE_WRITE);
    assertThat(found[0].address()).isEqualTo(base + at + 4);
    assertThat(found[0].bytes()).isEqualTo(4);
  }

  private static Submitted submitted(
      SubmissionOrder order, SubmissionOrder.StreamClock stream, String what) {
    return new Submitted(what, 1, order.submit(stream), 0, List.of(), false, null, null);
  }
}
