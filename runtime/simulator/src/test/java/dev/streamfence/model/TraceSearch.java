package dev.streamfence.model;

import java.nio.IntBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * Looks for an interleaving of the model that makes the same driver calls, in the same order, as
 * the real classes did. Confined to one thread.
 */
final class TraceSearch {
  /** More than the steps of any program, each of which has a few dozen driver calls. */
  private static final int DEEPEST = 1_024;

  private final ProtocolModel model;
  private final Trace wanted;
  private final Trace seen;
  private final int[][] states = new int[DEEPEST][];
  private final Set<IntBuffer> visited = new HashSet<>();

  private TraceSearch(Program program, Trace wanted) {
    ModelRun run = new ModelRun(program);
    this.model = new ProtocolModel(program, Set.of(), run);
    this.wanted = wanted;
    this.seen = run.trace();
  }

  /** Whether the model can make exactly the calls of a trace, to its end. */
  static boolean finds(Program program, Trace trace) {
    TraceSearch search = new TraceSearch(program, trace);
    int wrong = search.model.start(search.state(0));
    return wrong == ProtocolModel.FINE && search.agreesFrom(0) && search.descend(0);
  }

  private boolean descend(int depth) {
    int[] state = states[depth];
    if (!visited.add(withPosition(state))) {
      return false;
    }
    int start = seen.size();
    boolean done = true;
    for (int t = 0; t < model.threads(); t++) {
      done &= model.isDone(state, t);
      if (!model.isEnabled(state, t)) {
        continue;
      }
      int[] next = state(depth + 1);
      System.arraycopy(state, 0, next, 0, state.length);
      int wrong = model.step(next, t);
      if (wrong == ProtocolModel.FINE && agreesFrom(start) && descend(depth + 1)) {
        return true;
      }
      seen.cut(start);
    }
    return done && start == wanted.size();
  }

  private int[] state(int depth) {
    if (states[depth] == null) {
      states[depth] = new int[model.size()];
    }
    return states[depth];
  }

  private IntBuffer withPosition(int[] state) {
    // Slots that were never recorded come last and are 0: most of a ring is.
    int used = state.length;
    while (state[used - 1] == 0) {
      used--;
    }
    return IntBuffer.allocate(used + 1).put(state, 0, used).put(seen.size()).flip();
  }

  private boolean agreesFrom(int start) {
    for (int i = start; i < seen.size(); i++) {
      if (!seen.agrees(wanted, i)) {
        return false;
      }
    }
    return true;
  }
}
