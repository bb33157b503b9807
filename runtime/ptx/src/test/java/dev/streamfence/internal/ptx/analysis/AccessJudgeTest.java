package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.AddressJudge;
import dev.streamfence.internal.ptx.analysis.lattice.Sums;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parameter whose memory contains an address, in the notation of {@link Sums}. */
class AccessJudgeTest {
  private static final String MODULE =
      """
      .version 8.0
      .target sm_90
      .address_size 64
      .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,
               .param .align 8 .b8 s[32]) { ret; }
      """;

  private static AddressJudge judge(String address) {
    return AddressJudge.of(Sums.of(address));
  }

  private static String doubt(String address) {
    PtxEntry entry = PtxModule.parse(MODULE).entries().get(0);
    return judge(address)
        .doubt(new EntryParameters(entry, 8, ParameterRoles.UNDECLARED, List.of())::describe);
  }

  @ParameterizedTest
  @CsvSource({
    "p,              p",
    "~p,             p",
    "p n,            p",
    "p *n,           p",
    "p x,            p",
    "p ?n,           p",
    "p ?x,           p",
    "p *q,           p",
    "p foreign,      p",
    "p loaded,       p",
    "p *s,           p",
    "?p,             p",
    "?p n,           p",
    "?p /n,          p",
    "?p ?n,          p",
    "?p loaded,      p",
    "p | 0,          p",
    "0 | p n,        p",
    "p | ~p,         p",
    "x,              x",
    "x n,            x",
    "x *y,           x",
    "x *n,           x",
    "x loaded,       x",
    "?x,             x",
    "x ?n,           x",
    "*y ?n x,        x",
    "n,              n",
    "n *m,           n",
    "n i,            n",
    "n /m,           n",
    "?n,             n",
    "?n i,           n",
    "?n *m,          nm?",
    "i,              i",
    "i j,            ij?",
    "?i ?n,          n"
  })
  void theBaseIsABufferElseAnUndeclaredParameterElseANumber(String address, String parameters) {
    assertVerdict(address, parameters);
  }

  @ParameterizedTest
  @CsvSource({
    "p q,            pq?",
    "p | q,          pq?",
    "?p ?q,          pq?",
    "p ?q,           pq?",
    "p /q,           pq?",
    "~p /q,          pq?",
    "p /n,           p",
    "x y,            xy?",
    "?x ?y,          xy?",
    "x /y,           xy?",
    "p q ?x,         pqx?",
    "p q x,          pq?",
    "n m,            nm?",
    "n x,            x",
    "n *x,           nx?",
    "n -p,           pn?",
    "/p,             p?",
    "*p,             p?",
    "*p *q,          pq?",
    "*p *n,          p?",
    "*n,             n?",
    "-n *m,          nm?",
    "?p foreign,     p?",
    "x foreign,      x?",
    "?x foreign,     x?",
    "?n *x,          x",
    "n foreign,      n?",
    "i foreign,      ?",
    "i n foreign,    n?",
    "n loaded,       n?",
    "?n loaded,      n?",
    "*n loaded,      n?",
    "x n loaded,     x",
    "*p foreign,     ?",
    "p | n,          pn?",
    "?p | x,         px?"
  })
  void anAddressOfTwoPossibleBasesIsInDoubt(String address, String parameters) {
    assertVerdict(address, parameters);
  }

  @ParameterizedTest
  @CsvSource({
    "0,              ''",
    "number,         ?",
    "8,              ?",
    "foreign,        ?",
    "nothing,        ''",
    "s 8,            ?",
    "s n,            ?",
    "s *p,           ?",
    "s p,            p?",
    "s ?p,           p?",
    "s ?x,           ?",
    "s x,            ?",
    "s /p,           p?",
    "~s p,           p?",
    "?s p,           p?",
    "?s ?p,          p?",
    "?s n,           n?",
    "?s *p,          p?",
    "?s,             ?",
    "*s,             ?",
    "*s n,           n",
    "*s ?p,          p",
    "s ?l p,         p?",
    "p | s 8,        p?",
    "p | foreign,    p?",
    "p | 8,          p?"
  })
  void anAddressThatMayLieElsewhereIsDefinitelyInNoParameter(String address, String parameters) {
    assertVerdict(address, parameters);
  }

  private static void assertVerdict(String address, String parameters) {
    AddressJudge judge = judge(address);
    String letters = Sums.letters(judge.touched());

    assertThat(letters + (judge.isDefinite() || letters.isEmpty() ? "" : "?"))
        .isEqualTo(parameters.equals("?") ? "" : parameters);
  }

  @Test
  void onlyASumWithALoadedAddressMayHaveALoadedBase() {
    assertThat(judge("?n foreign").loaded()).hasSize(1);
    assertThat(judge("?n").loaded()).isEmpty();
  }

  @Test
  void aDoubtNamesUpToFourParameters() {
    assertThat(doubt("p | q")).isEqualTo("its address may come from parameter 1 or parameter 2");
    assertThat(doubt("p | q | n"))
        .isEqualTo(
            "its address may come from parameter 1 or parameter 2"
                + " or the field at offset 0 of parameter 5");
    assertThat(doubt("p | q | x | n"))
        .contains("or parameter 3 or the field at offset 0 of parameter 5");
    assertThat(doubt("p | q | x | y | n"))
        .isEqualTo("its address may come from any of 5 parameters or fields");
  }

  @Test
  void aDoubtAboutOneParameterSaysWhetherItMayBeElsewhere() {
    assertThat(doubt("p | foreign")).isEqualTo("its address may also come from elsewhere");
    assertThat(doubt("?p foreign")).isEqualTo("its address may also come from elsewhere");
    assertThat(doubt("n loaded")).isEqualTo("its address may also come from elsewhere");
    assertThat(doubt("s p")).isEqualTo("its address may also come from elsewhere");
    assertThat(doubt("/p")).isEqualTo("the origin of its address is unclear");
    assertThat(doubt("*n")).isEqualTo("the origin of its address is unclear");
  }
}
