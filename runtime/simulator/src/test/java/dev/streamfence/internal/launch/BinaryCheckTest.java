package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Binaries that no compiler has seen, whose parameters are compared when they are loaded. */
final class BinaryCheckTest {
  private static final KernelImage IMAGE =
      KernelImage.resource(
          "sizes.cubin",
          name ->
              Objects.requireNonNull(
                  BinaryCheckTest.class.getResourceAsStream(
                      "/dev/streamfence/internal/ptx/sizes.sm_90.cubin")));

  @Test
  void aParameterOfAnotherSizeIsRefusedByName() {
    KernelSignature narrow =
        KernelSignature.entry("move")
            .readWrites("positions", float[].class)
            .struct("box", float.class, float.class, boolean.class)
            .value("seconds", float.class)
            .threads("n", int.class, 256);
    // The driver that takes any image stands for a GPU, which takes binaries.
    try (DeviceRuntime gpu = AnyImageDriver.open(RuntimeOptions.defaults())) {
      LoadedModule module = LoadedModule.of(gpu.streams().acquire(), IMAGE);
      assertThatThrownBy(() -> module.recorder(narrow))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("parameter 'seconds'")
          .hasMessageContaining("has 4 bytes; parameter 3 of the kernel has 8");
    }
  }
}
