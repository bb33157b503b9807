package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RangeIndexTest {
  private record Range(long address, long bytes, long number) {
    boolean overlaps(long otherAddress, long otherBytes) {
      return address < otherAddress + otherBytes && otherAddress < address + bytes;
    }
  }

  private final RangeIndex<Range> index = new RangeIndex<>();

  private Range add(long address, long bytes, long number) {
    Range range = new Range(address, bytes, number);
    index.add(address, bytes, number, range);
    return range;
  }

  private void remove(Range range) {
    index.remove(range.address(), range.bytes(), range.number());
  }

  @Test
  void neighboursDoNotOverlap() {
    Range range = add(100, 8, 1);
    assertThat(index.overlapping(92, 8)).isEmpty();
    assertThat(index.overlapping(108, 8)).isEmpty();
    assertThat(index.overlapping(92, 9)).containsExactly(range);
    assertThat(index.overlapping(107, 1)).containsExactly(range);
    assertThat(index.overlapping(0, 1000)).containsExactly(range);
  }

  @Test
  void rangesAtOneAddressAreToldApart() {
    Range first = add(100, 8, 1);
    Range second = add(100, 8, 2);
    remove(first);
    assertThat(index.overlapping(100, 1)).containsExactly(second);
    remove(second);
    remove(second);
    assertThat(index.overlapping(100, 1)).isEmpty();
  }

  @Test
  void theLongestRangesAreFoundFromTheirLastByte() {
    Range all = add(0, Long.MAX_VALUE, 1);
    Range half = add(1, 1L << 62, 2);
    assertThat(index.overlapping(1L << 62, 1)).containsExactlyInAnyOrder(all, half);
    assertThat(index.overlapping(Long.MAX_VALUE - 1, 1)).containsExactly(all);
  }

  @Test
  void itFindsWhatASearchOfAllFinds() {
    Random random = new Random(5);
    List<Range> all = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(3) == 0 && !all.isEmpty()) {
        remove(all.remove(random.nextInt(all.size())));
      } else if (all.size() < 200) {
        all.add(add(random.nextInt(2_000), 1 + random.nextInt(1 << random.nextInt(10)), i));
      }
      long address = random.nextInt(2_000);
      long bytes = 1 + random.nextInt(1 << random.nextInt(10));
      assertThat(index.overlapping(address, bytes))
          .containsExactlyInAnyOrderElementsOf(
              all.stream().filter(range -> range.overlaps(address, bytes)).toList());
    }
  }
}
