package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadEvaluation;

/**
 * The values of a kernel in one thread of one launch, as far as the thread's place and the numbers
 * of the launch decide them; one thread after another. Confined to one thread.
 */
final class ConcreteThread extends ThreadEvaluation {
  private TrialLaunch launch;
  private int number;

  /** Creates the first thread of a launch. */
  ConcreteThread(NodeGraph nodes, Dependences dependences, TrialLaunch launch) {
    super(nodes, dependences);
    this.launch = launch;
  }

  /** Becomes another thread, by its place among all threads of a launch. */
  void become(TrialLaunch other, int place) {
    launch = other;
    number = place;
    begin();
  }

  @Override
  protected long special(Special special) {
    return launch.special(special, number);
  }

  @Override
  protected long argument(int index) {
    return launch.argument(index);
  }
}
