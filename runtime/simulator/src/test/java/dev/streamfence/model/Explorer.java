package dev.streamfence.model;

import java.util.Set;

/**
 * Runs a program in every order in which its threads can take their steps, depth first, and stops
 * at the first failure. Confined to one thread.
 */
final class Explorer {
  private static final int DEEPEST = 256;
  private static final String[] IN_WORDS = {
    "fine",
    "race",
    "close lost",
    "close carried out twice",
    "allocation stays pinned",
    "lock kept",
    "deadlock"
  };

  private final Program program;
  private final ProtocolModel model;
  private final int[][] states = new int[DEEPEST][];
  private final byte[] schedule = new byte[DEEPEST];
  private final long most;
  private long interleavings;
  private String failure = "";

  private Explorer(Program program, Set<Flaw> flaws, long most) {
    this.program = program;
    this.model = new ProtocolModel(program, flaws);
    this.most = most;
  }

  /**
   * Explores a program to the end, or to its first failure.
   *
   * @param most after how many interleavings to give up
   */
  static Outcome explore(Program program, Set<Flaw> flaws, long most) {
    Explorer explorer = new Explorer(program, flaws, most);
    for (int i = 0; i < DEEPEST; i++) {
      explorer.states[i] = new int[explorer.model.size()];
    }
    int wrong = explorer.model.start(explorer.states[0]);
    if (wrong == ProtocolModel.FINE) {
      explorer.descend(0, -1, program.preemptions);
    } else {
      explorer.fail(IN_WORDS[wrong], 0);
    }
    return new Outcome(explorer.interleavings, explorer.failure);
  }

  /**
   * The result of an exploration.
   *
   * @param interleavings how many were run to their end
   * @param failure the first that went wrong, with its schedule; empty if none did
   */
  record Outcome(long interleavings, String failure) {
    boolean failed() {
      return !failure.isEmpty();
    }
  }

  /** Whether the search is over. */
  private boolean descend(int depth, int previous, int preemptions) {
    int[] state = states[depth];
    int threads = model.threads();
    int enabled = 0;
    for (int t = 0; t < threads; t++) {
      if (model.isEnabled(state, t)) {
        enabled |= 1 << t;
      }
    }
    if (enabled == 0) {
      return finish(state, depth);
    }
    boolean couldGoOn = previous >= 0 && (enabled >> previous & 1) != 0;
    for (int t = 0; t < threads; t++) {
      if ((enabled >> t & 1) == 0) {
        continue;
      }
      int left = couldGoOn && t != previous ? preemptions - 1 : preemptions;
      if (left < 0) {
        continue;
      }
      int[] next = states[depth + 1];
      System.arraycopy(state, 0, next, 0, state.length);
      schedule[depth] = (byte) t;
      int wrong = model.step(next, t);
      if (wrong != ProtocolModel.FINE) {
        return fail(IN_WORDS[wrong], depth + 1);
      }
      if (descend(depth + 1, t, left)) {
        return true;
      }
    }
    return false;
  }

  private boolean finish(int[] state, int depth) {
    interleavings++;
    for (int t = 0; t < model.threads(); t++) {
      if (!model.isDone(state, t)) {
        return fail(IN_WORDS[ProtocolModel.DEADLOCK], depth);
      }
    }
    int wrong = model.verdict(state);
    if (wrong != ProtocolModel.FINE) {
      return fail(IN_WORDS[wrong], depth);
    }
    return interleavings == most;
  }

  private boolean fail(String what, int depth) {
    StringBuilder text = new StringBuilder(what).append(" in ").append(program).append(": ");
    for (int i = 0; i < depth; i++) {
      text.append(schedule[i]);
    }
    failure = text.toString();
    return true;
  }
}
