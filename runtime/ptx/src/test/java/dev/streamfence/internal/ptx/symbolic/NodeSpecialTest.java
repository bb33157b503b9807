package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Node.Special;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The predefined registers by their dimensions. */
final class NodeSpecialTest {
  @ParameterizedTest
  @CsvSource({"0, x", "1, y", "2, z"})
  void eachDimensionHasItsRegisters(int dimension, String letter) {
    assertThat(Special.thread(dimension).register).isEqualTo("%tid." + letter);
    assertThat(Special.block(dimension).register).isEqualTo("%ctaid." + letter);
    assertThat(Special.blockSize(dimension).register).isEqualTo("%ntid." + letter);
    assertThat(Special.gridSize(dimension).register).isEqualTo("%nctaid." + letter);
    for (Special special :
        new Special[] {
          Special.thread(dimension),
          Special.block(dimension),
          Special.blockSize(dimension),
          Special.gridSize(dimension)
        }) {
      assertThat(special.dimension).isEqualTo(dimension);
    }
  }
}
