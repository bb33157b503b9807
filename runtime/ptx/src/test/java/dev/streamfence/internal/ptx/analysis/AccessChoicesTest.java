package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses through one of several pointers. */
class AccessChoicesTest {
  /** A pointer that is p or q. */
  private static final String ONE_OF_TWO =
      "setp.gt.s32 %p1, %r1, 0;\nselp.b64 %rd5, %rd1, %rd2, %p1;\n";

  private static List<AccessChoice> choices(String body) {
    return AnalysedKernel.of(body).accesses().choices();
  }

  private static List<Integer> parameters(AccessChoice choice) {
    return choice.parameters().stream().map(AccessChoice.Member::parameter).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "'ld.global.u32 %r5, [%rd5];', true, false",
    "'st.global.u32 [%rd5], 1;', false, true",
    "'atom.global.add.u32 %r5, [%rd5], 1;', true, true",
    "'st.global.u32 [%rd1], 1;', false, false"
  })
  void anAccessThroughOneOfTwoPointersIsAChoiceBetweenThem(
      String access, boolean reads, boolean writes) {
    List<AccessChoice> choices = choices(ONE_OF_TWO + access);
    assertThat(choices.stream().filter(AccessChoice::reads)).hasSize(reads ? 1 : 0);
    assertThat(choices.stream().filter(choice -> !choice.reads())).hasSize(writes ? 1 : 0);
    assertThat(choices).allMatch(choice -> parameters(choice).equals(List.of(0, 1)));
  }

  @Test
  void itsSiteIsTheFirstInTheText() {
    // The second one is reached before the first one.
    List<AccessChoice> choices =
        choices(
            ONE_OF_TWO
                + "bra SECOND;\nFIRST: st.global.u8 [%rd5], 1;\nbra END;\n"
                + "SECOND: st.global.u32 [%rd5], 1;\nbra FIRST;\nEND:\n");
    assertThat(choices).hasSize(1);
    assertThat(choices.get(0).site().instruction()).isEqualTo("st.global.u8");
  }

  @Test
  void eachSetOfPointersIsAChoiceOfItsOwn() {
    List<AccessChoice> choices =
        choices(
            ONE_OF_TWO
                + "selp.b64 %rd6, %rd3, %rd5, %p1;\nst.global.u32 [%rd5], 1;\n"
                + "st.global.u32 [%rd6], 1;\nld.global.u32 %r5, [%rd6];\n");
    assertThat(choices.stream().map(AccessChoicesTest::parameters))
        .containsExactlyInAnyOrder(List.of(0, 1), List.of(0, 1, 2), List.of(0, 1, 2));
  }

  @Test
  void aPointerThatWasUndecidedForAMomentIsNoChoice() {
    // Before the loop is followed to its end, the register seems to be p or q.
    List<AccessChoice> choices =
        choices(
            ONE_OF_TWO
                + "L: st.global.u32 [%rd5], 1;\nadd.s64 %rd5, %rd5, %rd3;\nadd.s32 %r1, %r1, -1;\n"
                + "setp.gt.s32 %p2, %r1, 0;\n@%p2 bra L;\n");
    assertThat(choices).isEmpty();
  }
}
