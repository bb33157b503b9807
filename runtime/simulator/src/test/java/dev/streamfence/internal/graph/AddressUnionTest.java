package dev.streamfence.internal.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which addresses the ranges of a union have, compared with a set of all of them. */
final class AddressUnionTest {
  private static final int ADDRESSES = 40;

  @Test
  void itOverlapsWhatHasAnAddressOfOneOfItsRanges() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      AddressUnion union = new AddressUnion();
      BitSet all = new BitSet();
      for (int i = 0; i < 5; i++) {
        int from = random.nextInt(ADDRESSES);
        int end = from + 1 + random.nextInt(5);
        union.add(from, end - from);
        all.set(from, end);
        for (int address = 0; address < ADDRESSES; address++) {
          for (int bytes = 1; bytes < 4; bytes++) {
            assertThat(union.overlaps(address, bytes))
                .isEqualTo(!all.get(address, address + bytes).isEmpty());
          }
        }
      }
    }
  }
}
