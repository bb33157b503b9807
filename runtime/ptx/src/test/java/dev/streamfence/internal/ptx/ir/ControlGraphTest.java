package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which blocks come before and after which, compared with a search along all paths. */
class ControlGraphTest {
  private static final int BLOCKS = 9;

  private int compared;

  private static ControlGraph graph(String code) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 8.0
            .target sm_80
            .address_size 64
            .entry k(.param .u32 n) {
              .reg .b32 %r<4>;
              .reg .pred %p<4>;
              CODE
            }
            """
                .replace("CODE", code));
    return ControlGraph.of(
        new FunctionFlow(module.entries().get(0).function()), new CallEnds(module, false));
  }

  /** Blocks that jump to others, end the thread or the run, or do either behind a guard. */
  private static String random(Random random) {
    StringBuilder code = new StringBuilder();
    for (int block = 0; block < BLOCKS; block++) {
      String target = "L" + random.nextInt(BLOCKS);
      code.append("L").append(block).append(": add.u32 %r1, %r1, 1;\n");
      code.append(
          switch (random.nextInt(8)) {
            case 0 -> "bra " + target + ";\n";
            case 1 -> "ret;\n";
            case 2 -> "@%p1 ret;\n";
            case 3 -> "trap;\n";
            case 4 -> "";
            default -> "@%p1 bra " + target + ";\n";
          });
    }
    return code.append("ret;\n").toString();
  }

  /** Whether a thread at a block may end without coming to another one before. */
  private static boolean mayEndWithout(ControlGraph graph, int from, int other) {
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    open.add(from);
    while (!open.isEmpty()) {
      int at = open.remove();
      if (at == other || seen.get(at)) {
        continue;
      }
      seen.set(at);
      Block block = graph.block(at);
      if (block.leaves()) {
        return true;
      }
      open.addAll(block.successors());
    }
    return false;
  }

  private void compare(ControlGraph graph) {
    for (int first = 0; first < graph.size(); first++) {
      BitSet leading = new BitSet();
      for (int second = 0; second < graph.size(); second++) {
        boolean follows =
            first == second
                || (mayEndWithout(graph, second, -1) && !mayEndWithout(graph, second, first));
        assertThat(graph.postdominates(first, second))
            .as("block %s after block %s", first, second)
            .isEqualTo(follows);
        if (follows) {
          graph.block(second).predecessors().forEach(leading::set);
        }
      }
      assertThat(graph.leadingTo(first)).isEqualTo(leading);
      compared++;
    }
  }

  @Test
  void aBlockPostdominatesThoseFromWhichAllPathsToAnEndLeadThroughIt() {
    Random random = new Random(1);
    for (int i = 0; i < 500; i++) {
      try {
        compare(graph(random(random)));
      } catch (TooComplexException e) {
        // A loop with two entries.
      }
    }

    assertThat(compared).isGreaterThan(1000);
  }

  @Test
  void aBlockFromWhichNoThreadEndsPostdominatesItselfAlone() {
    ControlGraph graph = graph("@%p1 bra END; LOOP: add.u32 %r1, %r1, 1; bra LOOP; END: ret;");

    compare(graph);
    assertThat(graph.size()).isEqualTo(3);
  }
}
