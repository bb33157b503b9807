package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tables with random fields are described or refused, and are released after either. Pointers are
 * valid, or no addresses. {@code -Dstreamfence.fuzz.count} sets how many there are, {@code
 * -Dstreamfence.fuzz.seed} selects the first.
 */
final class ArrowFuzzTest {
  private static final long[] EDGES = {
    0, 0, 1, -1, 2, 3, 4, 5, 8, 1024, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32, 1L << 61, -2
  };

  /** As long as the shortest that they overwrite. */
  private static final List<String> FORMATS = List.of("", "b", "c", "i", "l", "g", "u", "z", "+");

  @Test
  void aRandomTableIsDescribedOrRefused() {
    long seed = Long.getLong("streamfence.fuzz.seed", 1);
    int count = Integer.getInteger("streamfence.fuzz.count", 5_000);
    int open = Exports.open();
    int described = 0;
    for (int i = 0; i < count; i++, seed++) {
      Random random = new Random(seed);
      try (RawTable table = new RawTable()) {
        for (int changes = random.nextInt(4); changes > 0; changes--) {
          change(table, random);
        }
        assertThat(table.read().array().length()).isNotNegative();
        described++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage())
            .as("seed %s", seed)
            .containsPattern("(array|schema|field) .*[;,0-9a-z]");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(described).isBetween(count / 10, count / 10 * 9);
    assertThat(Exports.open()).isEqualTo(open);
  }

  private static void change(RawTable table, Random random) {
    Pointer schema =
        pick(
            random,
            List.of(table.schema(), table.schemaOfA(), table.schemaOfB(), table.schemaOfC()));
    Pointer array = pick(random, List.of(table.array(), table.a(), table.b(), table.c()));
    switch (random.nextInt(13)) {
      case 0 -> array.setLong(OfArray.LENGTH, edge(random));
      case 1 -> array.setLong(OfArray.NULL_COUNT, edge(random));
      case 2 -> array.setLong(OfArray.OFFSET, edge(random));
      case 3 -> array.setLong(OfArray.BUFFER_COUNT, edge(random));
      case 4 -> array.setLong(OfArray.CHILD_COUNT, edge(random));
      case 5 ->
          array.setLong(
              pick(random, List.of(OfArray.BUFFERS, OfArray.CHILDREN)), random.nextInt(5));
      case 6 -> {
        if (array.getLong(OfArray.BUFFERS) > 4) {
          RawTable.buffer(array, 0, edge(random));
        }
      }
      case 7 ->
          table
              .array()
              .setLong(OfDeviceArray.DEVICE_TYPE + 8L * random.nextInt(5), random.nextInt(3));
      case 8 -> schema.getPointer(OfSchema.FORMAT).setString(0, pick(random, FORMATS));
      case 9 -> schema.setLong(OfSchema.FLAGS, edge(random));
      // Fewer than there are, or too many for any table.
      case 10 ->
          schema.setLong(OfSchema.CHILD_COUNT, pick(random, List.of(-1L, 0L, 1L, 2L, 1L << 60)));
      case 11 -> table.schemaOfA().getPointer(OfSchema.METADATA).setInt(0, random.nextInt(4) - 2);
      default ->
          schema.setLong(
              pick(random, List.of(OfSchema.NAME, OfSchema.CHILDREN)), random.nextInt(5));
    }
  }

  private static <T> T pick(Random random, List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static long edge(Random random) {
    return EDGES[random.nextInt(EDGES.length)];
  }
}
