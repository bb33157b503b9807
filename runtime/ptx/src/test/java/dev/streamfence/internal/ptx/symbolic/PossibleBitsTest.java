package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bits that a value may have are as few as its operands show. {@link FoldedValuesTest} holds
 * that they are enough.
 */
final class PossibleBitsTest {
  private final NodeGraph nodes = new NodeGraph();

  /** Any number with no other bits than these. */
  private Node number(int argument, long bits) {
    Node any = nodes.argument(argument, 32);
    return nodes.of(Operator.AND, 32, any, nodes.constant(bits, 32));
  }

  @ParameterizedTest
  @CsvSource({
    "ADD, 12, 3, 15",
    "ADD, 8, 1, 9",
    "ADD, 12, 12, 28",
    "ADD, 12, 6, 30",
    "ADD, 4, 4, 12",
    "ADD, 2147483647, 1, -1",
    "ADD, 2147483644, 4, -4",
    "ADD, 1073741824, 1073741824, -1073741824",
    "ADD, 1073741823, 1073741823, 2147483647",
    "ADD, -4, 12, -4",
    "SUBTRACT, 12, 8, -4",
    "SUBTRACT, 3, 8, -1",
    "MULTIPLY, 12, 6, 120",
    "MULTIPLY, 3, 3, 15",
    "MULTIPLY, 65535, 65535, -1",
    "MULTIPLY, 65534, 65534, -4",
    "MULTIPLY, 32767, 65535, 2147483647",
    "MULTIPLY, -4, 6, -8",
    "AND, 12, 6, 4",
    "XOR, 12, 6, 14",
    "OR, 12, 4, 12",
    "MIN, 12, 3, 15",
    "MAX_UNSIGNED, 12, 3, 15",
    "SHIFT_LEFT, 12, 3, -1",
    "DIVIDE, 12, 3, -1",
  })
  void twoNumbersShowWhichBitsTheirResultMayHave(Operator operation, long a, long b, long result) {
    Node found = nodes.of(operation, 32, number(0, a), number(1, b));

    assertThat(found.possible).isEqualTo(result);
  }

  @ParameterizedTest
  @CsvSource({
    "SHIFT_LEFT, 12, 3, 96",
    "SHIFT_LEFT, 12, 28, -1073741824",
    "SHIFT_LEFT, 12, 32, 0",
    "SHIFT_RIGHT, 12, 2, 3",
    "SHIFT_RIGHT, -4, 1, -2",
    "SHIFT_RIGHT_UNSIGNED, -4, 1, 2147483646",
    "SHIFT_RIGHT_UNSIGNED, 12, 3, 1",
    "DIVIDE, 12, 5, 3",
    "DIVIDE, -4, 5, -1",
    "DIVIDE_UNSIGNED, -4, 5, 1073741823",
    "DIVIDE_UNSIGNED, -4, 1, -1",
    "REMAINDER, 12, 5, 7",
    "REMAINDER, 3, 100, 3",
    "REMAINDER, -4, 100, -1",
    "REMAINDER_UNSIGNED, -4, 100, 127",
    "REMAINDER, 12, -5, -1",
  })
  void aConstantShowsMore(Operator operation, long a, long constant, long result) {
    Node found = nodes.of(operation, 32, number(0, a), nodes.constant(constant, 32));

    assertThat(found.possible).isEqualTo(result);
  }

  @Test
  void otherValuesHaveTheBitsOfTheirWidthOrLimits() {
    Node twelve = number(0, 12);
    Node choice = nodes.of(Operator.SELECT, 32, nodes.argument(2, 1), twelve, number(1, 3));
    assertThat(choice.possible).isEqualTo(15);
    assertThat(nodes.of(Operator.NEGATE, 32, twelve).possible).isEqualTo(-4);
    assertThat(nodes.of(Operator.NOT, 32, twelve).possible).isEqualTo(-1);
    assertThat(nodes.of(Operator.ZERO_EXTEND, 32, nodes.argument(3, 16)).possible)
        .isEqualTo(0xFFFF);
    assertThat(nodes.of(Operator.SIGN_EXTEND, 32, nodes.argument(3, 16)).possible).isEqualTo(-1);
    assertThat(nodes.of(Operator.TRUNCATE, 8, number(0, 0x180)).possible).isEqualTo(-128);
    assertThat(nodes.of(Operator.LESS, 1, twelve, number(1, 3)).possible).isEqualTo(1);
    assertThat(nodes.unknown(32, 0, 5, 0, List.of()).possible).isEqualTo(7);
    assertThat(nodes.unknown(32, 0, 0, 0, List.of()).possible).isZero();
    assertThat(nodes.unknown(32, -1, 5, 0, List.of()).possible).isEqualTo(-1);
    assertThat(nodes.base(0, 64, 16).possible).isEqualTo(-16);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 1",
    "8, -128, 127",
    "32, -2147483648, 2147483647",
    "64, -9223372036854775808, 9223372036854775807"
  })
  void anUnknownValueIsWithinItsWidth(int bits, long least, long most) {
    Node unknown = nodes.unknown(bits, 0, List.of());

    assertThat(unknown.constant).isEqualTo(least);
    assertThat(unknown.limit).isEqualTo(most);
  }

  @ParameterizedTest
  @CsvSource({
    "TID_X, 127, 127, 1023",
    "TID_Y, 0, 127, 1023",
    "TID_Z, 0, 63, 63",
    "NTID_X, 127, 127, 2047",
    "NTID_Y, 1, 127, 2047",
    "CTAID_X, 2147483647, 2147483647, 2147483647",
    "CTAID_Y, 65535, 65535, 65535",
    "NCTAID_Z, 65535, 65535, 65535",
  })
  void theBlockThatTheCodeRequiresLimitsIndexes(
      Special special, long exact, long most, long without) {
    assertThat(new NodeGraph(new BlockLimit(100, 1, 1, true)).special(special).possible)
        .isEqualTo(exact);
    assertThat(new NodeGraph(new BlockLimit(100, 1, 1, false)).special(special).possible)
        .isEqualTo(most);
    assertThat(nodes.special(special).possible).isEqualTo(without);
  }
}
