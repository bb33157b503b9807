package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An operation on the bits of a shifted number that is rearranged gives the same bits. */
final class RearrangedBitsTest {
  /** A thread whose only argument is a number. */
  private static final class OneNumber extends Evaluation {
    private final long number;

    OneNumber(NodeGraph nodes, long number) {
      super(nodes.size());
      this.number = number;
    }

    @Override
    protected long special(Node.Special special) {
      return fail();
    }

    @Override
    protected long argument(int index) {
      return number;
    }

    @Override
    protected boolean hasAddress(Node node) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "AND, SHIFT_LEFT, 32, 8",
    "AND, SHIFT_LEFT, 64, 8",
    "AND, SHIFT_RIGHT_UNSIGNED, 16, 8",
    "AND, SHIFT_RIGHT_UNSIGNED, 32, 8",
    "AND, SHIFT_RIGHT_UNSIGNED, 64, 8",
    "XOR, SHIFT_LEFT, 16, 8",
    "XOR, SHIFT_LEFT, 32, 8",
    "XOR, SHIFT_LEFT, 64, 8",
    // As they are, or sums where no bit is in both.
    "XOR, SHIFT_RIGHT_UNSIGNED, 32, 0",
    "AND, SHIFT_RIGHT, 32, 0",
    "OR, SHIFT_LEFT, 32, 0"
  })
  void theResultIsThatOfTheOperations(
      Operator operation, Operator shift, int bits, int rearranged) {
    Random random = new Random(5);
    Set<Node> others = new LinkedHashSet<>();
    for (int distance = 0; distance < bits; distance++) {
      for (long mask : masks(bits, distance, random)) {
        NodeGraph nodes = new NodeGraph();
        Node shifted = nodes.of(shift, bits, nodes.argument(0, bits), nodes.constant(distance, 32));
        Node constant = nodes.constant(mask, bits);
        Node result = nodes.of(operation, bits, shifted, constant);
        if (!result.is(operation)) {
          others.add(result);
        }
        for (long number : new long[] {0, 1, -1, Long.MIN_VALUE, random.nextLong()}) {
          long held = Machine.held(number, bits);
          OneNumber thread = new OneNumber(nodes, held);
          thread.begin();
          long first = Machine.apply(shift, bits, bits, held, distance);
          assertThat(thread.value(result))
              .as("%s of %s by %s and %s", operation, shift, distance, mask)
              .isEqualTo(Machine.apply(operation, bits, bits, first, constant.constant));
        }
      }
    }
    assertThat(others).hasSizeGreaterThanOrEqualTo(rearranged);
  }

  /** Runs of ones from and to every place near those that the shift leaves, and others. */
  private static Set<Long> masks(int bits, int distance, Random random) {
    Set<Long> found = new LinkedHashSet<>();
    for (int first = 0; first < 6; first++) {
      for (int last = bits - distance - 3; last <= bits - distance + 1; last++) {
        long run = last <= 0 ? 0 : -1L >>> Math.max(0, Long.SIZE - Math.min(last, bits));
        found.add(run >> first << first);
        found.add((run >> first << first) ^ 16);
      }
    }
    found.add(1L << distance);
    found.add(3L << Math.max(0, distance - 1));
    found.add(random.nextLong());
    found.add(random.nextLong() >>> 33);
    return found;
  }
}
