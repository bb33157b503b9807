package dev.streamfence.internal.ptx.analysis.lattice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests {@link Multiple} completely: the ways in which values contain an origin. */
class AccessMultiplesTest {
  @ParameterizedTest
  @CsvSource({
    "ONE,           ONE,           SCALED",
    "ONE,           MINUS_ONE,     NONE",
    "ONE,           ALIGNED,       SCALED",
    "ONE,           MINUS_ALIGNED, PART",
    "ONE,           SCALED,        SCALED",
    "ONE,           MINUS_SCALED,  TOP",
    "ONE,           PART,          ALIGNED",
    "ONE,           TOP,           TOP",
    "MINUS_ONE,     MINUS_ONE,     MINUS_SCALED",
    "MINUS_ONE,     ALIGNED,       PART",
    "MINUS_ONE,     MINUS_ALIGNED, MINUS_SCALED",
    "MINUS_ONE,     SCALED,        TOP",
    "MINUS_ONE,     MINUS_SCALED,  MINUS_SCALED",
    "MINUS_ONE,     PART,          TOP",
    "MINUS_ONE,     TOP,           TOP",
    "ALIGNED,       ALIGNED,       SCALED",
    "ALIGNED,       MINUS_ALIGNED, PART",
    "ALIGNED,       SCALED,        SCALED",
    "ALIGNED,       MINUS_SCALED,  TOP",
    "ALIGNED,       PART,          ALIGNED",
    "ALIGNED,       TOP,           TOP",
    "MINUS_ALIGNED, MINUS_ALIGNED, MINUS_SCALED",
    "MINUS_ALIGNED, SCALED,        TOP",
    "MINUS_ALIGNED, MINUS_SCALED,  MINUS_SCALED",
    "MINUS_ALIGNED, PART,          TOP",
    "MINUS_ALIGNED, TOP,           TOP",
    "SCALED,        SCALED,        SCALED",
    "SCALED,        MINUS_SCALED,  TOP",
    "SCALED,        PART,          TOP",
    "SCALED,        TOP,           TOP",
    "MINUS_SCALED,  MINUS_SCALED,  MINUS_SCALED",
    "MINUS_SCALED,  PART,          TOP",
    "MINUS_SCALED,  TOP,           TOP",
    "PART,          PART,          TOP",
    "PART,          TOP,           TOP",
    "PART,          COUNT,         TOP",
    "COUNT,         COUNT,         TOP",
    "COUNT,         ONE,           TOP",
    "COUNT,         SCALED,        TOP",
    "COUNT,         TOP,           TOP",
    "TOP,           TOP,           TOP"
  })
  void aSumIsTheSameInEitherOrder(Multiple a, Multiple b, Multiple sum) {
    assertThat(a.plus(b)).isEqualTo(sum);
    assertThat(b.plus(a)).isEqualTo(sum);
  }

  @ParameterizedTest
  @EnumSource
  void anAbsentOriginDoesNotChangeASum(Multiple any) {
    assertThat(any.plus(Multiple.NONE)).isEqualTo(any);
    assertThat(Multiple.NONE.plus(any)).isEqualTo(any);
  }

  @ParameterizedTest
  @CsvSource({
    "NONE,          NONE,          NONE,         NONE",
    "ONE,           MINUS_ONE,     SCALED,       ALIGNED",
    "MINUS_ONE,     ONE,           MINUS_SCALED, MINUS_ALIGNED",
    "ALIGNED,       MINUS_ALIGNED, SCALED,       ALIGNED",
    "MINUS_ALIGNED, ALIGNED,       MINUS_SCALED, MINUS_ALIGNED",
    "SCALED,        MINUS_SCALED,  SCALED,       SCALED",
    "MINUS_SCALED,  SCALED,        MINUS_SCALED, MINUS_SCALED",
    "PART,          PART,          TOP,          PART",
    "COUNT,         COUNT,         TOP,          COUNT",
    "TOP,           TOP,           TOP,          TOP"
  })
  void signsFactorsAndMasksApplyToAMultipleAsToASum(
      Multiple of, Multiple negated, Multiple scaled, Multiple aligned) {
    assertThat(of.negated()).isEqualTo(negated);
    assertThat(of.scaled()).isEqualTo(scaled);
    assertThat(of.times(2)).isEqualTo(scaled);
    assertThat(of.times(0)).isEqualTo(scaled);
    assertThat(of.times(-2)).isEqualTo(scaled.negated());
    assertThat(of.aligned()).isEqualTo(aligned);
  }

  @ParameterizedTest
  @EnumSource
  void aValueIsAnAddressIfItContainsItsOriginOnceOrInAnUnknownWay(Multiple of) {
    boolean whole = of == Multiple.ONE || of == Multiple.ALIGNED;

    assertThat(of.isWhole()).isEqualTo(whole);
    assertThat(of.mayBeAddress()).isEqualTo(whole || of == Multiple.TOP);
  }

  @Test
  void theJoinOfTwoMultiplesIsTheWiderOneOrTop() {
    for (Multiple a : Multiple.values()) {
      for (Multiple b : Multiple.values()) {
        boolean covers =
            a == b
                || a == Multiple.TOP
                || (a == Multiple.ALIGNED && b == Multiple.ONE)
                || (a == Multiple.MINUS_ALIGNED && b == Multiple.MINUS_ONE);
        assertThat(a.covers(b)).as("%s covers %s", a, b).isEqualTo(covers);
        if (covers) {
          assertThat(a.join(b)).isEqualTo(a);
          assertThat(b.join(a)).isEqualTo(a);
        } else if (!b.covers(a)) {
          assertThat(a.join(b)).as("%s or %s", a, b).isEqualTo(Multiple.TOP);
        }
      }
    }
  }
}
