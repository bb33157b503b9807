package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.ParameterAccess.Use;
import dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verdict on a parameter follows from its access sites. */
class AccessVerdictTest {
  /** A definite site in this line; null for 0. */
  private static @Nullable AccessSite definite(int line) {
    return line == 0 ? null : new AccessSite(line, "k", "ld", "", null);
  }

  private static @Nullable AccessSite possible(int line) {
    return line == 0 ? null : new AccessSite(line, "k", "ld", "who knows", null);
  }

  private static ParameterAccess of(int read, int write, int mayRead, int mayWrite) {
    Map<Use, AccessSite> sites = new EnumMap<>(Use.class);
    put(sites, Use.READ, definite(read));
    put(sites, Use.WRITE, definite(write));
    put(sites, Use.POSSIBLE_READ, possible(mayRead));
    put(sites, Use.POSSIBLE_WRITE, possible(mayWrite));
    return new ParameterAccess(sites, null);
  }

  private static void put(Map<Use, AccessSite> sites, Use use, @Nullable AccessSite site) {
    if (site != null) {
      sites.put(use, site);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, NONE, 0",
    "1, 0, 0, 0, READS, 0",
    "0, 1, 0, 0, WRITES, 0",
    "1, 2, 0, 0, READS_WRITES, 0",
    // What is definite anyway is not in doubt.
    "1, 0, 3, 0, READS, 0",
    "0, 1, 0, 3, WRITES, 0",
    "1, 2, 3, 4, READS_WRITES, 0",
    "0, 0, 3, 0, UNKNOWN, 3",
    "0, 0, 0, 4, UNKNOWN, 4",
    "1, 0, 0, 4, UNKNOWN, 4",
    "0, 1, 3, 0, UNKNOWN, 3",
    // The first in the text, and the read of two in one line.
    "0, 0, 3, 4, UNKNOWN, 3",
    "0, 0, 4, 3, UNKNOWN, 3",
    "1, 0, 2, 3, UNKNOWN, 3"
  })
  void aPossibleAccessThatIsNotDefiniteIsUnknown(
      int read, int write, int mayRead, int mayWrite, Verdict verdict, int unknown) {
    ParameterAccess access = of(read, write, mayRead, mayWrite);

    assertThat(access.verdict()).isEqualTo(verdict);
    assertThat(access.unknown().map(AccessSite::line).orElse(0)).isEqualTo(unknown);
    assertThat(access.read().map(AccessSite::line).orElse(0)).isEqualTo(read);
    assertThat(access.write().map(AccessSite::line).orElse(0)).isEqualTo(write);
    assertThat(access.possibleRead().map(AccessSite::line).orElse(0)).isEqualTo(mayRead);
    assertThat(access.possibleWrite().map(AccessSite::line).orElse(0)).isEqualTo(mayWrite);
  }

  @Test
  void twoPartsTogetherHaveTheFirstSiteOfEachKind() {
    ParameterAccess a = of(1, 8, 3, 0);
    ParameterAccess b = of(5, 2, 0, 4);

    for (ParameterAccess both : new ParameterAccess[] {a.and(b), b.and(a)}) {
      assertThat(both.read().orElseThrow().line()).isEqualTo(1);
      assertThat(both.write().orElseThrow().line()).isEqualTo(2);
      assertThat(both.possibleRead().orElseThrow().line()).isEqualTo(3);
      assertThat(both.possibleWrite().orElseThrow().line()).isEqualTo(4);
    }
  }

  @Test
  void theFirstPartsSiteCountsWhenTwoAreInOneLine() {
    ParameterAccess a = of(1, 0, 0, 0);
    ParameterAccess b = of(1, 0, 0, 0);

    assertThat(a.and(b).read().orElseThrow()).isSameAs(a.read().orElseThrow());
  }

  @Test
  void itsTextHasItsVerdictAndTheReasonsForDoubt() {
    assertThat(of(1, 0, 0, 0)).hasToString("READS");
    assertThat(of(0, 0, 0, 7)).hasToString("UNKNOWN because of ld in line 7: who knows");
  }

  @Test
  void sitesAreTheSameIfAllOfTheirPartsAre() {
    AccessSite site = new AccessSite(1, "k", "ld", "why", new SourcePosition("a.cu", 2));

    assertThat(site)
        .isEqualTo(new AccessSite(1, "k", "ld", "why", new SourcePosition("a.cu", 2)))
        .hasSameHashCodeAs(new AccessSite(1, "k", "ld", "why", new SourcePosition("a.cu", 2)))
        .isNotEqualTo(new AccessSite(2, "k", "ld", "why", new SourcePosition("a.cu", 2)))
        .isNotEqualTo(new AccessSite(1, "f", "ld", "why", new SourcePosition("a.cu", 2)))
        .isNotEqualTo(new AccessSite(1, "k", "st", "why", new SourcePosition("a.cu", 2)))
        .isNotEqualTo(new AccessSite(1, "k", "ld", "", new SourcePosition("a.cu", 2)))
        .isNotEqualTo(new AccessSite(1, "k", "ld", "why", null))
        .isNotEqualTo("ld in line 1");
    assertThat(new AccessSite(2, "k", "ld", "why", null)).doesNotHaveSameHashCodeAs(site);
  }
}
