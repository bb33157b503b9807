package dev.streamfence.internal.ptx.analysis.lattice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The origins of the results of arithmetic, in the notation of {@link Sums}. */
class AccessArithmeticTest {
  private static final long[] CONSTANTS = {
    -9, -8, -1, 0, 1, 2, 3, 7, 8, 12, 255, 65_544, Integer.MAX_VALUE, 1L << 31, 1L << 40, 1L << 62
  };

  /** A sum whose multiples are known numbers. */
  private record Linear(int p, int s, long constant) {
    Linear plus(Linear other) {
      return new Linear(p + other.p, s + other.s, constant + other.constant);
    }

    Linear times(int factor) {
      return new Linear(p * factor, s * factor, constant * factor);
    }

    Provenance provenance() {
      Derivation sum = Derivation.constant(constant);
      sum = s == 0 ? sum : Sums.plus(sum, Sums.origin('s'), multiple(s));
      sum = p == 0 ? sum : Sums.plus(sum, Sums.origin('p'), multiple(p)).unbounded();
      return Provenance.of(sum);
    }

    private static Multiple multiple(int factor) {
      Multiple positive = Math.abs(factor) == 1 ? Multiple.ONE : Multiple.SCALED;
      return factor > 0 ? positive : positive.negated();
    }
  }

  private static List<Linear> linears() {
    List<Linear> all = new ArrayList<>();
    for (int p = -2; p <= 2; p++) {
      for (int s = -2; s <= 2; s++) {
        for (long constant : new long[] {-8, 0, 1, 24}) {
          all.add(new Linear(p, s, constant));
        }
      }
    }
    return all;
  }

  private static void assertCovers(Provenance found, Linear exact) {
    Derivation sum = found.alternatives().get(0);
    Derivation truth = exact.provenance().alternatives().get(0);
    for (char letter : new char[] {'p', 's'}) {
      int origin = Sums.origin(letter);
      assertThat(sum.multipleOf(origin).covers(truth.multipleOf(origin)))
          .as("%s allows %s", Sums.text(found), exact)
          .isTrue();
    }
    assertThat(sum.isFixed() ? sum.offset() : exact.constant).isEqualTo(exact.constant);
  }

  @Test
  void sumsDifferencesAndProductsAllowTheirResults() {
    for (Linear a : linears()) {
      for (Linear b : linears()) {
        Provenance x = a.provenance();
        Provenance y = b.provenance();
        assertCovers(ProvenanceArithmetic.add(x, y), a.plus(b));
        assertCovers(ProvenanceArithmetic.subtract(x, y), a.plus(b.times(-1)));
      }
      for (int factor = -3; factor <= 3; factor++) {
        Provenance constant = Provenance.of(Derivation.constant(factor));
        assertCovers(ProvenanceArithmetic.multiply(a.provenance(), constant), a.times(factor));
        assertCovers(ProvenanceArithmetic.multiply(constant, a.provenance()), a.times(factor));
      }
    }
  }

  @Test
  void aComputedConstantIsRight() {
    for (long a : CONSTANTS) {
      for (long b : CONSTANTS) {
        Provenance x = Provenance.of(Derivation.constant(a));
        Provenance y = Provenance.of(Derivation.constant(b));
        assertThat(ProvenanceArithmetic.add(x, y).constant()).isEqualTo(a + b);
        assertThat(ProvenanceArithmetic.subtract(x, y).constant()).isEqualTo(a - b);
        assertThat(ProvenanceArithmetic.multiply(x, y).constant()).isIn(null, a * b);
        assertThat(ProvenanceArithmetic.shiftLeft(x, y).constant()).isIn(null, a << b);
        assertThat(BitArithmetic.and(x, y).constant()).isIn(null, a & b);
        assertThat(BitArithmetic.or(x, y, object -> 1).constant()).isIn(null, a | b);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "foreign,    8,          0..8 loaded",
    "foreign,    4294967295, foreign",
    "p foreign,  4294967295, p foreign",
    "/n,         8,          /n 0..8",
    "/n,         513,        /n",
    "/n,         0,          0"
  })
  void aNumberWithinNarrowLimitsIsNoPointer(String value, long greatest, String limited) {
    assertThat(Sums.text(Sums.one(value).within(0, greatest))).isEqualTo(limited);
  }

  @ParameterizedTest
  @CsvSource({
    "8,                   16, 8",
    "0,                   16, 0",
    "8,                   32, 8",
    "0,                   32, 0",
    "-1,                  32, number",
    "-1,                  64, number",
    "2147483647,          32, 2147483647",
    "2147483648,          64, number",
    "number,              16, number",
    "p,                   16, p",
    "s 70000,             16, s 70000",
    "p | 8,               16, p | 8",
    "p | 8,               32, p | 8",
    "p | 0,               16, p | 0",
    "p | -1,              64, p | number",
    "p | 2147483647,      64, p | 2147483647",
    "p | 2147483648,      64, p | number",
    "p | s 70000,         16, p | s 70000",
    "nothing,             16, nothing",
    "/n 0..100,           8,  /n 0..100",
    "/n 0..127,           8,  /n 0..127",
    "/n 0..128,           8,  /n",
    "/n 0..400,           16, /n 0..400",
    "2147483600..2147483647, 64, 2147483600..2147483647",
    "2147483600..2147483648, 64, number",
    "-1..1,               32, number",
    "s -8..8,             32, s -8..8",
    "p | 0..128,          8,  p | number"
  })
  void aRegisterHoldsAConstantIfItIsWideEnough(String value, int bits, String held) {
    assertThat(Sums.text(ProvenanceArithmetic.held(Sums.of(value), bits))).isEqualTo(held);
  }

  @ParameterizedTest
  @CsvSource({
    "0,       p,           0",
    "p,       0,           0",
    "1,       p,           p",
    "s 8,     1,           s 8",
    "-1,      p,           -p",
    "s 8,     -1,          -s -8",
    "2,       3,           6",
    "2147483647, 1,        2147483647",
    "2,       1073741823,  2147483646",
    "2,       1073741824,  number",
    "46340,   46340,       2147395600",
    "46341,   46341,       number",
    "4611686018427387904, 4, number",
    "4,       4611686018427387904, number",
    "-2,      3,           -6",
    "8,       number,      number",
    "number,  8,           number",
    "8,       foreign,     loaded",
    "8,       p,           *p",
    "-8,      p,           -*p",
    "8,       -p,          -*p",
    "s 8,     8,           *s",
    "8,       /p,          ?p",
    "8,       n foreign,   *n loaded",
    "8,       p foreign,   ?p foreign",
    "8,       p -q,        *p -*q",
    "8,       0..3,        0..24",
    "8,       1..3,        8..24",
    "8,       /n 0..1,     ?n 0..8",
    "-8,      0..3,        number",
    "8,       0..64,       0..512",
    "8,       0..65,       number",
    "4294967296, 0..1,     number",
    "8,       s 0..3,      *s"
  })
  void aProductWithAConstantIsScaled(String a, String b, String product) {
    assertThat(Sums.text(ProvenanceArithmetic.multiply(Sums.of(a), Sums.of(b)))).isEqualTo(product);
  }

  @ParameterizedTest
  @CsvSource({
    "number,  number,      number",
    "number,  foreign,     loaded",
    "foreign, number,      loaded",
    "loaded,  number,      loaded",
    "number,  n,           *n",
    "number,  -n,          -*n",
    "number,  x,           *x",
    "number,  p,           ?p",
    "number,  s,           ?s",
    "number,  s 8,         ?s",
    "number,  p n,         ?p ?n",
    "number,  n foreign,   *n loaded",
    "number,  x foreign,   ?x foreign",
    "number,  n m foreign, ?n ?m loaded",
    "number,  p -q,        ?p ?q",
    "foreign, n,           *n loaded",
    "loaded,  n,           *n loaded",
    "foreign, p,           ?p loaded",
    "n,       m,           ?n ?m",
    "p,       n,           ?p ?n",
    "p,       p,           ?p",
    "p,       n foreign,   ?p ?n foreign"
  })
  void aProductWithoutAConstantIsAnIndexOrUnclearInEitherOrder(String a, String b, String product) {
    assertThat(Sums.text(ProvenanceArithmetic.multiply(Sums.of(a), Sums.of(b)))).isEqualTo(product);
    assertThat(Sums.text(ProvenanceArithmetic.multiply(Sums.of(b), Sums.of(a)))).isEqualTo(product);
  }

  @ParameterizedTest
  @CsvSource({
    "p,       0,      p",
    "p,       1,      *p",
    "p,       62,     *p",
    "p,       63,     /p",
    "p,       64,     /p",
    "p,       -1,     /p",
    "p,       32,     *p",
    "3,       2,      12",
    "1,       32,     number",
    "number,  31,     number",
    "number,  32,     foreign",
    "loaded,  32,     foreign",
    "number,  33,     number",
    "number,  40,     foreign",
    "p,       number, /p",
    "number,  n,      /n",
    "p,       q,      ?p ?q",
    "p,       foreign, ?p foreign"
  })
  void aShiftIsAProductUntilHalfAnAddressMayMoveUp(String a, String b, String shifted) {
    assertThat(Sums.text(ProvenanceArithmetic.shiftLeft(Sums.of(a), Sums.of(b))))
        .isEqualTo(shifted);
  }

  @ParameterizedTest
  @CsvSource({
    "p,       n,       p n",
    "p,       p,       *p",
    "s 8,     16,      s 24",
    "s 8,     number,  s",
    "s 8,     l 8,     s l 16",
    "p,       foreign, p foreign",
    "p,       loaded,  p loaded",
    "foreign, 8,       foreign",
    "p | q,   8,       p | q",
    "0..8,    0..4,    0..12",
    "0..8,    4,       4..12",
    "0..8,    number,  number",
    "0..400,  0..112,  0..512",
    "0..400,  0..113,  number",
    "s 16,    0..8,    s 16..24",
    "s 16,    ?n 0..8, s 16..24",
    "s 16,    ?p loaded 0..8, s 16..24",
    "s 0..8,  -8..0,   s -8..8",
    "s,       0..8,    s",
    "s 0..8,  l 8,     s l 8..16",
    "p,       0..8,    p",
    "nothing, p,       nothing",
    "p,       nothing, nothing"
  })
  void aSumHasTheTermsOfBothInEitherOrder(String a, String b, String sum) {
    assertThat(Sums.text(ProvenanceArithmetic.add(Sums.of(a), Sums.of(b)))).isEqualTo(sum);
    assertThat(Sums.text(ProvenanceArithmetic.add(Sums.of(b), Sums.of(a)))).isEqualTo(sum);
  }

  @ParameterizedTest
  @CsvSource({
    "p,       -p,          -p",
    "s 8,     -s -8,       -s",
    "8,       -8,          number",
    "1..8,    -8..-1,      number",
    "foreign, foreign,     foreign",
    "loaded,  loaded,      loaded",
    "p -q,    -p q,        -p q"
  })
  void aComplementIsANegativeUpToOne(String value, String negated, String opposite) {
    assertThat(Sums.text(ProvenanceArithmetic.negated(Sums.one(value)))).isEqualTo(negated);
    assertThat(Sums.text(ProvenanceArithmetic.opposite(Sums.one(value)))).isEqualTo(opposite);
  }

  @ParameterizedTest
  @CsvSource({
    "p,         /p,         /p",
    "s 8,       /s,         s 8",
    "8,         number,     8",
    "/n 0..8,   /n,         /n 0..8",
    "/n -1..1,  /n,         /n",
    "number,    number,     number",
    "foreign,   loaded,     loaded",
    "n foreign, /n loaded,  /n loaded",
    "p foreign, ?p foreign, ?p foreign",
    "p -q,      ?p ?q,      ?p ?q"
  })
  void aPartOfAnAddressIsNoAddress(String value, String part, String narrowed) {
    assertThat(Sums.text(BitArithmetic.part(Sums.of(value)))).isEqualTo(part);
    assertThat(Sums.text(BitArithmetic.narrowed(Sums.of(value), 64))).isEqualTo(narrowed);
  }

  @ParameterizedTest
  @CsvSource({
    "p,       -16,            ~p",
    "-p,      -16,            -~p",
    "p,       1099511627775,  ~p",
    "p,       549755813887,   /p",
    "p,       15,             /p",
    "s 8,     -16,            ~s",
    "12,      -16,            number",
    "p,       number,         ?p",
    "p,       n,              ?p ?n",
    "foreign, 15,             loaded",
    "foreign, -16,            foreign",
    "number,  foreign,        foreign"
  })
  void aMaskAlignsAnAddressIfMostBitsAreLeft(String a, String b, String and) {
    assertThat(Sums.text(BitArithmetic.and(Sums.of(a), Sums.of(b)))).isEqualTo(and);
    assertThat(Sums.text(BitArithmetic.and(Sums.of(b), Sums.of(a)))).isEqualTo(and);
  }

  @ParameterizedTest
  @CsvSource({
    "8,       4,       12",
    "12,      4,       number",
    "8,       number,  number",
    // An object begins at a multiple of 8.
    "s 8,     4,       s 12",
    "s 8,     0..4,    s 8..12",
    "s 4,     0..3,    s 4..7",
    "s 4,     0..4,    s 4..8",
    "s 4,     2..3,    s 4..7",
    "s 8,     0..8,    s 8..16",
    "s 0..8,  0..4,    s 0..12",
    "s 8,     -1..4,   s",
    "s 0..8,  4,       s",
    "s 4,     2,       s 6",
    "s 4,     4,       s",
    "s 8,     8,       s",
    "s,       8,       s",
    "s,       n,       n s",
    "p,       8,       p",
    "p,       p,       ?p",
    "/p,      /p,      ?p",
    "~p,      /p,      ~p",
    "p,       n,       p n",
    "q,       /p,      ?p ?q",
    "n,       /p,      /p n",
    "number,  /p,      /p",
    "q,       /n,      q /n",
    "foreign, /p,      ?p foreign",
    "foreign, p,       p foreign",
    "/q,      /p,      ?p ?q",
    "q /p,    /p,      ?p q"
  })
  void aDisjunctionIsASumUnlessItsBitsMayOverlap(String a, String b, String or) {
    assertThat(Sums.text(BitArithmetic.or(Sums.of(a), Sums.of(b), object -> 8))).isEqualTo(or);
    assertThat(Sums.text(BitArithmetic.or(Sums.of(b), Sums.of(a), object -> 8))).isEqualTo(or);
  }

  @ParameterizedTest
  @CsvSource({
    "p,       n,       ?p ?n",
    "p,       p,       ?p",
    "p,       8,       ?p",
    "8,       4,       number",
    "foreign, p,       ?p foreign",
    "number,  loaded,  loaded"
  })
  void aMixtureIsUnclear(String a, String b, String mixed) {
    assertThat(Sums.text(BitArithmetic.mix(Sums.of(a), Sums.of(b)))).isEqualTo(mixed);
    assertThat(Sums.text(BitArithmetic.mix(Sums.of(b), Sums.of(a)))).isEqualTo(mixed);
    assertThat(Sums.text(BitArithmetic.mixture(Sums.one(a), Sums.one(b)))).isEqualTo(mixed);
  }

  @ParameterizedTest
  @CsvSource({
    "4,       0,       4",
    "p,       0,       p",
    "4,       5,       number",
    "0,       5,       number",
    "number,  number,  foreign",
    "4,       number,  foreign",
    "number,  4,       foreign",
    "foreign, 4,       foreign",
    "loaded,  loaded,  foreign loaded",
    "p,       number,  p",
    "number,  p,       p",
    "n,       number,  n",
    "p,       foreign, p foreign",
    "foreign, p,       p foreign",
    "/p,      /p,      ?p",
    "/p,      /q,      /p /q",
    "s 8,     4,       s"
  })
  void twoHalvesOfNumbersMayBeAnyPointer(String low, String high, String whole) {
    assertThat(Sums.text(BitArithmetic.assemble(Sums.of(low), Sums.of(high)))).isEqualTo(whole);
  }
}
