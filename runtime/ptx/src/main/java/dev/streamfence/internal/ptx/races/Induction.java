package dev.streamfence.internal.ptx.races;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Answers to one question about each value. The question about a choice may lead to itself through
 * a loop; while it is open, its answer is assumed to be yes. By induction over the iterations that
 * is right if it holds for what the loop begins with, and for each later value if it held for the
 * earlier ones. Confined to one thread.
 */
final class Induction {
  private static final byte UNKNOWN = 0;
  private static final byte YES = 1;
  private static final byte NO = 2;
  private static final byte ASSUMED = 3;

  private final IntPredicate question;
  private final Runnable takenBack;

  private byte[] answers = {};

  /** The values of which the answer is yes, in the order in which that was found. */
  private final List<Integer> found = new ArrayList<>();

  /** Whether an answer may depend on an assumption. */
  private boolean usesAssumption;

  /**
   * Creates a question about values.
   *
   * @param question the answer about a value, by its number, from those about others
   * @param takenBack run when answers are taken back that others may have built on
   */
  Induction(IntPredicate question, Runnable takenBack) {
    this.question = question;
    this.takenBack = takenBack;
  }

  /** The answer about a value. */
  boolean ask(int id) {
    if (isOpen(id)) {
      answer(id, question.test(id));
    }
    return isYes(id);
  }

  /** The answer about a choice, with the answer yes while the question is open. */
  boolean assume(int id) {
    if (!isOpen(id)) {
      return isYes(id);
    }
    boolean usedBefore = usesAssumption;
    int first = found.size();
    usesAssumption = false;
    answers[id] = ASSUMED;
    boolean isYes = false;
    try {
      isYes = question.test(id);
    } finally {
      if (!isYes && usesAssumption) {
        takeBack(first);
      }
      usesAssumption = usedBefore || (isYes && usesAssumption);
      answer(id, isYes);
    }
    return isYes;
  }

  /** What was found from an assumption may not hold; what is false even with it still is. */
  private void takeBack(int first) {
    List<Integer> built = found.subList(first, found.size());
    built.forEach(each -> answers[each] = UNKNOWN);
    built.clear();
    takenBack.run();
  }

  private boolean isOpen(int id) {
    if (id >= answers.length) {
      answers = Arrays.copyOf(answers, 2 * id + 16);
    }
    return answers[id] == UNKNOWN;
  }

  private boolean isYes(int id) {
    usesAssumption |= answers[id] == ASSUMED;
    return answers[id] != NO;
  }

  private void answer(int id, boolean isYes) {
    answers[id] = isYes ? YES : NO;
    if (isYes) {
      found.add(id);
    }
  }
}
