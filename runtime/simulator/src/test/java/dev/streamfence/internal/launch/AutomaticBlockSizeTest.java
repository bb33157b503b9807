package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Block sizes that are chosen when a kernel is loaded, on a device with 1536 threads. */
final class AutomaticBlockSizeTest {
  /** Each thread writes the size of its block. */
  private static final String KERNEL =
      """
      .visible .entry %s(.param .u64 sizes, .param .u32 n) %s
      {
        .reg .pred %%p<2>;
        .reg .b32 %%r<8>;
        .reg .b64 %%rd<4>;
        ld.param.u64 %%rd1, [sizes];
        ld.param.u32 %%r5, [n];
        mov.u32 %%r1, %%tid.x;
        mov.u32 %%r2, %%ntid.x;
        mov.u32 %%r3, %%ctaid.x;
        mad.lo.s32 %%r4, %%r3, %%r2, %%r1;
        setp.ge.s32 %%p1, %%r4, %%r5;
        @%%p1 ret;
        mul.wide.s32 %%rd2, %%r4, 4;
        add.s64 %%rd3, %%rd1, %%rd2;
        st.global.u32 [%%rd3], %%r2;
        %s
        ret;
      }
      """;

  private static final String TILED =
      "mov.u32 %r6, tile; add.s32 %r7, %r6, %r1; st.shared.u8 [%r7], 1;";

  private static final KernelImage IMAGE =
      KernelImage.of(
          "blocks.ptx",
          (".version 7.0\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 tile[1024];\n"
                  + KERNEL.formatted("any", "", "")
                  + KERNEL.formatted("atMost200", ".maxntid 200", "")
                  + KERNEL.formatted("exactly96", ".reqntid 96", TILED)
                  + KERNEL.formatted("square", ".reqntid 16, 16", "")
                  + KERNEL.formatted("tiled", "", TILED))
              .getBytes(US_ASCII));

  private final SimulatedDevice device =
      SimulatedDevice.builder()
          .threadsPerMultiprocessor(1536)
          .sharedBytesPerMultiprocessor(100 << 10)
          .build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final LoadedModule module = LoadedModule.of(stream, IMAGE);

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static KernelSignature automatic(String entry) {
    return KernelSignature.entry(entry).writes("sizes", int[].class).threads("n", int.class);
  }

  private int blockSize(KernelSignature signature) {
    try (DeviceArray<int[]> sizes = gpu.memory().allocate(stream, int[].class, 1000)) {
      launch(module.recorder(signature), sizes);
      int[] all = sizes.download(stream);
      assertThat(all).containsOnly(all[0]);
      return all[0];
    }
  }

  private static void launch(LaunchRecorder recorder, DeviceArray<int[]> sizes) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(sizes).threads(1000).preflight().launch().commit();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "any,       0,     768",
    "any,       60000, 1024",
    "atMost200, 0,     192",
    "exactly96, 0,     96",
  })
  void theDriverSuggestsItWithinTheLimitsOfTheKernel(String entry, int shared, int size) {
    KernelSignature signature = automatic(entry).dynamicSharedBytes(shared);

    assertThat(signature.blockSize()).isZero();
    assertThat(signature.hasAutomaticBlockSize()).isTrue();
    assertThat(blockSize(signature)).isEqualTo(size);
    assertThat(module.occupancy(entry).suggestedBlockSize(shared)).isEqualTo(size);
  }

  @Test
  void itIsChosenOnceAndNoLaunchAsks() {
    KernelSignature signature = automatic("any");
    LaunchRecorder recorder = module.recorder(signature);
    assertThat(device.calls(DriverCall.SUGGESTED_BLOCK_SIZE)).isEqualTo(1);
    module.recorder(signature);
    LoadedModule.of(gpu.streams().acquire(), IMAGE).recorder(signature);
    try (DeviceArray<int[]> sizes = gpu.memory().allocate(stream, int[].class, 1000)) {
      launch(recorder, sizes);
      long before = device.calls();

      launch(recorder, sizes);

      assertThat(device.calls() - before).isEqualTo(1);
    }
    assertThat(device.calls(DriverCall.SUGGESTED_BLOCK_SIZE)).isEqualTo(1);
    assertThat(device.calls(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR)).isZero();
  }

  @Test
  void codeWithATileIsRefusedWhenItIsLoaded() {
    assertThatThrownBy(() -> module.recorder(automatic("tiled")))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "tiled has an automatic block size, but its code is written for one: st.shared.u8 in"
                + " line")
        .hasMessageContaining("the address in shared memory 'tile' is computed from %tid");
  }

  @Test
  void codeForBlocksOfTwoDimensionsIsRefusedWhenItIsLoaded() {
    assertThatThrownBy(() -> module.recorder(automatic("square")))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "square is launched with blocks of one dimension; the kernel allows exactly 16 x 16 x"
                + " 1");
  }

  @Test
  void moreSharedMemoryThanABlockCanHaveIsRefusedWhenTheKernelIsLoaded() {
    KernelSignature signature = automatic("any").dynamicSharedBytes(100 << 10);

    assertThatThrownBy(() -> module.recorder(signature))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("any: no block fits on simulated device")
        .hasMessageContaining("102400 bytes of dynamic shared memory and 1024 static ones");
  }

  @Test
  void aSizeOfSharedMemoryThatComesLaterIsRefused() {
    KernelSignature signature = automatic("any").dynamicSharedBytes("shared");

    assertThatThrownBy(() -> module.recorder(signature))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "any: the block size is chosen when the kernel is loaded, and 'shared' sets its shared"
                + " memory later; give a block size");
  }
}
