package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A kernel that cannot be simulated is refused when it is launched; others of its module run. */
final class RefusedKernelsTest {
  private static final String MODULE =
      """
      .version 8.4
      .target sm_80
      .address_size 64
      .extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
      .visible .entry decide(.param .u64 values)
      {
        .param .b64 handle;
        .param .b32 value;
        call.uni cudaGraphSetConditional, (handle, value);
        ret;
      }
      .visible .entry multiply(.param .u64 values)
      {
        wgmma.fence.sync.aligned;
        ret;
      }
      .visible .entry set(.param .u64 values)
      {
        .reg .b64 %a;
        ld.param.u64 %a, [values];
        st.global.u32 [%a], 7;
        ret;
      }
      """;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final LoadedModule module =
      LoadedModule.of(stream, KernelImage.of("kernels/mixed.ptx", MODULE.getBytes(US_ASCII)));
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[1]);

  @AfterEach
  void nothingIsLeft() {
    values.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void launch(String kernel) {
    LaunchRecorder kept =
        module.recorder(
            KernelSignature.entry(kernel).readWrites("values", int[].class).shape("shape"));
    try (LaunchRecorder recorder = kept.begin()) {
      recorder.array(values).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
    }
  }

  private void assertRefused(String kernel, String... facts) {
    assertThatThrownBy(() -> launch(kernel))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ResultCode.NOT_SUPPORTED);
              assertThat(e.isSticky()).isFalse();
            })
        .hasCauseInstanceOf(KernelLoadException.class)
        .hasMessageStartingWith(
            "cuLaunchKernel answered CUDA_ERROR_NOT_SUPPORTED (801) during the launch of "
                + kernel
                + " on stream 1: kernels/mixed.ptx: the simulated device cannot run kernel "
                + kernel
                + "; line ")
        .hasMessageContainingAll(facts);
  }

  @Test
  void aCallOfAFunctionWithoutABodyRefusesItsOwnKernelAlone() {
    assertRefused("decide", "line 9", "'cudaGraphSetConditional' has no body");
    launch("set");
    assertThat(values.download(stream)).containsExactly(7);
  }

  @Test
  void anInstructionThatIsNotSimulatedRefusesItsOwnKernelAlone() {
    assertRefused("multiply", "line 14", "'wgmma.fence.sync.aligned'");
    launch("set");
    assertRefused("multiply", "line 14");
    assertThat(values.download(stream)).containsExactly(7);
  }
}
