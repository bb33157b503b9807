package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the simulated device says of launches that touch an array only in words narrower than its
 * elements. It sees strides that the code alone does not show.
 */
final class WordWatchTest {
  /** The index of the thread comes from memory, where the analysis of the code cannot follow. */
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry gather(.param .u64 values, .param .u64 indexes)
      {
        .reg .b16 %h<3>;
        .reg .b32 %r<5>;
        .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [values];
        ld.param.u64 %rd2, [indexes];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.s64 %rd4, %rd2, %rd3;
        ld.global.u32 %r2, [%rd4];
        mul.wide.u32 %rd5, %r2, 4;
        add.s64 %rd6, %rd1, %rd5;
        .loc 1 7 0
      BODY
        ret;
      }
      .file 1 "gather.cu"
      """;

  private static <A> List<String> warnings(
      String body, Class<A> type, int threads, int... indexes) {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.SIMULATION);
        DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build())) {
      DeviceStream stream = gpu.streams().acquire();
      KernelImage image =
          KernelImage.of("gather.ptx", PTX.replace("BODY", body).getBytes(US_ASCII));
      KernelSignature gather =
          KernelSignature.entry("gather")
              .readWrites("values", type)
              .reads("indexes", int[].class)
              .shape("shape");
      LaunchRecorder launcher = LoadedModule.of(stream, image).recorder(gather);
      try (DeviceArray<A> values = gpu.memory().allocateZeroed(stream, type, 64);
          DeviceArray<int[]> at = gpu.memory().upload(stream, indexes)) {
        for (int i = 0; i < 2; i++) {
          try (LaunchRecorder recorder = launcher.begin()) {
            recorder
                .array(values)
                .array(at)
                .shape(LaunchShape.of(1, threads))
                .preflight()
                .launch()
                .commit();
          }
        }
        stream.synchronize();
      }
      return log.messages();
    }
  }

  @Test
  void anArrayOfWiderElementsThanTheWordsIsWarnedOfOncePerParameter() {
    String body = "ld.global.u32 %r3, [%rd6]; st.global.u32 [%rd6], %r3;";
    assertThat(warnings(body, long[].class, 4, 0, 1, 2, 3))
        .singleElement()
        .asString()
        .startsWith("gather on stream 1: parameter 'values' is long[64] in allocation")
        .contains(
            ", whose elements have 8 bytes, but the kernel only touches words of 4 bytes at a stride"
                + " of 4 (ld.global.u32 in line 18 of gather.ptx, gather.cu:7)");
  }

  @Test
  void fourWordsSideBySideAreEnough() {
    assertThat(warnings("ld.global.u32 %r3, [%rd6];", long[].class, 4, 0, 1, 2, 3)).hasSize(1);
    assertThat(warnings("ld.global.u32 %r3, [%rd6];", long[].class, 4, 3, 2, 1, 0)).hasSize(1);
  }

  @Test
  void anArrayOfTheRightTypeIsNot() {
    String body = "ld.global.u32 %r3, [%rd6]; st.global.u32 [%rd6], %r3;";
    assertThat(warnings(body, int[].class, 4, 0, 1, 2, 3)).isEmpty();
    assertThat(warnings(body, float[].class, 4, 0, 1, 2, 3)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "packed pairs         | 4 | ld.global.u32 %r3, [%rd6];                     | 0 2 4 6",
        "scattered words      | 4 | ld.global.u32 %r3, [%rd6];                     | 3 2 1 5",
        "too few words        | 3 | ld.global.u32 %r3, [%rd6];                     | 0 1 2",
        "vectors              | 4 | ld.global.v2.u32 {%r3, %r4}, [%rd6];           | 0 2 4 6",
        "vectors side by side | 4 | ld.global.v2.u16 {%h1, %h2}, [%rd6];           | 0 1 2 3",
        "atomics              | 4 | atom.global.add.u32 %r3, [%rd6], 1;            | 0 1 2 3",
        "single bytes         | 4 | ld.global.u8 %h1, [%rd6];                      | 0 1 2 3",
        "an element as well   | 4 | ld.global.u32 %r3, [%rd6]; ld.global.u64 %rd7, [%rd1]; | 0 1 2 3",
        "another width        | 4 | ld.global.u32 %r3, [%rd6]; ld.global.u16 %h1, [%rd1]; | 0 1 2 3",
        "one word             | 4 | ld.global.u32 %r3, [%rd6];                     | 0 0 0 0",
      })
  void nothingElseIs(String what, int threads, String body, String indexes) {
    int[] at = Arrays.stream(indexes.split(" ")).mapToInt(Integer::parseInt).toArray();
    assertThat(warnings(body, long[].class, threads, at)).as(what).isEmpty();
  }
}
