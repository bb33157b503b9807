package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Structures with as many fields as one may have, and about as many. */
final class LargestStructTest {
  private static final int MOST = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** A kernel that copies a structure of ints to an array, field by field. */
  private LaunchRecorder recorder(int fields) {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < fields; i++) {
      body.append("ld.param.u32 %r1, [fields+").append(4 * i).append("];\n");
      body.append("st.global.u32 [%rd2+").append(4 * i).append("], %r1;\n");
    }
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry spread(
          .param .align 4 .b8 fields[%d],
          .param .u64 out
        )
        {
          .reg .b64 %%rd<3>;
          .reg .b32 %%r<2>;
          ld.param.u64 %%rd1, [out];
          cvta.to.global.u64 %%rd2, %%rd1;
        %s  ret;
        }
        """
            .formatted(4 * fields, body);
    KernelSignature signature =
        KernelSignature.entry("spread")
            .struct("fields", ints(fields))
            .writes("out", int[].class)
            .shape("shape");
    KernelImage image = KernelImage.of("spread.ptx", ptx.getBytes(US_ASCII));
    return LoadedModule.of(stream, image).recorder(signature);
  }

  private static Class<?>[] ints(int fields) {
    return Collections.nCopies(fields, int.class).toArray(new Class<?>[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 33, 63, MOST})
  void everyFieldReachesTheKernel(int fields) {
    try (DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, fields)) {
      try (LaunchRecorder open = recorder(fields).begin()) {
        open.struct(this);
        for (int i = 0; i < fields; i++) {
          open.value(100 + i);
        }
        open.array(out).shape(LaunchShape.of(1, 1)).preflight().launch().commit();
      }
      assertThat(out.download(stream)).isEqualTo(IntStream.range(100, 100 + fields).toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31, 32, 62, MOST - 1})
  void anyMissingFieldIsRefused(int missing) {
    try (LaunchRecorder open = recorder(MOST).begin()) {
      open.struct(this);
      IntStream.range(0, missing).forEach(i -> open.value(i));
      assertThatThrownBy(open::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spread: parameter 'fields.#" + missing + "' was not passed");
    }
  }

  @Test
  void oneMoreFieldIsRefused() {
    KernelSignature signature = KernelSignature.entry("spread");
    Class<?>[] tooMany = Arrays.copyOf(ints(MOST), MOST + 1);
    tooMany[MOST] = int.class;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> signature.struct("fields", tooMany))
        .withMessageContaining("65 fields; it has from 1 to 64");
  }
}
