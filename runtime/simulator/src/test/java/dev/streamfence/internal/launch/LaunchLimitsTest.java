package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Launches up to each limit of a device, and one beyond it. */
final class LaunchLimitsTest {
  private static final KernelImage IMAGE =
      KernelImage.of(
          "limits.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry k() { ret; }
          .visible .entry counted(.param .u64 n) { ret; }
          """
              .getBytes(US_ASCII));

  private final LimitedDevice device = new LimitedDevice();
  private final DeviceRuntime gpu = device.open();
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static KernelSignature k() {
    return KernelSignature.entry("k").shape("shape");
  }

  private static KernelSignature counted() {
    return KernelSignature.entry("counted").threads("n", long.class, 8);
  }

  private LaunchRecorder recorder(KernelSignature signature) {
    return LoadedModule.of(stream, IMAGE).recorder(signature);
  }

  private static void launch(LaunchRecorder recorder, Consumer<LaunchRecorder> arguments) {
    try (LaunchRecorder launch = recorder.begin()) {
      arguments.accept(launch);
      launch.preflight().launch().commit();
    }
  }

  private static LaunchShape shape(String sizes, int dynamicShared) {
    String[] size = sizes.split(" ");
    return new LaunchShape(
        Integer.parseInt(size[0]),
        Integer.parseInt(size[1]),
        Integer.parseInt(size[2]),
        Integer.parseInt(size[3]),
        Integer.parseInt(size[4]),
        Integer.parseInt(size[5]),
        dynamicShared);
  }

  @ParameterizedTest
  @CsvSource({
    "7 1 1 1 1 1, 8 1 1 1 1 1, 8 blocks in x, 7",
    "1 6 1 1 1 1, 1 7 1 1 1 1, 7 blocks in y, 6",
    "1 1 5 1 1 1, 1 1 6 1 1 1, 6 blocks in z, 5",
    "1 1 1 32 1 1, 1 1 1 33 1 1, 33 threads per block in x, 32",
    "1 1 1 1 16 1, 1 1 1 1 17 1, 17 threads per block in y, 16",
    "1 1 1 1 1 4, 1 1 1 1 1 5, 5 threads per block in z, 4",
    "1 1 1 4 4 4, 1 1 1 11 2 3, 66 threads per block, 64"
  })
  void aLaunchMayReachALimitAndNotExceedIt(String most, String more, String what, String limit) {
    LaunchRecorder recorder = recorder(k());

    launch(recorder, launch -> launch.shape(shape(most, 0)));
    assertThat(device.asked()).containsExactly("launch " + most + " 0");

    assertThatThrownBy(() -> launch(recorder, launch -> launch.shape(shape(more, 0))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("k: " + what + "; the kernel on simulated device allows " + limit);
    assertThat(device.asked()).isEmpty();
  }

  @Test
  void defaultSharedMemoryTakesNoDriverCall() {
    LaunchRecorder recorder = recorder(k());
    int most = LimitedDevice.SHARED - LimitedDevice.STATIC_SHARED;

    launch(recorder, launch -> launch.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most)));

    assertThat(device.asked()).containsExactly("launch 1 1 1 1 1 1 " + most);
  }

  @Test
  void moreSharedMemoryIsRequestedOnceAndAgainOnlyForMore() {
    LaunchRecorder recorder = recorder(k());
    int most = LimitedDevice.SHARED_OPT_IN - LimitedDevice.STATIC_SHARED;

    for (int bytes : new int[] {769, 769, 700, most}) {
      launch(recorder, launch -> launch.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(bytes)));
    }

    assertThat(device.asked())
        .containsExactly(
            "allow 769",
            "launch 1 1 1 1 1 1 769",
            "launch 1 1 1 1 1 1 769",
            "launch 1 1 1 1 1 1 700",
            "allow " + most,
            "launch 1 1 1 1 1 1 " + most);
    assertThatThrownBy(
            () ->
                launch(
                    recorder,
                    launch -> launch.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most + 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "k: 2049 bytes of shared memory per block, 256 static ones included; the kernel on"
                + " simulated device allows 2048");
    assertThat(device.asked()).isEmpty();
  }

  @Test
  void sharedMemoryComesFromTheLaunchOrElseFromTheSignature() {
    KernelSignature declared = counted().dynamicSharedBytes(100);
    LaunchRecorder sized = recorder(declared.dynamicSharedBytes("shared"));

    launch(sized, launch -> launch.threads(1).dynamicSharedBytes(200));
    launch(sized, launch -> launch.threads(1).dynamicSharedBytes(0));
    launch(recorder(declared), launch -> launch.threads(1));
    launch(recorder(k().dynamicSharedBytes(100)), launch -> launch.shape(LaunchShape.of(1, 1)));

    assertThat(device.asked())
        .containsExactly(
            "launch 1 1 1 8 1 1 200",
            "launch 1 1 1 8 1 1 0",
            "launch 1 1 1 8 1 1 100",
            "launch 1 1 1 1 1 1 0");
  }

  @Test
  void sharedMemoryOfANegativeSizeNamesTheParameter() {
    LaunchRecorder recorder = recorder(counted().dynamicSharedBytes("shared"));

    assertThatThrownBy(() -> launch(recorder, launch -> launch.threads(1).dynamicSharedBytes(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "counted: parameter 'shared' is -1; dynamic shared memory has at least 0 bytes");
    launch(recorder, launch -> launch.threads(1).dynamicSharedBytes(0));
    assertThat(device.asked()).hasSize(1);
  }

  @Test
  void threadsAreRoundedUpToBlocksWithoutOverflow() {
    LaunchRecorder recorder = recorder(counted());

    for (long threads : new long[] {1, 8, 9, 56}) {
      launch(recorder, launch -> launch.threads(threads));
    }

    assertThat(device.asked())
        .containsExactly(
            "launch 1 1 1 8 1 1 0",
            "launch 1 1 1 8 1 1 0",
            "launch 2 1 1 8 1 1 0",
            "launch 7 1 1 8 1 1 0");
    assertThatThrownBy(() -> launch(recorder, launch -> launch.threads(8L << 32)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4294967296 blocks in x");
  }

  @Test
  void aLaunchWithoutThreadsOrWithNoShapeIsRefused() {
    LaunchRecorder recorder = recorder(k());
    launch(recorder, launch -> launch.shape(LaunchShape.of(1, 1)));

    assertRefused(
        () -> launch(recorder, launch -> {}),
        KernelArgumentException.Mistake.MISSING,
        "k",
        "shape");
    assertRefused(
        () -> launch(recorder, launch -> launch.shape(null)),
        KernelArgumentException.Mistake.NULL,
        "k",
        "shape");
  }

  @ParameterizedTest
  @CsvSource({"0 1 1 1 1 1", "1 0 1 1 1 1", "1 1 0 1 1 1"})
  void aGridWithoutBlocksIsNotLaunched(String empty) {
    LaunchRecorder recorder = recorder(k());

    launch(recorder, launch -> launch.shape(shape(empty, 0)));

    assertThat(device.asked()).isEmpty();
  }

  @Test
  void cooperativeBlocksAreCountedInAllDimensions() {
    LaunchRecorder recorder = recorder(k().cooperative());

    launch(recorder, launch -> launch.shape(shape("2 3 4 2 2 2", 0)));
    assertThat(device.asked()).containsExactly("fit 8 threads, 0 bytes", "launch 2 3 4 2 2 2 0");

    assertThatThrownBy(() -> launch(recorder, launch -> launch.shape(shape("5 5 1 2 2 2", 0))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("25 blocks that run at the same time")
        .hasMessageEndingWith("allows 24");
  }

  @Test
  void theOccupancyIsQueriedAgainForOtherBlocks() {
    LaunchRecorder recorder = recorder(k().cooperative());

    for (LaunchShape shape :
        new LaunchShape[] {
          LaunchShape.of(1, 4),
          LaunchShape.of(2, 4),
          LaunchShape.of(2, 4).withDynamicSharedBytes(16),
          LaunchShape.of(2, 8).withDynamicSharedBytes(16)
        }) {
      launch(recorder, launch -> launch.shape(shape));
    }

    assertThat(device.asked().stream().filter(asked -> asked.startsWith("fit")))
        .containsExactly(
            "fit 4 threads, 0 bytes", "fit 4 threads, 16 bytes", "fit 8 threads, 16 bytes");
  }
}
