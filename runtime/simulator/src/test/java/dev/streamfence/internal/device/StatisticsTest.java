package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.DriverObjects;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamStatistics;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.TagUsage;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Figures that say whose they are, and miss nothing. */
final class StatisticsTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device, RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1 << 20)));
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
  }

  @Test
  void thePeakCountsClosedArraysThatTheDeviceMayStillUse() {
    for (int i = 0; i < 5; i++) {
      gpu.memory().allocate(a, byte[].class, 100_000).close();
    }
    assertThat(gpu.memory().statistics().peakBytes()).isEqualTo(500_000);
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().statistics().peakBytes()).isEqualTo(500_000);
    gpu.memory().resetPeak();
    assertThat(gpu.memory().statistics().peakBytes()).isZero();
  }

  @Test
  void aPartCountsItsOwnRequestsAndTransfersAndTheWholeCountsThemToo() {
    DeviceMemory one = gpu.memory().within(1 << 16, "one");
    DeviceMemory two = one.within(1 << 16, "two");
    try (DeviceArray<int[]> x = one.upload(a, new int[] {1, 2});
        DeviceArray<int[]> y = two.upload(a, new int[] {1, 2, 3})) {
      y.download(a);
      assertThat(x.length()).isEqualTo(2);
    }
    assertThat(two.statistics().allocationRequests()).isEqualTo(1);
    assertThat(one.statistics().allocationRequests()).isEqualTo(2);
    assertThat(gpu.memory().statistics().allocationRequests()).isEqualTo(2);
    assertThat(two.statistics().uploadedBytes()).isEqualTo(12);
    assertThat(one.statistics().uploadedBytes()).isEqualTo(20);
    assertThat(gpu.memory().statistics().uploadedBytes()).isEqualTo(20);
    assertThat(two.statistics().downloads()).isEqualTo(1);
    assertThat(gpu.memory().statistics().downloads()).isEqualTo(1);
    two.resetTransfers();
    assertThat(two.statistics().uploads()).isZero();
    assertThat(one.statistics().uploads()).isEqualTo(2);
  }

  @Test
  void aPartHasNoMoreLeftThanTheMemoryAroundIt() {
    DeviceMemory part = gpu.memory().within(1L << 30, "large");
    assertThat(part.statistics().remainingBytes()).isEqualTo(1 << 20);
    try (DeviceArray<byte[]> x = gpu.memory().allocate(a, byte[].class, 1 << 19)) {
      assertThat(x.length()).isEqualTo(1 << 19);
      assertThat(part.statistics().remainingBytes()).isEqualTo(1 << 19);
    }
  }

  @Test
  void downloadsOfAPartAreRefusedAlone() {
    DeviceMemory part = gpu.memory().within(1 << 16, "part");
    try (DeviceArray<int[]> x = part.upload(a, new int[] {1});
        DeviceArray<int[]> y = gpu.memory().upload(a, new int[] {1})) {
      part.refuseDownloads(true);
      assertThatIllegalStateException().isThrownBy(() -> x.download(a));
      assertThat(y.download(a)).containsExactly(1);
      part.refuseDownloads(false);
      gpu.memory().refuseDownloads(true);
      assertThatIllegalStateException().isThrownBy(() -> x.download(a));
      assertThatIllegalStateException().isThrownBy(() -> y.download(a));
      assertThat(part.statistics().refusedDownloads()).isEqualTo(2);
      assertThat(gpu.memory().statistics().refusedDownloads()).isEqualTo(3);
      gpu.memory().refuseDownloads(false);
    }
  }

  private static List<Long> transfers(DeviceMemory memory) {
    MemoryStatistics now = memory.statistics();
    return List.of(now.uploads(), now.uploadedBytes(), now.downloads(), now.downloadedBytes());
  }

  @Test
  void transfersOfAGraphAreCountedWhenItIsLaunched() {
    DeviceMemory part = gpu.memory().within(1 << 16, "part");
    DeviceArray<int[]> x = part.allocateZeroed(a, int[].class, 4);
    DeviceArray<int[]> y = gpu.memory().allocateZeroed(a, int[].class, 4);
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4);
    KernelGraph graph =
        gpu.graph(
            "transfers",
            body -> {
              x.upload(a, host);
              x.download(b, 1, host, 0, 3);
              y.download(b, host);
            });
    assertThat(transfers(gpu.memory())).containsExactly(0L, 0L, 0L, 0L);

    graph.launch(a);
    graph.launch(b);
    assertThat(transfers(part)).containsExactly(2L, 32L, 2L, 24L);
    assertThat(transfers(gpu.memory())).containsExactly(2L, 32L, 4L, 56L);

    device.failCall(DriverCall.LAUNCH_GRAPH, 1, INVALID_VALUE);
    assertThatThrownBy(() -> graph.launch(a)).isInstanceOf(CudaDriverException.class);
    graph.recordAgain(body -> x.upload(a, host)).launch(a);
    assertThat(transfers(gpu.memory())).containsExactly(3L, 48L, 4L, 56L);
  }

  @Test
  void transfersInAConditionAreCountedOnceForEachLaunch() {
    DeviceArray<int[]> x = gpu.memory().allocateZeroed(a, int[].class, 4);
    DeviceArray<int[]> number = gpu.memory().allocateZeroed(a, int[].class, 1);
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4);
    VectorKernels onA = VectorKernels.on(a);
    KernelGraph graph =
        gpu.graph(
            "conditions",
            body -> {
              assertThatThrownBy(
                      () ->
                          body.ifNonZero(
                              number,
                              then -> {
                                x.upload(a, host);
                                throw new IllegalCallerException();
                              }))
                  .isInstanceOf(IllegalCallerException.class);
              body.whileNonZero(
                  number,
                  pass -> {
                    x.download(a, host);
                    onA.increment(number, 1);
                  });
            });
    number.fill(a, -3);
    graph.launch(a);
    graph.launch(a);
    assertThat(transfers(gpu.memory())).containsExactly(0L, 0L, 2L, 32L);
  }

  @Test
  void aGraphThatDownloadsIsNotLaunchedWhileDownloadsAreRefused() {
    DeviceMemory part = gpu.memory().within(1 << 16, "part");
    DeviceArray<int[]> x = part.allocateZeroed(a, int[].class, 4);
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4);
    KernelGraph graph = gpu.graph("result", body -> x.download(a, host));
    KernelGraph other = gpu.graph("input", body -> x.upload(a, host));
    for (DeviceMemory refusing : List.of(part, gpu.memory())) {
      refusing.refuseDownloads(true);
      long before = device.calls();
      assertThatIllegalStateException()
          .isThrownBy(() -> graph.launch(a))
          .withMessage(
              "download of 16 bytes in graph 'result' while downloads are refused; keep the data on"
                  + " the device");
      assertThat(device.calls()).isEqualTo(before);
      other.launch(b);
      refusing.refuseDownloads(false);
    }
    assertThat(part.statistics().refusedDownloads()).isEqualTo(2);
    assertThat(part.statistics().downloads()).isZero();
    assertThat(graph.statistics().launches()).isZero();
    graph.launch(a);
    assertThat(part.statistics().downloads()).isEqualTo(1);
  }

  @Test
  void openArraysAreSummedUpByTag() {
    DeviceMemory part = gpu.memory().within(1 << 16, "part");
    try (DeviceArray<int[]> x = part.allocate(a, int[].class, 10, "keys");
        DeviceArray<int[]> y = gpu.memory().allocate(a, int[].class, 20, "keys");
        DeviceArray<int[]> z = gpu.memory().allocate(a, int[].class, 5)) {
      assertThat(x.length() + y.length() + z.length()).isEqualTo(35);
      assertThat(gpu.memory().usageByTag())
          .isEqualTo(Map.of("keys", new TagUsage(2, 120), "int[5]", new TagUsage(1, 20)));
      assertThat(part.usageByTag()).isEqualTo(Map.of("keys", new TagUsage(1, 40)));
    }
    assertThat(gpu.memory().usageByTag()).isEmpty();
  }

  @Test
  void eachStreamCountsItsWorkAndItsWaits() {
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    VectorKernels onA = VectorKernels.on(a);
    VectorKernels onB = VectorKernels.on(b);
    for (int i = 0; i < 3; i++) {
      onA.increment(x, 4);
      onB.increment(x, 4);
    }
    StreamStatistics first = gpu.statistics().streams().get(0);
    StreamStatistics second = gpu.statistics().streams().get(1);
    assertThat(first).isEqualTo(new StreamStatistics(a.id(), "stream " + a.id(), 5, 0, 2));
    assertThat(second).isEqualTo(new StreamStatistics(b.id(), "stream " + b.id(), 3, 0, 3));
    assertThat(gpu.statistics().waits()).isEqualTo(5);
    gpu.synchronize();
    assertThat(gpu.statistics().streams())
        .allMatch(stream -> stream.completed() == stream.submitted());
  }

  @Test
  void graphsTheirLaunchesAndTheNodesThatChangedAreCounted() {
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    DeviceArray<int[]> y = gpu.memory().upload(a, new int[4]);
    VectorKernels onA = VectorKernels.on(a);
    KernelGraph step = gpu.graph("step", body -> onA.increment(body.input("x", x), 4));
    KernelGraph other = gpu.graph("other", body -> x.fill(a, 1));
    device.failCall(DriverCall.CREATE_GRAPH, 1, INVALID_VALUE);
    assertThatThrownBy(() -> gpu.graph("refused", body -> x.fill(a, 1)))
        .isInstanceOf(CudaDriverException.class);
    other.recordAgain(body -> x.fill(a, 2));
    step.launch(a);
    step.bind("x", y).launch(b);
    other.close();
    assertThat(gpu.statistics().recordedGraphs()).isEqualTo(3);
    assertThat(gpu.statistics().objects().graphs()).isEqualTo(1);
    assertThat(gpu.statistics().graphLaunches()).isEqualTo(2);
    assertThat(gpu.statistics().updatedNodes()).isEqualTo(1);
    assertThat(gpu.statistics().launches()).isZero();
    step.close();
  }

  @Test
  void theDriversObjectsAreCountedEvenIfCallsFail() {
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    VectorKernels.on(b).increment(x, 4);
    device.failCall(DriverCall.CREATE_STREAM, 1, INVALID_VALUE);
    assertThatThrownBy(() -> gpu.streams().acquire()).isInstanceOf(CudaDriverException.class);
    assertThat(gpu.statistics().objects().streams()).isEqualTo(2);
    assertThat(gpu.statistics().objects().modules()).isEqualTo(1);
    assertThat(gpu.statistics().objects().hostBlocks()).isPositive();
    assertThat(gpu.statistics().objects().events()).isPositive();
    gpu.close();
    assertThat(gpu.statistics().objects()).isEqualTo(new DriverObjects(0, 0, 0, 0, 0));
  }
}
