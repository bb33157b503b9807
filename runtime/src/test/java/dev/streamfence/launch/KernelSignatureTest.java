package dev.streamfence.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import org.junit.jupiter.api.Test;

/** What a signature says, and what it says when parts are left out. */
final class KernelSignatureTest {
  @Test
  void aKernelThatMayAliasReadsAndWritesOneArrayThroughTwoParameters() {
    KernelSignature aliased =
        KernelSignature.entry("saxpy")
            .value("a", float.class)
            .buffer("x", ElementType.FLOAT, Access.READ)
            .buffer("y", ElementType.FLOAT, Access.READ_WRITE)
            .threadCount("n", int.class)
            .mayAlias()
            .build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder saxpy = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(aliased);
      try (DeviceArray<float[]> both = gpu.memory().upload(stream, new float[] {1, 2, 3})) {
        try (LaunchRecorder recorder = saxpy.begin()) {
          recorder.value(0, 2f);
          recorder.reads(1, both);
          recorder.readWrites(2, both);
          recorder.value(3, 3);
          recorder.threads(3);
          recorder.preflight();
          recorder.launch();
          recorder.commit();
        }
        assertThat(both.download(stream)).containsExactly(3, 6, 9);
      }
    }
  }

  @Test
  void dynamicSharedMemoryMayBeNoneButNotLess() {
    KernelSignature.Builder builder = KernelSignature.entry("k");
    assertThat(builder.dynamicSharedBytes(0).build().dynamicSharedBytes()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.dynamicSharedBytes(-1))
        .withMessage("k: -1 bytes of dynamic shared memory; the size is at least 0");
  }

  @Test
  void parametersThatTheKernelDoesNotReceiveHaveTheirNameOrADefaultOne() {
    KernelSignature named =
        KernelSignature.entry("k").launchShape("grid").dynamicSharedBytesParameter("tile").build();
    assertThat(named.launchShape()).isEqualTo("grid");
    assertThat(named.dynamicSharedBytesParameter()).isEqualTo("tile");
    KernelSignature unnamed =
        KernelSignature.entry("k").launchShape("").dynamicSharedBytesParameter(" ").build();
    assertThat(unnamed.launchShape()).isEqualTo("shape");
    assertThat(unnamed.dynamicSharedBytesParameter()).isEqualTo("dynamicSharedBytes");
  }
}
