package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Answers that depend on each other: of a value it is yes if it is so of all that it names. */
final class InductionTest {
  private static final int NO = -1;

  private final List<Integer> asked = new ArrayList<>();
  private int takenBack;

  /** A question whose answer is yes for all values that a value names, in their order. */
  private Induction of(Map<Integer, List<Integer>> named) {
    List<Induction> self = new ArrayList<>();
    self.add(
        new Induction(
            id -> {
              asked.add(id);
              for (int each : named.getOrDefault(id, List.of())) {
                if (each == NO || !answer(self.get(0), each)) {
                  return false;
                }
              }
              return true;
            },
            () -> takenBack++));
    return self.get(0);
  }

  /** Values below 10 are choices, which a loop may come to again. */
  private static boolean answer(Induction question, int id) {
    return id < 10 ? question.assume(id) : question.ask(id);
  }

  @Test
  void choicesThatNeedOnlyEachOtherAreTrue() {
    Induction question = of(Map.of(0, List.of(1), 1, List.of(10, 0), 10, List.of(0)));
    assertThat(answer(question, 0)).isTrue();
    assertThat(answer(question, 1)).isTrue();
    assertThat(answer(question, 10)).isTrue();
    assertThat(asked).containsExactly(0, 1, 10);
    assertThat(takenBack).isZero();
  }

  @Test
  void whatWasBuiltOnAFalseAssumptionIsTakenBack() {
    Induction question =
        of(Map.of(0, List.of(1, 10, 11), 1, List.of(0), 10, List.of(1), 11, List.of(NO)));
    assertThat(answer(question, 0)).isFalse();
    assertThat(takenBack).isEqualTo(1);
    assertThat(answer(question, 1)).isFalse();
    assertThat(answer(question, 10)).isFalse();
    // What is false even under the assumption is not asked again.
    assertThat(asked).containsExactly(0, 1, 10, 11, 1, 10);
  }

  @Test
  void whatDoesNotDependOnAFalseAssumptionIsKept() {
    Induction question = of(Map.of(0, List.of(10, 1, NO), 10, List.of(2), 1, List.of(11)));
    assertThat(answer(question, 0)).isFalse();
    assertThat(takenBack).isZero();
    assertThat(answer(question, 10)).isTrue();
    assertThat(answer(question, 1)).isTrue();
    assertThat(asked).containsExactly(0, 10, 2, 1, 11);
  }

  @Test
  void anInnerChoiceIsTakenBackWithTheOuterOneThatItNeeds() {
    Induction question =
        of(Map.of(0, List.of(1, NO), 1, List.of(2, 0), 2, List.of(1), 3, List.of(2)));
    assertThat(answer(question, 0)).isFalse();
    assertThat(answer(question, 3)).isFalse();
    assertThat(answer(question, 2)).isFalse();
    assertThat(answer(question, 1)).isFalse();
  }

  @Test
  void anInnerChoiceThatFailsLeavesTheOuterOneAssumed() {
    // The inner one fails by itself, after it has used the outer one.
    Induction question =
        of(Map.of(0, List.of(12, 1), 12, List.of(0), 1, List.of(0, 13), 13, List.of(NO)));
    assertThat(answer(question, 0)).isFalse();
    assertThat(answer(question, 12)).isFalse();
    assertThat(answer(question, 13)).isFalse();
    assertThat(answer(question, 1)).isFalse();
  }

  @Test
  void aQuestionThatFailsLeavesNothingAssumed() {
    List<Induction> self = new ArrayList<>();
    Induction question =
        new Induction(
            id -> {
              if (id == 0 && self.get(0).assume(1)) {
                throw new IllegalStateException("too long");
              }
              return self.get(0).assume(0);
            },
            () -> takenBack++);
    self.add(question);
    assertThatThrownBy(() -> question.assume(0)).hasMessage("too long");
    assertThat(takenBack).isEqualTo(1);
    assertThat(question.assume(0)).isFalse();
    assertThat(question.assume(1)).isFalse();
  }

  @Test
  void answersAreOfNumbersBeyondThoseBefore() {
    Induction question = of(Map.of(1000, List.of(2000), 2000, List.of(NO)));
    assertThat(answer(question, 500)).isTrue();
    assertThat(answer(question, 1000)).isFalse();
    assertThat(answer(question, 2000)).isFalse();
    assertThat(asked).containsExactly(500, 1000, 2000);
  }
}
