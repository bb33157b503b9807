package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadEvaluation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of a kernel in one thread of one launch, as far as the thread's place and the numbers
 * of the launch decide them; one thread after another. Confined to one thread.
 */
class ConcreteThread extends ThreadEvaluation {
  /** Whether values depend on a number that the launch passes, as far as that was asked. */
  private final Map<Node, Boolean> ofLaunch = new HashMap<>();

  private TrialLaunch launch;
  private int number;

  /** Creates the first thread of a launch. */
  ConcreteThread(NodeGraph nodes, Dependences dependences, TrialLaunch launch) {
    super(nodes, dependences);
    this.launch = launch;
  }

  /** Becomes another thread, by its place among all threads of a launch. */
  final void become(TrialLaunch other, int place) {
    launch = other;
    number = place;
    begin();
  }

  /**
   * No launch passes a number that shifts all bits out, although the arguments here are large; what
   * the place of a thread shifts out is as the code wants it.
   */
  @Override
  protected final boolean isUndefined(Node node, long second) {
    boolean shiftsOut =
        switch (node.operation) {
          case SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> second < 0 || second >= node.bits;
          default -> false;
        };
    return super.isUndefined(node, second)
        || (shiftsOut && ofLaunch.computeIfAbsent(node.input(1), ConcreteThread::isOfLaunch));
  }

  private static boolean isOfLaunch(Node value) {
    return Node.reached(List.of(value), each -> true).stream()
        .anyMatch(each -> each.is(Operator.ARGUMENT));
  }

  @Override
  protected final long special(Special special) {
    return launch.special(special, number);
  }

  @Override
  protected final long argument(int index) {
    return launch.argument(index);
  }
}
