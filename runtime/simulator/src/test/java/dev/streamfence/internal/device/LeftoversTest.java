package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Arrays whose free was postponed, and arrays that are open when their runtime is closed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LeftoversTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  private DeviceRuntime open() {
    return DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true));
  }

  /** Closes an array while its stream is taken, so that its free is postponed. */
  private static void closeInsideALaunch(DeviceStream stream, DeviceArray<?> array) {
    try (LaunchRecorder launch = VectorKernels.incrementOn(stream).begin()) {
      array.close();
      assertThat(launch).isNotNull();
    }
  }

  @Test
  void aPostponedFreeIsCoveredByAWaitForTheRuntime() {
    try (DeviceRuntime gpu = open();
        DeviceStream stream = gpu.streams().acquire()) {
      closeInsideALaunch(stream, gpu.memory().upload(stream, new int[4]));
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(16);
      gpu.synchronize();
      assertThat(gpu.memory().reap()).isEqualTo(16);
    }
  }

  @Test
  void aPostponedFreeIsCoveredByAWaitWithATimeout() throws InterruptedException {
    try (DeviceRuntime gpu = open();
        DeviceStream stream = gpu.streams().acquire()) {
      closeInsideALaunch(stream, gpu.memory().upload(stream, new int[4]));
      assertThat(gpu.synchronize(Duration.ofMinutes(1))).isTrue();
      assertThat(gpu.memory().reap()).isEqualTo(16);
    }
  }

  @Test
  void aWaitForTheRuntimeGivesAdoptedMemoryBack() throws InterruptedException {
    CountDownLatch released = new CountDownLatch(1);
    try (DeviceRuntime gpu = open();
        DeviceStream stream = gpu.streams().acquire()) {
      SimulatedLibrary owner = device.library("owner");
      long address = owner.allocate(16);
      DeviceArray<int[]> adopted =
          gpu.memory()
              .adopt(
                  stream,
                  ForeignMemory.at(address, 16).alreadyReady().releasedBy(released::countDown),
                  int[].class);
      closeInsideALaunch(stream, adopted);
      gpu.synchronize();
      released.await();
      owner.free(address);
    }
  }

  @Test
  void openArraysAreReportedOnceAndTheFirstTenByName() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      List<DeviceArray<int[]>> kept = new ArrayList<>();
      DeviceRuntime gpu = open();
      DeviceStream stream = gpu.streams().acquire();
      for (int i = 0; i < 1_000; i++) {
        kept.add(gpu.memory().allocate(stream, int[].class, 4, "array " + i));
      }
      gpu.memory().pinned(int[].class, 4);
      gpu.close();
      assertThat(log.recordsWith(gpu + " is closed with"))
          .singleElement()
          .satisfies(
              report -> {
                assertThat(report.getMessage())
                    .contains("1001 open arrays", "'array 0'", "'array 9'", "991 more")
                    .doesNotContain("'array 10'");
                assertThat(report.getThrown().getSuppressed()).hasSize(10);
              });
      assertThat(kept).hasSize(1_000);
    }
  }

  @Test
  void pinnedArraysAreReportedWithTheirAllocationSites() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      DeviceRuntime gpu = open();
      PinnedArray<int[]> kept = gpu.memory().pinned(int[].class, 4);
      String lost = losePinned(gpu);
      while (log.recordsWith("a pinned array was lost without being closed: " + lost).isEmpty()) {
        System.gc();
        Thread.onSpinWait();
      }
      gpu.close();
      assertThat(log.recordsWith(lost))
          .singleElement()
          .satisfies(
              report ->
                  assertThat(report.getThrown().getStackTrace())
                      .anyMatch(frame -> frame.getMethodName().equals("losePinned")));
      assertThat(log.recordsWith(gpu + " is closed with 1 open arrays: " + kept))
          .singleElement()
          .satisfies(
              report ->
                  assertThat(report.getThrown().getSuppressed()[0].getStackTrace())
                      .anyMatch(frame -> frame.getClassName().equals(getClass().getName())));
    }
  }

  @Test
  void aPinnedArrayThatAnotherThreadClosesDuringTheCloseIsNotReported() {
    Runnable[] meanwhile = {() -> {}};
    DeviceRuntime gpu =
        RuntimeOverDriver.open(
            InterceptedDriver.of(
                Inside.open(device),
                (method, call) -> {
                  if (method.equals("synchronizeStream")) {
                    meanwhile[0].run();
                  }
                  return call.proceed();
                }),
            RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    gpu.memory().allocateZeroed(stream, int[].class, 4).close();
    PinnedArray<int[]> pinned = gpu.memory().pinned(int[].class, 4);
    boolean[] isClosed = new boolean[1];
    meanwhile[0] =
        () -> {
          Thread closer = new Thread(pinned::close);
          closer.start();
          try {
            closer.join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          isClosed[0] = true;
        };
    try (RuntimeLog log = RuntimeLog.listen()) {
      gpu.close();
      assertThat(isClosed).containsExactly(true);
      assertThat(log.recordsWith(gpu + " is closed with")).isEmpty();
    }
  }

  private static String losePinned(DeviceRuntime gpu) {
    return gpu.memory().pinned(int[].class, 7).toString();
  }

  @Test
  void nothingIsOpenOnceItsRuntimeIsClosed() {
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    DeviceArray<int[]> none = gpu.memory().allocate(stream, int[].class, 0);
    ReadableArray<int[]> view = array.view(1, 2);
    PinnedArray<int[]> pinned = gpu.memory().pinned(int[].class, 4);
    DeviceArray<int[]> mapped = pinned.mapped();
    SpillableArray<int[]> spillable =
        gpu.memory().spillable(gpu.memory().allocateZeroed(stream, int[].class, 4));
    KernelGraph graph = gpu.graph("fill", body -> array.fill(stream, 1));
    List<BooleanSupplier> all =
        List.of(
            array::isOpen,
            none::isOpen,
            view::isOpen,
            pinned::isOpen,
            mapped::isOpen,
            spillable::isOpen,
            graph::isOpen);
    assertThat(all).allMatch(BooleanSupplier::getAsBoolean);
    gpu.close();
    assertThat(all).noneMatch(BooleanSupplier::getAsBoolean);
  }

  @Test
  void openTasksAreReported() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      DeviceRuntime gpu = DeviceRuntime.simulated(device);
      MemoryTask kept = gpu.memory().task();
      gpu.close();
      assertThat(log.recordsWith(gpu + " is closed with"))
          .extracting(LogRecord::getMessage)
          .containsExactly(gpu + " is closed with 1 open tasks: " + kept);
      kept.close();
    }
  }

  @Test
  void aFewOpenArraysAreAllNamed() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      DeviceRuntime gpu = DeviceRuntime.simulated(device);
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> kept = gpu.memory().allocate(stream, int[].class, 4, "keys");
      gpu.close();
      assertThat(log.recordsWith(gpu + " is closed with"))
          .singleElement()
          .satisfies(
              report -> {
                assertThat(report.getMessage())
                    .contains("1 open arrays: allocation", "'keys'")
                    .doesNotContain("more");
                assertThat(report.getThrown()).isNull();
              });
      assertThat(kept.isOpen()).isFalse();
    }
  }
}
