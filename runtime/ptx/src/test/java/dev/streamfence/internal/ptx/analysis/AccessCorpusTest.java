package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the access analysis with the truth that is noted beside each kernel of its corpus. */
class AccessCorpusTest {
  private static final Map<String, List<AccessTruth>> CORPUS = AccessTruth.corpus();

  @ParameterizedTest(name = "{0}, {2}")
  @CsvSource({
    "optimized,'',declared",
    "optimized,'',undeclared",
    "debug,-debug,declared",
    "debug,-debug,undeclared"
  })
  void noDefiniteVerdictIsWrongAndFewVerdictsAreUnknown(String build, String suffix, String roles) {
    ConfusionMatrix matrix = new ConfusionMatrix();
    CORPUS.forEach(
        (file, truths) -> {
          PtxModule module = PtxModule.parse(AccessTruth.ptx(file + suffix));
          for (AccessTruth truth : truths) {
            ParameterRoles given =
                roles.equals("declared")
                    ? (parameter, offset) -> truth.parameters().get(parameter).role(offset)
                    : ParameterRoles.UNDECLARED;
            PtxEntry entry = module.entry(truth.entry()).orElseThrow();
            matrix.add(file, truth, KernelAccesses.of(module, entry, given));
          }
        });
    System.out.println("Access analysis, " + build + ", " + roles + ": " + matrix);
    matrix.unknown().forEach(each -> System.out.println("  unknown " + each));

    assertThat(matrix.wrong()).isEmpty();
    assertThat(matrix.unknownShare()).isLessThan(0.10);
    assertThat(matrix.warnedShare()).isLessThan(0.03);
    if (roles.equals("declared")) {
      // What the processor asks; without declarations there are only suggestions.
      assertThat(matrix.unknownAccessShare()).isLessThan(0.10);
    }
    assertThat(matrix.kernels()).isGreaterThanOrEqualTo(60);
  }

  @ParameterizedTest
  @CsvSource({"''", "-debug"})
  void everyEntryHasATruthAndEveryTruthAnEntry(String suffix) {
    CORPUS.forEach(
        (file, truths) -> {
          PtxModule module = PtxModule.parse(AccessTruth.ptx(file + suffix));

          assertThat(module.entries())
              .extracting(PtxEntry::name)
              .as(file + suffix)
              .containsExactlyInAnyOrderElementsOf(
                  truths.stream().map(AccessTruth::entry).toList());
          for (AccessTruth truth : truths) {
            assertThat(module.entry(truth.entry()).orElseThrow().parameters())
                .as(truth.entry())
                .hasSameSizeAs(truth.parameters());
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"''", "-debug"})
  void aPointerThatWasDeclaredANumberIsNotOverlooked(String suffix) {
    CORPUS.forEach(
        (file, truths) -> {
          PtxModule module = PtxModule.parse(AccessTruth.ptx(file + suffix));
          for (AccessTruth truth : truths) {
            PtxEntry entry = module.entry(truth.entry()).orElseThrow();
            KernelAccesses known =
                KernelAccesses.of(
                    module, entry, (p, offset) -> truth.parameters().get(p).role(offset));
            KernelAccesses numbers =
                KernelAccesses.of(module, entry, (p, offset) -> ParameterRole.NUMBER);
            for (int i = 0; i < truth.parameters().size(); i++) {
              if (known.parameter(i).verdict() != ParameterAccess.Verdict.UNKNOWN) {
                assertThat(numbers.parameter(i).verdict())
                    .as(truth.entry() + " " + truth.parameters().get(i).name())
                    .isIn(known.parameter(i).verdict(), ParameterAccess.Verdict.UNKNOWN);
              }
            }
          }
        });
  }
}
