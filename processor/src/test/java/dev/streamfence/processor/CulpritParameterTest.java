package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.LOADS_THROUGH_WRITES;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.STORES_THROUGH_READS;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The faulty parameter is found even though the kernel does not receive all earlier ones. */
class CulpritParameterTest {
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry copy(.param .u64 source, .param .u64 target, .param .u32 n)
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [source];
        ld.param.u64 %rd2, [target];
        cvta.to.global.u64 %rd3, %rd1;
        cvta.to.global.u64 %rd4, %rd2;
        ld.global.u32 %r1, [%rd3];
        st.global.u32 [%rd4], %r1;
        ret;
      }
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LaunchShape s, @Reads DeviceArray<int[]> a, @Reads DeviceArray<int[]> «b, int n",
        "@Reads DeviceArray<int[]> a, LaunchShape s, @Reads DeviceArray<int[]> «b, int n",
        "@Reads DeviceArray<int[]> a, @Reads DeviceArray<int[]> «b, LaunchShape s, int n",
        "@DynamicSharedBytes int s, @Reads DeviceArray<int[]> a, @Reads DeviceArray<int[]> «b,"
            + " @ThreadCount int n",
        "@Reads DeviceArray<int[]> a, @DynamicSharedBytes int s, @Reads DeviceArray<int[]> «b,"
            + " @ThreadCount int n",
      })
  void parameterThatIsStoredToIsTheCulprit(String parameters) {
    in(parameters).are(STORES_THROUGH_READS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LaunchShape s, @Writes DeviceArray<int[]> «a, @Writes DeviceArray<int[]> b, int n",
        "@DynamicSharedBytes int s, @Writes DeviceArray<int[]> «a, @Writes DeviceArray<int[]> b,"
            + " @ThreadCount int n",
      })
  void parameterThatIsLoadedFromIsTheCulprit(String parameters) {
    in(parameters).are(LOADS_THROUGH_WRITES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LaunchShape s, @Reads DeviceArray<int[]> a, DeviceArray<int[]> «b, int n",
        "@Reads DeviceArray<int[]> a, @DynamicSharedBytes int s, DeviceArray<int[]> «b,"
            + " @ThreadCount int n",
      })
  void missingAccessIsSuggestedForTheRightParameter(String parameters) {
    in(parameters)
        .are(
            MISSING_ACCESS,
            "parameter 'b' of copy needs @Reads, @Writes or @ReadWrites; its code says @Writes");
  }

  private Mistakes in(String parameters) {
    return Mistakes.in(
        Resources.in(folder).with("k.ptx", PTX),
        Sources.kernels("@Kernel void copy(" + parameters + ");"));
  }
}
