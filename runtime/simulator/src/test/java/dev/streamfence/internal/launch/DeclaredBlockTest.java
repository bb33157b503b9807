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
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels whose interface requires one block, because their code is written for it. */
final class DeclaredBlockTest {
  /** Writes its thread to a tile of 256, waits, and adds up the tile: the classic mistake. */
  private static final KernelImage IMAGE =
      KernelImage.of(
          "tile.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry sum(.param .u64 out)
          {
            .shared .align 4 .b8 tile[1024];
            .reg .pred %p<3>;
            .reg .b32 %r<8>;
            .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [out];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, tile;
            add.s32 %r4, %r3, %r2;
            st.shared.u32 [%r4], 1;
            bar.sync 0;
            setp.ne.u32 %p1, %r1, 0;
            @%p1 ret;
            mov.u32 %r5, 0;
            mov.u32 %r6, 0;
          next:
            ld.shared.u32 %r7, [%r3];
            add.s32 %r5, %r5, %r7;
            add.s32 %r3, %r3, 4;
            add.s32 %r6, %r6, 1;
            setp.lt.u32 %p2, %r6, 256;
            @%p2 bra next;
            st.global.u32 [%rd1], %r5;
            ret;
          }
          .visible .entry small(.param .u64 out) .maxntid 128 { ret; }
          """
              .getBytes(US_ASCII));

  private static final KernelSignature SUM =
      KernelSignature.entry("sum").writes("out", int[].class).shape("shape");

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final LoadedModule module = LoadedModule.of(stream, IMAGE);
  private final DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, 1);

  @AfterEach
  void close() {
    out.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void launch(LaunchRecorder recorder, LaunchShape shape) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(out).shape(shape).preflight().launch().commit();
    }
  }

  @Test
  void withoutTheRequirementHalfATileGivesAWrongSum() {
    launch(module.recorder(SUM), LaunchShape.of(1, 256));
    assertThat(out.download(stream)).containsExactly(256);

    launch(module.recorder(SUM), LaunchShape.of(1, 128));

    assertThat(out.download(stream)[0]).isNotEqualTo(256);
  }

  @ParameterizedTest
  @CsvSource({"128, 1, 1", "512, 1, 1", "16, 16, 1", "1, 256, 1", "256, 1, 2"})
  void anotherBlockIsRefusedWithBothBeforeAnythingIsQueued(int x, int y, int z) {
    LaunchRecorder recorder = module.recorder(SUM.requiredBlock(256, 1, 1));
    long before = device.calls();

    assertThatThrownBy(() -> launch(recorder, new LaunchShape(1, 1, 1, x, y, z, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "sum: blocks of %d x %d x %d threads; the interface requires 256 x 1 x 1", x, y, z);

    assertThat(device.calls()).isEqualTo(before);
    launch(recorder, LaunchShape.of(1, 256));
    assertThat(out.download(stream)).containsExactly(256);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(1);
  }

  @Test
  void aRequirementThatTheCodeDoesNotAllowIsRefusedWhenItIsLoaded() {
    KernelSignature signature =
        KernelSignature.entry("small")
            .readWrites("out", int[].class)
            .shape("shape")
            .requiredBlock(16, 16, 1);

    assertThatThrownBy(() -> module.recorder(signature))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "small requires blocks of 16 x 16 x 1 threads; the kernel allows 128");
  }

  @Test
  void aCountOfThreadsWithOtherBlocksIsRefused() {
    KernelSignature required = KernelSignature.entry("sum").requiredBlock(256, 1, 1);

    assertThatThrownBy(() -> required.threads("n", int.class, 128).requireComplete())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sum: launches have blocks of 128 threads; the kernel requires 256 x 1 x 1");
    assertThatThrownBy(() -> required.threads("n", int.class).requireComplete())
        .hasMessage("sum: launches have an automatic block size; the kernel requires 256 x 1 x 1");
    required.threads("n", int.class, 256).requireComplete();
    assertThatThrownBy(() -> required.requiredBlock(16, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a block of 16 x 0 x 1 threads; each size is at least 1");
  }
}
