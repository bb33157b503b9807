package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However operations are folded, and whatever is known of their bits: a value is what the device
 * computes.
 */
final class FoldedValuesTest {
  private static final List<Operator> BINARY =
      List.of(
          Operator.ADD,
          Operator.SUBTRACT,
          Operator.MULTIPLY,
          Operator.SHIFT_LEFT,
          Operator.SHIFT_RIGHT,
          Operator.SHIFT_RIGHT_UNSIGNED,
          Operator.DIVIDE,
          Operator.DIVIDE_UNSIGNED,
          Operator.REMAINDER,
          Operator.REMAINDER_UNSIGNED,
          Operator.AND,
          Operator.AND,
          Operator.OR,
          Operator.OR,
          Operator.XOR,
          Operator.MIN,
          Operator.MAX,
          Operator.MIN_UNSIGNED,
          Operator.MAX_UNSIGNED);

  private static final int THREADS = 12;

  /** Whether the last operation has become another one, or one of its operands. */
  private static boolean isSimpler;

  /** A value, and what each of some threads has. */
  private record Known(Node node, long[] values) {}

  /** The threads of a launch with one argument each; the number of a thread decides all. */
  private static final class Numbered extends Evaluation {
    private final BlockLimit block;
    private final long[] arguments;
    private int number;

    Numbered(NodeGraph nodes, BlockLimit block, long[] arguments) {
      super(nodes.size());
      this.block = block;
      this.arguments = arguments;
    }

    void become(int next) {
      number = next;
      begin();
    }

    @Override
    protected long special(Special special) {
      return of(special, block, number);
    }

    static long of(Special special, BlockLimit block, int number) {
      return switch (special) {
        case TID_X -> number % block.x();
        case NTID_X -> block.x();
        // The largest grids that there are.
        case CTAID_X -> Integer.MAX_VALUE - 1 - number;
        case CTAID_Y -> 65_534 - number;
        default -> throw new IllegalArgumentException(special + "");
      };
    }

    @Override
    protected long argument(int index) {
      return Machine.held(arguments[number], index);
    }

    @Override
    protected boolean hasAddress(Node node) {
      return false;
    }
  }

  @Test
  void aValueIsWhatTheDeviceComputesAndHasNoOtherBitsThanThoseThatItMayHave() {
    int folded = 0;
    for (int seed = 0; seed < 4_000; seed++) {
      Random random = new Random(seed);
      BlockLimit block = new BlockLimit(1 + random.nextInt(130), 1, 1, random.nextBoolean());
      NodeGraph nodes = random.nextInt(4) == 0 ? new NodeGraph() : new NodeGraph(block);
      long[] arguments = random.longs(THREADS).toArray();
      List<Known> known = new ArrayList<>();
      for (Special special : List.of(Special.TID_X, Special.CTAID_X, Special.CTAID_Y)) {
        known.add(all(nodes.special(special), i -> Numbered.of(special, block, (int) i)));
      }
      known.add(all(nodes.special(Special.NTID_X), i -> block.x()));
      // The width is the argument's number.
      for (int bits : new int[] {8, 16, 32, 64}) {
        known.add(all(nodes.argument(bits, bits), i -> Machine.held(arguments[(int) i], bits)));
      }
      for (int i = 0; i < 14; i++) {
        known.add(next(nodes, known, random));
        folded += isSimpler ? 1 : 0;
      }
      Numbered thread = new Numbered(nodes, block, arguments);
      for (int number = 0; number < THREADS; number++) {
        thread.become(number);
        for (Known each : known) {
          long value = each.values()[number];
          long found = thread.value(each.node());
          if (thread.hasFailed()) {
            // It divides by 0.
            thread.resume();
          } else {
            assertThat(found).as("a value of the kernel %s", seed).isEqualTo(value);
            assertThat(value & ~each.node().possible).as("bits, kernel %s", seed).isZero();
          }
        }
      }
    }
    assertThat(folded).isGreaterThan(600);
  }

  private static Known all(Node node, LongUnaryOperator values) {
    long[] each = new long[THREADS];
    for (int i = 0; i < each.length; i++) {
      each[i] = values.applyAsLong(i);
    }
    return new Known(node, each);
  }

  private static Known next(NodeGraph nodes, List<Known> known, Random random) {
    Known a = known.get(random.nextInt(known.size()));
    int bits = a.node().bits;
    isSimpler = false;
    if (random.nextInt(4) == 0) {
      int to = List.of(8, 16, 32, 64).get(random.nextInt(4));
      Operator extension = random.nextBoolean() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
      Operator operation = to >= bits ? extension : Operator.TRUNCATE;
      return all(
          nodes.of(operation, to, a.node()),
          i ->
              Machine.held(
                  operation == Operator.ZERO_EXTEND
                      ? Machine.unsigned(a.values()[(int) i], bits)
                      : a.values()[(int) i],
                  to));
    }
    if (random.nextInt(8) == 0) {
      Operator operation = random.nextBoolean() ? Operator.NOT : Operator.NEGATE;
      return all(
          nodes.of(operation, bits, a.node()),
          i -> Machine.apply(operation, bits, bits, a.values()[(int) i], 0));
    }
    Operator operation = BINARY.get(random.nextInt(BINARY.size()));
    boolean isShift = operation.name().startsWith("SHIFT");
    List<Known> fitting =
        known.stream().filter(each -> each.node().bits == bits && !isShift).toList();
    Known b =
        fitting.isEmpty() || random.nextBoolean()
            ? constant(nodes, isShift ? random.nextInt(40) : number(random), isShift ? 32 : bits)
            : fitting.get(random.nextInt(fitting.size()));
    Node node = nodes.of(operation, bits, a.node(), b.node());
    isSimpler = !node.is(operation) && !node.is(Operator.CONSTANT);
    return all(
        node,
        i -> {
          long second = b.values()[(int) i];
          boolean isUndefined = Machine.divides(operation) && Machine.unsigned(second, bits) == 0;
          return isUndefined
              ? 0
              : Machine.apply(operation, bits, bits, a.values()[(int) i], second);
        });
  }

  private static Known constant(NodeGraph nodes, long value, int bits) {
    Node node = nodes.constant(value, bits);
    return all(node, i -> node.constant);
  }

  private static long number(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> 1L << random.nextInt(33);
      case 1 -> (1L << random.nextInt(33)) - 1;
      case 2 -> -(1L << random.nextInt(12));
      default -> random.nextInt(1000) - 20;
    };
  }

  /** The sequences of compilers for {@code x / d}, after Hacker's Delight, chapter 10. */
  @ParameterizedTest
  @ValueSource(
      ints = {3, 5, 6, 7, 10, 11, 25, 48, 100, 125, 625, 641, 1000, 3600, 65_537, 1_000_000_007})
  void aProductWithTheReciprocalOfAConstantIsADivision(int divisor) {
    NodeGraph nodes = new NodeGraph();
    Node number = nodes.argument(32, 32);
    Node signed = signed(nodes, number, divisor);
    assertThat(signed.operation).isEqualTo(Operator.DIVIDE);
    assertThat(signed.input(1).constant).isEqualTo(divisor);
    Node rest = nodes.of(Operator.SUBTRACT, 32, number, times(nodes, signed, divisor));
    assertThat(rest.is(Operator.REMAINDER)).isTrue();
    assertThat(nodes.of(Operator.ADD, 32, times(nodes, signed, -divisor), number)).isSameAs(rest);
    Node unsigned = unsigned(nodes, number, divisor);
    assertThat(unsigned.operation).isEqualTo(Operator.DIVIDE_UNSIGNED);
    assertThat(unsigned.input(1).constant).isEqualTo(divisor);
    long[] numbers = {
      0, 1, divisor - 1, divisor, -1, -divisor, 1 - divisor, Integer.MAX_VALUE, Integer.MIN_VALUE
    };
    Numbered thread = new Numbered(nodes, new BlockLimit(1, 1, 1, true), numbers);
    for (int i = 0; i < numbers.length; i++) {
      thread.become(i);
      int x = (int) numbers[i];
      assertThat(thread.value(signed)).isEqualTo(x / divisor);
      assertThat(thread.value(rest)).isEqualTo(x % divisor);
      assertThat((int) thread.value(unsigned)).isEqualTo(Integer.divideUnsigned(x, divisor));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 7, 10, 1000})
  void aReciprocalThatIsTooLargeIsNone(int divisor) {
    NodeGraph nodes = new NodeGraph();
    Node number = nodes.argument(32, 32);
    Node sign = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, number, nodes.constant(31, 32));
    Node part = part(nodes, Operator.SIGN_EXTEND, number, (1L << 32) / divisor + 2, 32);

    assertThat(nodes.of(Operator.ADD, 32, part, sign).is(Operator.ADD)).isTrue();
    assertThat(part(nodes, Operator.ZERO_EXTEND, number, (1L << 32) / divisor + 2, 32).operation)
        .isEqualTo(Operator.TRUNCATE);
  }

  @Test
  void aNegativeFactorOfANumberWithoutASignIsNoReciprocal() {
    NodeGraph nodes = new NodeGraph();
    Node number = nodes.argument(32, 32);
    long factor = (1L << 33) / 3 + 1 - (1L << 32);

    assertThat(withoutCarry(nodes, number, factor, 33).operation)
        .isEqualTo(Operator.SHIFT_RIGHT_UNSIGNED);
  }

  @Test
  void theSignOfAnotherNumberMakesNoDivision() {
    NodeGraph nodes = new NodeGraph();
    Node number = nodes.argument(32, 32);
    Node part = part(nodes, Operator.SIGN_EXTEND, number, (1L << 38) / 1000 + 1, 38);
    Node other = part(nodes, Operator.SIGN_EXTEND, number, (1L << 38) / 999 + 1, 38);
    for (Node wrong : List.of(nodes.argument(33, 32), other, nodes.of(Operator.NOT, 32, number))) {
      Node sign = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, wrong, nodes.constant(31, 32));
      assertThat(nodes.of(Operator.ADD, 32, part, sign).operation).isEqualTo(Operator.ADD);
    }
    // A factor of 32 bits is completed at the half of the product, and nowhere else.
    Node later = part(nodes, Operator.SIGN_EXTEND, number, -1840700269, 34);
    assertThat(nodes.of(Operator.ADD, 32, later, number).operation).isEqualTo(Operator.ADD);
  }

  /** Rounded down, the quotient of a negative number is one too small without its sign. */
  @Test
  void onlyANumberThatIsNotNegativeIsDividedWithoutItsSign() {
    NodeGraph nodes = new NodeGraph();
    Node thread = nodes.special(Special.TID_X);
    long factor = (1L << 38) / 1000 + 1;

    assertThat(part(nodes, Operator.SIGN_EXTEND, thread, factor, 38).is(Operator.DIVIDE)).isTrue();
    assertThat(part(nodes, Operator.SIGN_EXTEND, nodes.argument(32, 32), factor, 38).operation)
        .isEqualTo(Operator.TRUNCATE);
  }

  /** Compilers divide small numbers, such as a thread's index, in 16 bits. */
  @Test
  void aNumberOfSixteenBitsIsDividedAsOneOfThirtyTwo() {
    NodeGraph nodes = new NodeGraph();
    Node thread = nodes.special(Special.TID_X);
    Node wide = nodes.of(Operator.ZERO_EXTEND, 32, nodes.of(Operator.TRUNCATE, 16, thread));
    assertThat(wide).isSameAs(thread);
    Node wider = nodes.of(Operator.ZERO_EXTEND, 64, thread);
    assertThat(nodes.of(Operator.ZERO_EXTEND, 32, nodes.of(Operator.TRUNCATE, 16, wider)))
        .isSameAs(thread);
    Node number = nodes.argument(16, 16);
    Node product =
        nodes.of(
            Operator.MULTIPLY,
            32,
            nodes.of(Operator.ZERO_EXTEND, 32, number),
            nodes.constant(52_429, 32));
    Node tenth = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, product, nodes.constant(19, 32));
    assertThat(nodes.of(Operator.TRUNCATE, 16, tenth))
        .isSameAs(nodes.of(Operator.DIVIDE_UNSIGNED, 16, number, nodes.constant(10, 16)));
  }

  private static Node signed(NodeGraph nodes, Node number, int divisor) {
    int shift = 32;
    long factor = (1L << shift) / divisor + 1;
    while (factor * divisor - (1L << shift) > 1L << (shift - 31)) {
      shift++;
      factor = (1L << shift) / divisor + 1;
    }
    Node half = high(nodes, number, (int) factor);
    // A factor of 32 bits is negative: its last multiple is added.
    half = factor > Integer.MAX_VALUE ? nodes.of(Operator.ADD, 32, half, number) : half;
    Node shifted = nodes.of(Operator.SHIFT_RIGHT, 32, half, nodes.constant(shift - 32, 32));
    shifted = shift == 32 ? half : shifted;
    Node sign = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, half, nodes.constant(31, 32));
    return nodes.of(Operator.ADD, 32, shifted, sign);
  }

  private static Node high(NodeGraph nodes, Node number, int factor) {
    Node wide = nodes.of(Operator.SIGN_EXTEND, 64, number);
    Node product = nodes.of(Operator.MULTIPLY, 64, wide, nodes.constant(factor, 64));
    Node half = nodes.of(Operator.SHIFT_RIGHT, 64, product, nodes.constant(32, 32));
    return nodes.of(Operator.TRUNCATE, 32, half);
  }

  private static Node unsigned(NodeGraph nodes, Node number, int divisor) {
    int shift = 32;
    long factor = (1L << shift) / divisor + 1;
    while (factor * divisor - (1L << shift) > 1L << (shift - 32)) {
      shift++;
      factor = (1L << shift) / divisor + 1;
    }
    if (factor < 1L << 32) {
      return part(nodes, Operator.ZERO_EXTEND, number, factor, shift);
    }
    return withoutCarry(nodes, number, factor - (1L << 32), shift);
  }

  /** The quotient by a factor of 33 bits, the first of which is added by hand. */
  private static Node withoutCarry(NodeGraph nodes, Node number, long factor, int shift) {
    Node half = part(nodes, Operator.ZERO_EXTEND, number, factor, 32);
    Node rest = nodes.of(Operator.SUBTRACT, 32, number, half);
    Node halved = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, rest, nodes.constant(1, 32));
    Node mean = nodes.of(Operator.ADD, 32, halved, half);
    return nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, mean, nodes.constant(shift - 33, 32));
  }

  private static Node part(NodeGraph nodes, Operator extend, Node number, long factor, int shift) {
    Node wide = nodes.of(extend, 64, number);
    Node product = nodes.of(Operator.MULTIPLY, 64, wide, nodes.constant(factor, 64));
    Operator right =
        extend == Operator.SIGN_EXTEND ? Operator.SHIFT_RIGHT : Operator.SHIFT_RIGHT_UNSIGNED;
    Node part = nodes.of(right, 64, product, nodes.constant(shift, 32));
    return nodes.of(Operator.TRUNCATE, 32, part);
  }

  private static Node times(NodeGraph nodes, Node quotient, int factor) {
    return nodes.of(Operator.MULTIPLY, 32, quotient, nodes.constant(factor, 32));
  }
}
