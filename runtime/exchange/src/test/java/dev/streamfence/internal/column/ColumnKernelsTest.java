package dev.streamfence.internal.column;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.streamfence.internal.ptx.check.KernelCheck;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The runtime's own kernels are declared by hand, with what the processor writes for others. */
final class ColumnKernelsTest {
  private static byte[] ptx() {
    try (InputStream file = ColumnKernels.class.getResourceAsStream("columns.ptx")) {
      return file.readAllBytes();
    } catch (IOException e) {
      return fail(e);
    }
  }

  static List<KernelSignature> all() {
    return List.of(ColumnKernels.PACK, ColumnKernels.UNPACK, ColumnKernels.COUNT);
  }

  @Test
  void theHashIsThatOfTheCode() {
    assertThat(ColumnKernels.IMAGE.sha256()).isEqualTo(KernelImage.sha256(ptx()));
  }

  @ParameterizedTest
  @MethodSource("all")
  void theDeclarationAgreesWithTheCodeAndHasItsAnalysis(KernelSignature declared) {
    KernelCheck check = new KernelCheck(PtxModule.parse(new String(ptx(), UTF_8)));

    assertThat(check.compare(declared)).isEmpty();
    assertThat(declared.analysis()).isEqualTo(check.analysis(declared, List.of()));
  }
}
