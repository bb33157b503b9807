package dev.streamfence.internal.ptx.analysis.lattice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Joins the ways in which a value may come about, in the notation of {@link Sums}. */
class AccessJoinsTest {
  private static final List<String> TERMS =
      List.of("", "p", "~p", "/p", "?p", "n", "?n", "s", "?s", "p n", "p ?n", "p s", "?p ?s", "q");

  private static final List<String> NUMBERS =
      List.of("number", "0", "8", "0..8", "loaded", "foreign");

  /** A sum of each kind. Only the constant beside a variable is known. */
  private static List<Provenance> sums(List<String> terms) {
    List<Provenance> all = new ArrayList<>();
    for (String term : terms) {
      for (String number : NUMBERS) {
        if (!number.matches("\\d+") || term.isEmpty() || term.equals("s")) {
          all.add(Sums.of((term + " " + number).trim()));
        }
      }
    }
    return all;
  }

  /** Two ways of most kinds. */
  private static List<Provenance> choices(List<Provenance> sums) {
    List<Provenance> all = new ArrayList<>(sums);
    for (Provenance a : sums) {
      for (String b : List.of("?p", "8", "s 16")) {
        all.add(a.join(Sums.of(b)));
      }
    }
    return all;
  }

  private static Supplier<String> joining(Provenance a, Provenance b) {
    return () -> Sums.text(a) + " or " + Sums.text(b);
  }

  private static Provenance or(String a, String b) {
    return Sums.of(a).join(Sums.of(b));
  }

  @Test
  void joinsStopGrowing() {
    List<Provenance> sums = sums(TERMS);
    for (Provenance a : choices(sums)) {
      for (Provenance b : sums) {
        // The first repetition may drop a way that the join has made needless.
        Provenance joined = a.join(b).join(b);
        assertThat(joined.join(b)).as(joining(a, b)).isEqualTo(joined);
        assertThat(joined.join(a)).as(joining(a, b)).isEqualTo(joined);
      }
    }
  }

  @Test
  void aJoinBlamesEveryParameterThatOneOfItsWaysLeadsTo() {
    List<Provenance> sums = sums(TERMS);
    for (Provenance a : choices(sums)) {
      for (Provenance b : sums) {
        assertThat(AddressJudge.of(a.join(b)).touched())
            .as(joining(a, b))
            .containsAll(AddressJudge.of(a).touched())
            .containsAll(AddressJudge.of(b).touched());
      }
    }
  }

  @Test
  void aJoinIsNoMoreDefiniteThanItsWays() {
    List<String> terms = new ArrayList<>(TERMS);
    terms.removeIf(term -> term.startsWith("/"));
    List<Provenance> sums = sums(terms);
    for (Provenance a : choices(sums)) {
      for (Provenance b : sums) {
        boolean doubtful = isDoubtful(AddressJudge.of(a)) || isDoubtful(AddressJudge.of(b));
        assertThat(doubtful && AddressJudge.of(a.join(b)).isDefinite()).as(joining(a, b)).isFalse();
      }
    }
  }

  private static boolean isDoubtful(AddressJudge judge) {
    return !judge.isDefinite() && !judge.touched().isEmpty();
  }

  @Test
  void aCollapseAllowsWhatEachWayAllows() {
    for (Provenance a : choices(sums(TERMS))) {
      Provenance collapsed = a.widened();
      assertThat(collapsed.alternatives()).hasSize(1);
      assertThat(collapsed.join(a)).as(joining(collapsed, a)).isEqualTo(collapsed);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nothing,        p,              p",
    "p,              nothing,        p",
    "p,              p,              p",
    "p,              q,              p | q",
    "p,              p q,            p | p q",
    "p q,            p,              p q | p",
    "p,              ~p,             p | ~p",
    "~p,             p,              ~p",
    "p,              ?p,             p | ?p",
    "?p,             p,              ?p",
    "?p,             0,              ?p",
    "?p,             8,              ?p | 8",
    "?p,             number,         ?p | number",
    "?p,             n,              ?p | n",
    "?p foreign,     number,         ?p foreign",
    "?p foreign,     q,              ?p foreign | q",
    "p,              number,         p | number",
    "number,         p,              number | p"
  })
  void waysToDifferentMemoryStayApart(String a, String b, String joined) {
    assertThat(Sums.text(or(a, b))).isEqualTo(joined);
  }

  @ParameterizedTest
  @CsvSource({
    "number,         8,              number",
    "8,              number,         number",
    "8,              16,             number",
    "8,              8,              8",
    "0..8,           8,              0..8",
    "8,              0..8,           0..8",
    "0..8,           0..8,           0..8",
    "0..8,           9,              number",
    "1..8,           0,              number",
    "0..8,           0..16,          number",
    "0..8,           4..8,           number",
    "0..8,           number,         number",
    "n,              number,         ?n",
    "number,         n,              ?n",
    "?n,             number,         ?n",
    "n,              m,              ?n ?m",
    "p,              p n,            p ?n",
    "p n,            p,              p ?n",
    "p n q,          p q,            p q ?n",
    "p n,            p n,            p n",
    "p n,            p *n,           p ?n",
    "p n,            p m,            p ?n ?m",
    "foreign,        number,         foreign",
    "number,         foreign,        foreign",
    "loaded,         number,         loaded",
    "number,         loaded,         loaded",
    "loaded,         foreign,        foreign loaded",
    "foreign,        loaded,         foreign",
    "p,              p foreign,      p foreign",
    "p foreign,      p,              p foreign",
    "p,              p loaded,       p loaded",
    "p loaded,       p,              p loaded"
  })
  void numbersBesideTheSameAddressBecomeOne(String a, String b, String joined) {
    assertThat(Sums.text(or(a, b))).isEqualTo(joined);
  }

  @ParameterizedTest
  @CsvSource({
    "s 8,            s 8,            s 8",
    "s 8,            s 16,           s 8 | s 16",
    "s,              s 8,            s",
    "s 8,            s,              s",
    "s 8,            l 8,            s 8 | l 8",
    "s 8,            ~s 8,           s 8 | ~s 8",
    "s 8,            8,              s 8 | 8",
    "s 0..8,         s 4,            s 0..8",
    "s 4,            s 0..8,         s 0..8",
    "s 0..8,         s 16,           s 0..8 | s 16",
    "s 0..8,         s 0..16,        s 0..8 | s 0..16",
    "s 0..8,         s,              s"
  })
  void placesInAVariableStayApart(String a, String b, String joined) {
    assertThat(Sums.text(or(a, b))).isEqualTo(joined);
  }

  @Test
  void eightWaysStayApartAndNineBecomeOne() {
    Provenance many = Provenance.BOTTOM;
    for (int i = 0; i < 8; i++) {
      many = many.join(Provenance.of(Derivation.of(Origin.parameter(i, ParameterRole.BUFFER))));
      assertThat(many.alternatives()).hasSize(i + 1);
    }
    many = many.join(Provenance.of(Derivation.of(Origin.parameter(8, ParameterRole.BUFFER))));

    assertThat(many.alternatives()).hasSize(1);
    Derivation one = many.alternatives().get(0);
    assertThat(one.size()).isEqualTo(9);
    for (int i = 0; i < 9; i++) {
      assertThat(one.multipleOf(Origin.parameter(i, ParameterRole.BUFFER))).isEqualTo(Multiple.TOP);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "s 1 | s 2 | s 3 | s 4 | s 5 | s 6 | s 7 | s 8,      s 9, s",
    "s 1 | s 2 | s 3 | s 4 | l 1 | l 2 | l 3 | l 4,      p,   s | l | p",
    "s 1 | s 2 | s 3 | s 4 | l 1 | l 2 | l 3 | p,        q,   s | l | p | q",
    "s 1 | s 2 | s 3 | s 4 | l 1 | l 2 | x | p,          q,   ?p ?q ?x ?s ?l",
    "s 1 | s 2 | s 3 | s 4 | s 5 | s 6 | s 7 | p,        q,   s | p | q",
    "s 1 | s 2 | s 3 | s 4 | l 1 | l 2 | number | p,     q,   ?p ?q ?s ?l foreign"
  })
  void placesAreForgottenFirstWhenThereAreTooManyWays(String eight, String ninth, String joined) {
    assertThat(Sums.text(or(eight, ninth))).isEqualTo(joined);
  }

  @Test
  void aSumOfMoreOriginsThanAKernelHasIsRefused() {
    Derivation sum = Derivation.NUMBER;
    for (int i = 0; i < 512; i++) {
      sum = Sums.plus(sum, Origin.parameter(i, ParameterRole.BUFFER), Multiple.TOP);
    }
    Provenance largest = Provenance.of(sum);
    Provenance larger = Provenance.of(Derivation.of(Origin.parameter(512, ParameterRole.BUFFER)));

    assertThat(largest.join(Provenance.NUMBER).alternatives()).hasSize(2);
    assertThatThrownBy(() -> ProvenanceArithmetic.add(largest, larger))
        .isInstanceOf(TooLargeException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "nothing,        nothing",
    "p,              p",
    "s 8,            s",
    "8,              number",
    "p | q,          ?p ?q",
    "p | ~p,         ~p",
    "p | p q,        p ?q",
    "s 8 | s 16,     s",
    "p | number,     ?p foreign",
    "p | n,          ?p ?n foreign",
    "p | 0,          ?p",
    "p | 8,          ?p foreign",
    "p | foreign,    ?p foreign",
    "p | q foreign,  ?p ?q foreign",
    "p | q loaded,   ?p ?q loaded",
    "8 | n,          ?n"
  })
  void aCollapseIsOneSumOfAll(String ways, String one) {
    Provenance collapsed = Sums.of(ways).widened();

    assertThat(Sums.text(collapsed).replace(" loaded", "")).isEqualTo(one.replace(" loaded", ""));
    assertThat(Sums.text(collapsed).contains("loaded"))
        .isEqualTo(ways.contains("loaded") || ways.contains("foreign"));
  }

  @ParameterizedTest
  @CsvSource({
    "nothing,     true,  true,  false, 0",
    "8,           true,  true,  true,  1",
    "number,      true,  true,  false, 1",
    "loaded,      true,  true,  false, 1",
    "foreign,     true,  false, false, 1",
    "n,           false, false, false, 2",
    "p s 8,       false, false, false, 3",
    "number | p,  false, false, false, 3",
    "p | 8,       false, false, true,  3",
    "p | /n 0..8, false, false, true,  4",
    "p | s 0..8,  false, false, false, 4",
    "8 | foreign, true,  false, true,  2",
    "p | q n,     false, false, false, 5"
  })
  void aValueKnowsWhatItIsMadeOf(
      String ways, boolean noOrigin, boolean number, boolean small, int weight) {
    Provenance value = Sums.of(ways);

    assertThat(value.hasNoOrigin()).isEqualTo(noOrigin);
    assertThat(value.isNumber()).isEqualTo(number);
    assertThat(value.hasSmallNumber()).isEqualTo(small);
    assertThat(value.weight()).isEqualTo(weight);
  }

  @Test
  void onlyAValueThatIsAlwaysTheSameIsAConstant() {
    assertThat(Sums.of("8").constant()).isEqualTo(8);
    assertThat(Sums.of("8 | p").constant()).isNull();
    assertThat(Sums.of("s 8").constant()).isNull();
    assertThat(Sums.of("number").constant()).isNull();
    assertThat(Provenance.BOTTOM.constant()).isNull();
  }

  @Test
  void sumsAreTheSameIfAllOfTheirPartsAre() {
    List<String> different =
        List.of(
            "number",
            "0",
            "8",
            "16",
            "8..16",
            "loaded",
            "foreign",
            "foreign loaded",
            "p",
            "q",
            "-p",
            "p q",
            "p loaded",
            "p foreign",
            "s",
            "s 8",
            "s 16",
            "l 8");
    Set<Derivation> seen = new HashSet<>();
    Set<Provenance> values = new HashSet<>();
    for (String sum : different) {
      assertThat(seen.add(Sums.one(sum))).as(sum).isTrue();
      assertThat(values.add(Sums.of(sum))).as(sum).isTrue();
    }
    for (String sum : different) {
      assertThat(seen.add(Sums.one(sum))).as(sum).isFalse();
      assertThat(values.add(Sums.of(sum))).as(sum).isFalse();
      assertThat(Sums.one(sum)).isNotEqualTo(sum).hasSameHashCodeAs(Sums.one(sum));
    }
    assertThat(Sums.one("s 8")).doesNotHaveSameHashCodeAs(Sums.one("s 16"));
    assertThat(Sums.of("s 8")).doesNotHaveSameHashCodeAs(Sums.of("s 16"));
  }

  @ParameterizedTest
  @CsvSource({
    "8,             true,  true,  true,  false",
    "number,        false, true,  true,  false",
    "foreign,       false, false, false, false",
    "n,             false, false, true,  false",
    "n foreign,     false, false, false, false",
    "p,             false, false, false, false",
    "p foreign,     false, false, false, true",
    "p -q,          false, false, false, true",
    "p n,           false, false, false, false",
    "x y,           false, false, false, true",
    "p s,           false, false, false, true"
  })
  void aSumOfTwoAddressesMayBeTheWayFromOneToTheOther(
      String sum, boolean constant, boolean number, boolean offset, boolean distance) {
    assertThat(Sums.one(sum).isConstant()).isEqualTo(constant);
    assertThat(Sums.one(sum).isNumber()).isEqualTo(number);
    assertThat(Sums.one(sum).isOffset()).isEqualTo(offset);
    assertThat(Sums.one(sum).mayBeDistance()).isEqualTo(distance);
  }

  @Test
  void aNumberThatWasForeignOnceStaysLoaded() {
    assertThat(Sums.text(Derivation.FOREIGN.withForeign(false))).isEqualTo("loaded");
    assertThat(Sums.text(Derivation.NUMBER.withForeign(false))).isEqualTo("number");
    assertThat(Sums.text(Derivation.NUMBER.withForeign(true))).isEqualTo("foreign");
    assertThat(Sums.text(Derivation.LOADED.withForeign(true))).isEqualTo("foreign loaded");
    assertThat(Sums.text(Derivation.constant(8).withForeign(true))).isEqualTo("foreign");
    assertThat(Sums.text(Derivation.constant(8).withForeign(false))).isEqualTo("8");
    assertThat(Sums.text(Derivation.NUMBER.withLoaded(false))).isEqualTo("number");
    assertThat(Sums.text(Derivation.NUMBER.withLoaded(true))).isEqualTo("loaded");
    assertThat(Sums.text(Derivation.LOADED.withLoaded(false))).isEqualTo("loaded");
    assertThat(Sums.text(Derivation.constant(8).withLoaded(true))).isEqualTo("loaded");
  }
}
