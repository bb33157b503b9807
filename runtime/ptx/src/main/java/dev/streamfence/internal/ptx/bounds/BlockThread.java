package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadEvaluation;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.BitSet;

/**
 * The values of a kernel that the thread's place and the block's shape decide, also in the first
 * iteration of loops, and no others. Confined to one thread.
 */
final class BlockThread extends ThreadEvaluation {
  private final BlockLimit block;
  final int x;
  final int y;
  final int z;

  /** The headers of the loops whose first iteration this is about. */
  private BitSet first = new BitSet();

  /**
   * Creates the values of a thread.
   *
   * @param x the thread's number in x
   */
  BlockThread(NodeGraph nodes, Dependences dependences, BlockLimit block, int x, int y, int z) {
    super(nodes, dependences);
    this.block = block;
    this.x = x;
    this.y = y;
    this.z = z;
  }

  /** Computes the values of the first iteration of the loops with these headers. */
  void enter(BitSet headers) {
    if (!first.equals(headers)) {
      first = headers;
      begin();
    }
  }

  @Override
  protected long carried(Node phi) {
    return phi.isCarried && first.get(phi.block) ? value(phi.input(0)) : fail();
  }

  @Override
  protected long special(Node.Special special) {
    if (special.isBlock || special.countsBlocks) {
      return fail();
    }
    return switch (special.dimension) {
      case 0 -> special.isThread ? x : block.x();
      case 1 -> special.isThread ? y : block.y();
      default -> special.isThread ? z : block.z();
    };
  }
}
