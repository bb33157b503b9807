package dev.streamfence.internal.ptx.analysis.lattice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How values contain an origin: the whole of what {@link Multiple} computes. */
class AccessMultiplesTest {
  @ParameterizedTest
  @CsvSource({
    "ONE,           ONE,           SCALED",
    "ONE,           MINUS_ONE,     NONE",
    "ONE,           ALIGNED,       SCALED",
    "ONE,           MINUS_ALIGNED, PART",
    "ONE,           SCALED,        SCALED",
    "ONE,           MINUS_SCALED,  ANY",
    "ONE,           PART,          ALIGNED",
    "ONE,           ANY,           ANY",
    "MINUS_ONE,     MINUS_ONE,     MINUS_SCALED",
    "MINUS_ONE,     ALIGNED,       PART",
    "MINUS_ONE,     MINUS_ALIGNED, MINUS_SCALED",
    "MINUS_ONE,     SCALED,        ANY",
    "MINUS_ONE,     MINUS_SCALED,  MINUS_SCALED",
    "MINUS_ONE,     PART,          ANY",
    "MINUS_ONE,     ANY,           ANY",
    "ALIGNED,       ALIGNED,       SCALED",
    "ALIGNED,       MINUS_ALIGNED, PART",
    "ALIGNED,       SCALED,        SCALED",
    "ALIGNED,       MINUS_SCALED,  ANY",
    "ALIGNED,       PART,          ALIGNED",
    "ALIGNED,       ANY,           ANY",
    "MINUS_ALIGNED, MINUS_ALIGNED, MINUS_SCALED",
    "MINUS_ALIGNED, SCALED,        ANY",
    "MINUS_ALIGNED, MINUS_SCALED,  MINUS_SCALED",
    "MINUS_ALIGNED, PART,          ANY",
    "MINUS_ALIGNED, ANY,           ANY",
    "SCALED,        SCALED,        SCALED",
    "SCALED,        MINUS_SCALED,  ANY",
    "SCALED,        PART,          ANY",
    "SCALED,        ANY,           ANY",
    "MINUS_SCALED,  MINUS_SCALED,  MINUS_SCALED",
    "MINUS_SCALED,  PART,          ANY",
    "MINUS_SCALED,  ANY,           ANY",
    "PART,          PART,          ANY",
    "PART,          ANY,           ANY",
    "ANY,           ANY,           ANY"
  })
  void aSumIsTheSameInEitherOrder(Multiple a, Multiple b, Multiple sum) {
    assertThat(a.plus(b)).isEqualTo(sum);
    assertThat(b.plus(a)).isEqualTo(sum);
  }

  @ParameterizedTest
  @EnumSource
  void nothingAddsNothing(Multiple any) {
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
    "PART,          PART,          ANY,          PART",
    "ANY,           ANY,           ANY,          ANY"
  })
  void signsFactorsAndMasksDoWhatTheyDoToASum(
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
  void anAddressIsWhatContainsItsOriginOnceOrInAWayThatIsNotKnown(Multiple of) {
    boolean whole = of == Multiple.ONE || of == Multiple.ALIGNED;

    assertThat(of.isWhole()).isEqualTo(whole);
    assertThat(of.mayBeAddress()).isEqualTo(whole || of == Multiple.ANY);
  }

  @Test
  void oneOfTwoPossibilitiesIsTheWiderOneOrAnything() {
    for (Multiple a : Multiple.values()) {
      for (Multiple b : Multiple.values()) {
        boolean covers =
            a == b
                || a == Multiple.ANY
                || (a == Multiple.ALIGNED && b == Multiple.ONE)
                || (a == Multiple.MINUS_ALIGNED && b == Multiple.MINUS_ONE);
        assertThat(a.covers(b)).as("%s covers %s", a, b).isEqualTo(covers);
        if (covers) {
          assertThat(a.or(b)).isEqualTo(a);
          assertThat(b.or(a)).isEqualTo(a);
        } else if (!b.covers(a)) {
          assertThat(a.or(b)).as("%s or %s", a, b).isEqualTo(Multiple.ANY);
        }
      }
    }
  }
}
