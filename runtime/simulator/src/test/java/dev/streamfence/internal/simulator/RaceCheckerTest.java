package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules for order and conflicts, and the content of a report. */
final class RaceCheckerTest {
  private static final KernelSignature LYING_INCREMENT =
      KernelSignature.entry("increment").reads("values", int[].class).threads("n", int.class, 256);

  private final SimulatedDevice device =
      SimulatedDevice.builder().schedule(Schedule.LAZY).traceSubmissions(true).build();
  private final CudaDriver driver = Inside.open(device);
  private final StreamHandle a = driver.createStream(0);
  private final StreamHandle b = driver.createStream(0);

  private long readyAllocation() {
    long address = driver.allocateAsync(64, a);
    driver.synchronizeStream(a);
    return address;
  }

  @Test
  void aFindingEndsTheDeviceAtTheNextSynchronizingCall() {
    long address = readyAllocation();
    EventHandle event = driver.createEvent();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.fillAsync(address + 8, Byte.BYTES, 2, 8, b);
    driver.synchronizeStream(a);
    assertThatThrownBy(() -> driver.synchronizeStream(b))
        .isInstanceOfSatisfying(
            RacyAccessException.class,
            racy -> {
              assertThat(racy.isSticky()).isTrue();
              assertThat(racy.call()).isEqualTo("cuStreamSynchronize");
              assertThat(racy.kind()).isEqualTo(Kind.WRITE_WRITE);
              assertThat(racy.first().stream()).isEqualTo(2);
              assertThat(racy.second().stream()).isEqualTo(3);
              assertThat(racy.finding().address()).isEqualTo(address + 8);
              assertThat(racy.finding().bytes()).isEqualTo(8);
            });
    assertThatThrownBy(() -> driver.createEvent())
        .isInstanceOf(RacyAccessException.class)
        .hasCauseInstanceOf(RacyAccessException.class);
    assertThatThrownBy(() -> driver.destroyEvent(event))
        .isInstanceOfSatisfying(
            RacyAccessException.class, e -> assertThat(e.call()).isEqualTo("cuEventDestroy"));
  }

  @ParameterizedTest
  @EnumSource
  void theCloseThrowsWhatNoCallHasNoticed(Schedule schedule) {
    CudaDriver closed = Inside.open(SimulatedDevice.builder().schedule(schedule).build());
    StreamHandle one = closed.createStream(0);
    StreamHandle other = closed.createStream(0);
    long address = closed.allocateAsync(64, one);
    closed.synchronizeStream(one);
    closed.fillAsync(address, Byte.BYTES, 1, 64, one);
    closed.fillAsync(address, Byte.BYTES, 2, 64, other);
    assertThatThrownBy(closed::close)
        .isInstanceOfSatisfying(
            RacyAccessException.class, e -> assertThat(e.kind()).isEqualTo(Kind.WRITE_WRITE));
    closed.close();
  }

  @Test
  void theCloseDoesNotThrowAgainWhatACallHasNoticed() {
    long address = readyAllocation();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThatThrownBy(driver::synchronizeDevice).isInstanceOf(RacyAccessException.class);
    driver.close();
  }

  @Test
  void aTracedReportSaysWhereBothWereSubmitted() {
    long address = readyAllocation();
    long source = readyAllocation();
    device.collectFindings();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.copyOnDeviceAsync(address, source, 64, b);
    Finding finding = device.findings().get(0);
    assertThat(finding.first().what()).isEqualTo("cuMemsetD8Async on stream 2");
    assertThat(finding.second().parameter()).isEqualTo("destination");
    for (Throwable submitted :
        new Throwable[] {finding.first().submittedAt(), finding.second().submittedAt()}) {
      assertThat(submitted.getStackTrace())
          .anyMatch(f -> f.getMethodName().equals("aTracedReportSaysWhereBothWereSubmitted"));
    }
    RacyAccessException racy =
        new RacyAccessException("cuEventQuery", 719, "CUDA_ERROR_LAUNCH_FAILED", finding);
    assertThat(racy.getSuppressed()).hasSize(2);
    assertThat(racy.withOutstanding(List.of("a launch")).getSuppressed())
        .containsExactly(racy.getSuppressed());
  }

  @Test
  void aDeviceWithoutChecksReportsNothing() {
    CudaDriver unchecked = Inside.open(SimulatedDevice.builder().checkRaces(false).build());
    StreamHandle one = unchecked.createStream(0);
    long address = unchecked.allocateAsync(64, one);
    unchecked.fillAsync(address, Byte.BYTES, 1, 64, one);
    unchecked.fillAsync(address, Byte.BYTES, 1, 64, unchecked.createStream(0));
    unchecked.synchronizeDevice();
  }

  @Test
  void memoryThatIsAllocatedAtOnceIsCheckedAsWell() {
    device.collectFindings();
    long address = driver.allocate(64);
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThat(device.findings()).extracting(Finding::kind).containsExactly(Kind.WRITE_WRITE);
    driver.free(address);
    driver.fillAsync(address, Byte.BYTES, 3, 64, a);
    assertThat(device.findings())
        .extracting(Finding::kind)
        .containsExactly(Kind.WRITE_WRITE, Kind.FREE_WHILE_IN_USE, Kind.USE_AFTER_FREE);
  }

  @Test
  void memoryThatIsFreedAtOnceAfterAWaitIsInOrder() {
    device.collectFindings();
    long address = driver.allocate(64);
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.synchronizeStream(a);
    driver.free(address);
    long again = driver.allocate(64);
    assertThat(again).isEqualTo(address);
    driver.fillAsync(again, Byte.BYTES, 2, 64, b);
    driver.synchronizeStream(b);
    driver.free(again);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void disjointBytesDoNotConflict() {
    device.collectFindings();
    long address = readyAllocation();
    driver.fillAsync(address, Byte.BYTES, 1, 32, a);
    driver.fillAsync(address + 32, Byte.BYTES, 2, 32, b);
    driver.fill32StridedAsync(address, 8, 5, 4, a);
    driver.fill32StridedAsync(address + 36, 8, 5, 3, b);
    assertThat(device.findings()).isEmpty();
    driver.fillAsync(address + 31, Byte.BYTES, 3, 2, b);
    assertThat(device.findings())
        .singleElement()
        .satisfies(f -> assertThat(f.address()).isEqualTo(address + 31))
        .satisfies(f -> assertThat(f.bytes()).isEqualTo(1));
  }

  @Test
  void readsDoNotConflict() {
    device.collectFindings();
    long address = readyAllocation();
    long ofA = driver.allocateAsync(64, a);
    long ofB = driver.allocateAsync(64, b);
    driver.copyOnDeviceAsync(ofA, address, 64, a);
    driver.copyOnDeviceAsync(ofB, address, 64, b);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void aWaitOrdersEvenWhenTheEventIsAlreadyReached() {
    device.collectFindings();
    long address = readyAllocation();
    EventHandle event = driver.createEvent();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.recordEvent(event, a);
    device.findings();
    driver.waitForEvent(b, event);
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void anOperationThatHappensToBeDoneOrdersNothing() {
    device.collectFindings();
    long address = readyAllocation();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    assertThat(device.findings()).isEmpty();
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThat(device.findings()).extracting(Finding::kind).containsExactly(Kind.WRITE_WRITE);
  }

  @Test
  void aQueryOfUnfinishedWorkOrdersNothing() {
    device.collectFindings();
    long address = readyAllocation();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    assertThat(driver.isStreamIdle(a)).isFalse();
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThat(device.findings()).extracting(Finding::kind).containsExactly(Kind.WRITE_WRITE);
  }

  @Test
  void aWaitBindsToTheRecordBeforeIt() {
    device.collectFindings();
    long address = readyAllocation();
    EventHandle event = driver.createEvent();
    driver.recordEvent(event, a);
    driver.waitForEvent(b, event);
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.recordEvent(event, a);
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    assertThat(device.findings()).extracting(Finding::kind).containsExactly(Kind.WRITE_WRITE);
  }

  @Test
  void waitsAreTransitive() {
    device.collectFindings();
    long address = readyAllocation();
    StreamHandle c = driver.createStream(0);
    EventHandle ofA = driver.createEvent();
    EventHandle ofB = driver.createEvent();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.recordEvent(ofA, a);
    driver.waitForEvent(b, ofA);
    driver.recordEvent(ofB, b);
    driver.waitForEvent(c, ofB);
    driver.fillAsync(address, Byte.BYTES, 2, 64, c);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void workThatTheHostHasWaitedForComesBeforeItsLaterSubmissions() {
    device.collectFindings();
    long address = readyAllocation();
    EventHandle event = driver.createEvent();
    driver.fillAsync(address, Byte.BYTES, 1, 64, a);
    driver.recordEvent(event, a);
    driver.synchronizeEvent(event);
    driver.fillAsync(address, Byte.BYTES, 2, 64, b);
    while (!driver.isStreamIdle(b)) {}
    driver.fillAsync(address, Byte.BYTES, 3, 64, a);
    driver.synchronizeDevice();
    driver.fillAsync(address, Byte.BYTES, 4, 64, b);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void aRaceWithAnEarlierAllocationAtTheSameAddressIsFound() {
    device.collectFindings();
    long address = readyAllocation();
    driver.fillAsync(address, Byte.BYTES, 1, 64, b);
    driver.freeAsync(address, a);
    assertThat(driver.allocateAsync(64, a)).isEqualTo(address);
    driver.fillAsync(address, Byte.BYTES, 2, 64, a);
    assertThat(device.findings()).extracting(Finding::kind).contains(Kind.FREE_WHILE_IN_USE);
  }

  @Test
  void readsOfUnwrittenBytesAreReportedOnRequestOnly() {
    for (boolean asked : new boolean[] {false, true}) {
      SimulatedDevice one = SimulatedDevice.builder().checkUninitializedReads(asked).build();
      one.collectFindings();
      CudaDriver its = Inside.open(one);
      StreamHandle stream = its.createStream(0);
      long address = its.allocateAsync(64, stream);
      its.fillAsync(address, Byte.BYTES, 1, 60, stream);
      its.copyToHostAsync(its.allocateHost(64), 0, address, 60, stream);
      assertThat(one.findings()).isEmpty();
      its.copyToHostAsync(its.allocateHost(64), 0, address, 64, stream);
      assertThat(one.findings()).hasSize(asked ? 1 : 0);
      assertThat(one.findings()).allMatch(f -> f.kind() == Kind.UNINITIALIZED_READ);
      assertThat(one.findings()).allMatch(f -> f.address() == address + 60 && f.bytes() == 4);
    }
  }

  @Test
  void hostMemoryInFlightIsNotTouched() {
    long address = readyAllocation();
    HostMemory host = driver.allocateHost(64);
    device.collectFindings();
    driver.copyToHostAsync(host, 0, address, 64, a);
    host.slice(0, 8).buffer();
    assertThat(device.findings()).extracting(Finding::kind).containsExactly(Kind.WRITE_WRITE);
    driver.synchronizeStream(a);
    host.buffer();
    driver.copyToDeviceAsync(address, host, 0, 64, a);
    assertThat(device.findings()).hasSize(1);
  }

  @Test
  void aKernelThatDoesMoreThanItsInterfaceDeclaresIsNamedWithItsParameter() {
    SimulatedDevice checked = SimulatedDevice.builder().build();
    checked.collectFindings();
    DeviceRuntime gpu = DeviceRuntime.simulated(checked);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 8);
    LaunchRecorder increment =
        LoadedModule.of(stream, VectorKernels.COMPARED_IMAGE).recorder(LYING_INCREMENT);
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values).threads(8).preflight().launch().commit();
    }
    assertThat(checked.findings())
        .singleElement()
        .satisfies(
            f -> {
              assertThat(f.kind()).isEqualTo(Kind.UNDECLARED_WRITE);
              assertThat(f.second().what()).isEqualTo("increment on stream 1");
              assertThat(f.second().parameter()).isEqualTo("values");
              assertThat(f.second().ticket()).isEqualTo(3);
              assertThat(f.bytes()).isEqualTo(32);
            });
    values.close();
    gpu.close();
  }

  @Test
  void aPermissiveLaunchMayUseTheWholeAllocationAroundAnUntrackedAddress() {
    SimulatedDevice checked = SimulatedDevice.builder().build();
    checked.collectFindings();
    DeviceRuntime gpu = DeviceRuntime.simulated(checked);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 8);
    LaunchRecorder increment =
        LoadedModule.of(stream, VectorKernels.COMPARED_IMAGE).permissiveRecorder(LYING_INCREMENT);
    try (LaunchRecorder recorder = increment.begin()) {
      recorder
          .untracked(Inside.allocation(values).address() + 4)
          .threads(4)
          .preflight()
          .launch()
          .commit();
    }
    assertThat(checked.findings()).isEmpty();
    values.close();
    gpu.close();
  }
}
