package dev.streamfence.processor.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.model.Deprecation;
import dev.streamfence.processor.model.KernelCode;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.QualifiedName;
import dev.streamfence.processor.model.ResourceName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The generator needs no compiler; the goldens show its text for whole interfaces. */
class LauncherGeneratorTest {
  @Test
  void noLineEndsInABlankAndLinesEndInOneCharacter() {
    String source =
        new LauncherGenerator("me")
            .generate(launcher(List.of(kernel(3), kernel(40))), "", Map.of());

    assertThat(source).doesNotContain("\r", "\t").doesNotContainPattern("(?m) $");
    assertThat(source.lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void javadocThatIsTooLongForOneLineTakesSeveral() {
    String name = "K".repeat(45);
    String source =
        new LauncherGenerator("me").generate(launcher(name, List.of(kernel(0))), "", Map.of());

    assertThat(source)
        .contains("/** Launches the kernels of {@link " + name + "} on one stream. */")
        .contains("  /**\n   * The kernels of {@link " + name + "}");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 76, 77, 5000})
  void anAnalysisOfAnyLengthFitsIntoTheLines(int length) {
    String analysis = "A".repeat(length - 1) + "Z";
    KernelMethod kernel = kernel(3);

    String source =
        new LauncherGenerator("me")
            .generate(
                launcher(List.of(kernel)),
                "",
                Map.of(kernel, new KernelCode(List.of(), "", analysis)));

    assertThat(source.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    String step = source.substring(source.indexOf(".analysed("));
    String text = step.substring(0, step.indexOf(");")).replaceAll("[^AZ]", "");
    assertThat(text).isEqualTo(analysis);
  }

  @Test
  void partsGrowWithKernelsAndParameters() {
    assertThat(LauncherSize.parts(Collections.nCopies(1176, kernel(0)))).hasSize(1);
    assertThat(LauncherSize.parts(Collections.nCopies(1177, kernel(0)))).hasSize(2);
    assertThat(LauncherSize.parts(Collections.nCopies(19, kernel(253)))).hasSize(1);
    assertThat(LauncherSize.parts(Collections.nCopies(20, kernel(253)))).hasSize(2);
  }

  private static KernelInterface launcher(List<KernelMethod> kernels) {
    return launcher("K", kernels);
  }

  private static KernelInterface launcher(String name, List<KernelMethod> kernels) {
    return new KernelInterface(
        new QualifiedName("demo", List.of(name)),
        new ResourceName("k.ptx"),
        kernels,
        List.of(),
        true,
        Deprecation.NONE,
        Set.of(),
        true);
  }

  private static KernelMethod kernel(int values) {
    KernelSignature signature = KernelSignature.entry("run");
    for (int i = 0; i < values; i++) {
      signature = signature.value("value" + i, double.class);
    }
    signature = signature.threads("n", int.class, 256);
    return new KernelMethod(
        "run", signature, Map.of(), Map.of(), Map.of(), Map.of(), false, false, Deprecation.NONE);
  }
}
