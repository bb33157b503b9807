package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The number of threads of a launch, and its shared memory. */
final class ShapedLaunchTest extends OneStream {
  @Test
  void aShapeInThreeDimensionsReachesEveryThread() {
    LaunchShape shape = new LaunchShape(2, 3, 2, 4, 2, 2, 0);
    try (DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 12 * 16)) {
      kernels.number(values, shape);
      int[] expected = new int[12 * 16];
      Arrays.setAll(expected, i -> i / 16 * 1000 + i % 16);
      assertThat(values.download(stream)).isEqualTo(expected);
    }
  }

  @Test
  void aLaunchWithoutThreadsCallsNoDriver() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      long before = device.calls();
      kernels.increment(values, 0);
      assertThat(device.calls()).isEqualTo(before);
      assertThat(values.download(stream)).containsExactly(1);
    }
  }

  @Test
  void aNegativeNumberOfThreadsNamesTheParameter() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      assertThatThrownBy(() -> kernels.increment(values, -1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("increment")
          .hasMessageContaining("'n'")
          .hasMessageContaining("-1");
    }
  }

  @Test
  void aNumberOfThreadsBeyondItsTypeNamesTheParameter() {
    LaunchRecorder increment = VectorKernels.incrementOn(stream);
    DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 0);
    long before = device.calls();
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values);
      refuses(
          () -> recorder.threads(1L << 31),
          "increment: parameter 'n' is 2147483648; an int is at most 2147483647");
      assertRefused(recorder::preflight, KernelArgumentException.Mistake.MISSING, "increment", "n");
    }
    assertThat(device.calls()).isEqualTo(before);
  }

  @Test
  void moreThreadsThanTheDeviceAllowsAreRefusedBeforeTheLaunch() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      assertThatThrownBy(() -> kernels.reverse(values, LaunchShape.of(1, 1025)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reverse")
          .hasMessageContaining("1025")
          .hasMessageContaining("1024");
      assertThatThrownBy(() -> kernels.reverse(values, new LaunchShape(1, 70_000, 1, 1, 1, 1, 0)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("70000")
          .hasMessageContaining("65535");
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    }
  }

  @Test
  void aLaunchGetsItsDynamicSharedMemory() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3, 4, 5, 6})) {
      kernels.reverse(values, LaunchShape.of(2, 3).withDynamicSharedBytes(12));
      assertThat(values.download(stream)).containsExactly(3, 2, 1, 6, 5, 4);
    }
  }

  @Test
  void staticSharedMemoryCountsWithTheDynamicOne() {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry held()
        {
          .shared .align 4 .b8 kept[4096];
          ret;
        }
        """;
    KernelImage image = KernelImage.of("held.ptx", ptx.getBytes(US_ASCII));
    int most = Inside.driver(gpu).properties().sharedBytesPerBlockOptIn() - 4096;
    KernelSignature signature = KernelSignature.entry("held").shape("shape");
    LaunchRecorder held = LoadedModule.of(stream, image).recorder(signature);
    try (LaunchRecorder recorder = held.begin()) {
      recorder.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most + 1));
      assertThatThrownBy(recorder::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              (most + 4097) + " bytes of shared memory per block, 4096 static ones included")
          .hasMessageContaining("allows " + (most + 4096));
    }
    try (LaunchRecorder recorder = held.begin()) {
      recorder
          .shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most))
          .preflight()
          .launch()
          .commit();
    }
  }

  @Test
  void dynamicSharedMemoryBeyondTheDefaultIsAllowedUpToTheDevicesLimit() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2})) {
      kernels.reverse(values, LaunchShape.of(1, 2).withDynamicSharedBytes(100 << 10));
      assertThat(values.download(stream)).containsExactly(2, 1);
      assertThatThrownBy(
              () -> kernels.reverse(values, LaunchShape.of(1, 2).withDynamicSharedBytes(300 << 10)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reverse")
          .hasMessageContaining(Integer.toString(300 << 10))
          .hasMessageContaining(Integer.toString(227 << 10));
    }
  }

  @Test
  void oneDeclarationOfAnEntryDoesNotLowerTheSharedMemoryOfAnother() {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry twice()
        {
          ret;
        }
        """;
    KernelImage image = KernelImage.of("twice.ptx", ptx.getBytes(US_ASCII));
    LaunchRecorder large =
        LoadedModule.of(stream, image).recorder(KernelSignature.entry("twice").shape("large"));
    LaunchRecorder small =
        LoadedModule.of(stream, image).recorder(KernelSignature.entry("twice").shape("small"));
    launch(large, 100 << 10);
    launch(small, 60 << 10);
    launch(large, 100 << 10);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(3);
    assertThat(device.calls(DriverCall.ALLOW_DYNAMIC_SHARED_BYTES)).isEqualTo(1);
  }

  private static void launch(LaunchRecorder recorder, int dynamicSharedBytes) {
    try (LaunchRecorder open = recorder.begin()) {
      open.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(dynamicSharedBytes))
          .preflight()
          .launch()
          .commit();
    }
  }
}
