package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import org.junit.jupiter.api.Test;

/** Which bitwise operations are another one. {@link FoldedValuesTest} holds that it is the same. */
final class BitOperationsTest {
  private final NodeGraph nodes = new NodeGraph();
  private final Node x = nodes.argument(0, 32);

  private Node constant(long value) {
    return nodes.constant(value, 32);
  }

  private Node of(Operator operation, Node a, long b) {
    return nodes.of(operation, a.bits, a, nodes.constant(b, a.bits));
  }

  private Node left(Node value, long distance) {
    return nodes.of(Operator.SHIFT_LEFT, 32, value, constant(distance));
  }

  private Node right(Node value, long distance) {
    return nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, 32, value, constant(distance));
  }

  @Test
  void aMaskThatClearsNothingIsNone() {
    Node thread = nodes.special(Special.TID_X);
    assertThat(of(Operator.AND, thread, 1023)).isSameAs(thread);
    assertThat(of(Operator.AND, thread, 511).is(Operator.AND)).isTrue();
    assertThat(of(Operator.AND, left(x, 4), -16)).isEqualTo(left(x, 4));
    assertThat(of(Operator.AND, left(x, 4), 15)).isSameAs(constant(0));
  }

  @Test
  void bitsThatNeitherHasAreAdded() {
    Node row = left(x, 4);
    Node column = of(Operator.AND, nodes.argument(1, 32), 15);
    Node sum = nodes.of(Operator.ADD, 32, row, column);
    assertThat(nodes.of(Operator.OR, 32, row, column)).isSameAs(sum);
    assertThat(nodes.of(Operator.XOR, 32, row, column)).isSameAs(sum);
    assertThat(of(Operator.OR, row, 16).is(Operator.OR)).isTrue();
    Node two = nodes.of(Operator.OR, 32, row, nodes.argument(1, 32));
    assertThat(two.is(Operator.OR)).isTrue();
  }

  @Test
  void bitsOfAMultipleAreAMultiple() {
    assertThat(of(Operator.AND, left(x, 2), 60)).isSameAs(left(of(Operator.AND, x, 15), 2));
    assertThat(of(Operator.XOR, left(x, 2), 4)).isSameAs(left(of(Operator.XOR, x, 1), 2));
    assertThat(of(Operator.XOR, left(x, 2), 6).is(Operator.XOR)).isTrue();
    assertThat(of(Operator.XOR, left(x, 2), -4).is(Operator.XOR)).isTrue();
    Node unknown = nodes.of(Operator.SHIFT_LEFT, 32, x, nodes.argument(1, 32));
    assertThat(of(Operator.AND, unknown, 60).is(Operator.AND)).isTrue();
    Node signed = nodes.of(Operator.SHIFT_RIGHT, 32, x, constant(2));
    assertThat(of(Operator.AND, signed, 60).is(Operator.AND)).isTrue();
  }

  @Test
  void aQuotientWithoutItsLastBitsIsAMultipleOfAnother() {
    assertThat(of(Operator.AND, right(x, 3), 0x1ffffffc)).isSameAs(left(right(x, 5), 2));
    assertThat(of(Operator.AND, right(x, 3), 0x0ffffffc).is(Operator.AND)).isTrue();
    assertThat(of(Operator.AND, right(x, 3), 0x1ffffff5).is(Operator.AND)).isTrue();
    assertThat(of(Operator.XOR, right(x, 3), 0x1ffffffc).is(Operator.XOR)).isTrue();
  }

  @Test
  void someBitsOfANumberInMoreBitsAreThoseOfTheNumber() {
    Node wide = nodes.of(Operator.ZERO_EXTEND, 64, x);
    assertThat(of(Operator.AND, wide, 255))
        .isSameAs(nodes.of(Operator.ZERO_EXTEND, 64, of(Operator.AND, x, 255)));
    assertThat(of(Operator.AND, wide, -1L >>> 32)).isSameAs(wide);
    Node narrow = nodes.of(Operator.ZERO_EXTEND, 64, nodes.argument(1, 16));
    assertThat(of(Operator.AND, narrow, 255).is(Operator.AND)).isTrue();
    Node signed = nodes.of(Operator.SIGN_EXTEND, 64, x);
    assertThat(of(Operator.AND, signed, 255).is(Operator.AND)).isTrue();
    assertThat(of(Operator.XOR, wide, 255).is(Operator.XOR)).isTrue();
  }

  @Test
  void predicatesStayAsTheyAre() {
    Node p = nodes.argument(2, 1);
    Node q = nodes.argument(3, 1);
    for (Operator operation : new Operator[] {Operator.AND, Operator.OR, Operator.XOR}) {
      assertThat(nodes.of(operation, 1, p, q).is(operation)).isTrue();
      assertThat(nodes.of(operation, 1, p, nodes.constant(0, 1)).is(operation)).isTrue();
    }
  }
}
