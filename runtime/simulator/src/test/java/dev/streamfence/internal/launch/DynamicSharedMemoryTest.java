package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The dynamic shared memory that a kernel gets, in size and content, launch after launch. */
final class DynamicSharedMemoryTest {
  /** The pattern of unwritten memory. */
  private static final int FRESH = 0xCBCB_CBCB;

  /**
   * Notes its dynamic size, the first word, and whether that is there; then writes its first word,
   * which is no word of the static ones.
   */
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .extern .shared .align 16 .b8 dynamic[];
      .visible .entry probe(.param .u64 out, .param .u32 n)
      {
        .shared .align 4 .b8 fixed[20];
        .reg .b64 %out;
        .reg .b32 %r<4>;
        .reg .pred %none;
        ld.param.u64 %out, [out];
        mov.u32 %r1, %dynamic_smem_size;
        st.global.u32 [%out], %r1;
        mov.u32 %r2, 0;
        setp.lt.u32 %none, %r1, 4;
        @%none bra END;
        ld.shared.u32 %r2, [dynamic];
        st.shared.u32 [dynamic], 42;
        st.shared.u32 [fixed+16], 43;
        ld.shared.u32 %r3, [dynamic];
        st.global.u32 [%out+8], %r3;
        END:
        st.global.u32 [%out+4], %r2;
        ret;
      }
      .visible .entry reach(.param .u64 out, .param .u32 at)
      {
        .reg .b64 %out;
        .reg .b32 %r<4>;
        ld.param.u64 %out, [out];
        ld.param.u32 %r1, [at];
        mov.u32 %r2, dynamic;
        add.u32 %r2, %r2, %r1;
        ld.shared.u8 %r3, [%r2];
        st.global.u32 [%out], 1;
        ret;
      }
      """;

  private static final KernelImage IMAGE =
      KernelImage.of("dynamic.ptx", PTX.getBytes(StandardCharsets.US_ASCII));

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, 3);

  @AfterEach
  void close() {
    out.close();
    gpu.close();
  }

  private static KernelSignature probe() {
    return KernelSignature.entry("probe").writes("out", int[].class).threads("n", int.class, 1);
  }

  private LaunchRecorder recorder(KernelSignature signature) {
    return LoadedModule.of(stream, IMAGE).recorder(signature);
  }

  private void launch(LaunchRecorder kernel, int bytes) {
    try (LaunchRecorder recorder = kernel.begin()) {
      recorder.array(out).threads(1);
      if (bytes >= 0) {
        recorder.dynamicSharedBytes(bytes);
      }
      recorder.preflight().launch().commit();
    }
  }

  @Test
  void aKernelThatAsksForDynamicSharedMemoryGetsItInEachLaunch() {
    LaunchRecorder kernel = recorder(probe().dynamicSharedBytes(96));
    for (int i = 0; i < 3; i++) {
      out.fill(stream, 0);
      launch(kernel, -1);
      assertThat(out.download(stream)).containsExactly(96, FRESH, 42);
    }
  }

  @Test
  void theSizeThatOneLaunchSetsDoesNotApplyToTheNext() {
    LaunchRecorder sized = recorder(probe().dynamicSharedBytes("bytes").dynamicSharedBytes(32));
    LaunchRecorder declared = recorder(probe().dynamicSharedBytes(32));
    launch(sized, 1024);
    assertThat(out.download(stream)).containsExactly(1024, FRESH, 42);
    launch(declared, -1);
    assertThat(out.download(stream)).containsExactly(32, FRESH, 42);
    out.fill(stream, 9);
    launch(sized, 0);
    assertThat(out.download(stream)).containsExactly(0, 0, 9);
  }

  @Test
  void aByteBeyondTheSizeOfThisLaunchIsOutOfBoundsEvenIfTheLastLaunchHadIt() {
    LaunchRecorder kernel =
        recorder(
            KernelSignature.entry("reach")
                .writes("out", int[].class)
                .value("at", int.class)
                .shape("shape"));
    reach(kernel, 1023, 1024);
    assertThat(out.download(stream)).startsWith(1);
    reach(kernel, 63, 64);
    assertThatThrownBy(
            () -> {
              reach(kernel, 64, 64);
              stream.synchronize();
            })
        .isInstanceOf(CudaDriverException.class)
        .hasCauseInstanceOf(OutOfBoundsException.class)
        .hasMessageContaining("reach")
        .hasMessageContaining("outside the 64 bytes of its block's shared memory");
  }

  private void reach(LaunchRecorder kernel, int at, int bytes) {
    try (LaunchRecorder recorder = kernel.begin()) {
      recorder
          .array(out)
          .value(at)
          .shape(LaunchShape.of(1, 1).withDynamicSharedBytes(bytes))
          .preflight()
          .launch()
          .commit();
    }
  }
}
