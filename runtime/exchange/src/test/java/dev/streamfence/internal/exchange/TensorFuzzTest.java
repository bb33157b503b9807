package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.launch.ElementType;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tensors with random fields are described or refused. Pointers to shape and strides stay valid, as
 * nobody could read others. {@code -Dstreamfence.fuzz.count} sets how many there are, {@code
 * -Dstreamfence.fuzz.seed} selects the first.
 */
final class TensorFuzzTest {
  private static final long[] EDGES = {
    0, 1, -1, 2, 3, 4, 5, 8, 64, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31, 1L << 61, 1L << 62
  };

  @ParameterizedTest
  @EnumSource
  void aRandomTensorIsDescribedOrRefused(Form form) {
    long seed = Long.getLong("streamfence.fuzz.seed", 1);
    int count = Integer.getInteger("streamfence.fuzz.count", 20_000);
    int described = 0;
    for (int i = 0; i < count; i++, seed++) {
      Random random = new Random(seed);
      RawTensor raw = random(form, random);
      try {
        ManagedTensor tensor = raw.read();
        ElementType type = ElementType.values()[random.nextInt(8)];
        tensor.tensor().device().requireOn(0, tensor.toString());
        ElementMemory memory = tensor.tensor().elements(type, tensor.toString());
        assertThat(memory.sizeInBytes()).isEqualTo(memory.length() * type.sizeInBytes());
        assertThat(memory.length()).isNotNegative();
        described++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).as("seed %s", seed).contains("tensor at 0x");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(described).isBetween(count / 1000, count / 2);
  }

  private static RawTensor random(Form form, Random random) {
    RawTensor raw = new RawTensor(form);
    long[] shape = new long[random.nextInt(4)];
    long[] strides = new long[shape.length];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = random.nextInt(4) == 0 ? edge(random) : random.nextInt(4);
      strides[i] = random.nextInt(4) == 0 ? edge(random) : random.nextInt(4);
    }
    raw.shape(shape);
    if (random.nextBoolean()) {
      raw.strides(strides);
    }
    raw.type(random.nextInt(8), 8 << random.nextInt(4), 1);
    for (int change = random.nextInt(3); change > 0; change--) {
      switch (random.nextInt(7)) {
        case 0 -> raw.type(random.nextInt(256), random.nextInt(256), random.nextInt(3));
        case 1 -> raw.device(random.nextInt(20), (int) edge(random));
        case 2 -> raw.setInt(Form.DIMENSIONS, (int) edge(random));
        case 3 -> raw.setLong(Form.DATA, edge(random));
        case 4 -> raw.setLong(Form.BYTE_OFFSET, edge(random));
        case 5 -> raw.setLong(Form.SHAPE, edge(random) & 7);
        default -> raw.setByte(random.nextInt(8), (byte) random.nextInt(3));
      }
    }
    return raw;
  }

  private static long edge(Random random) {
    return EDGES[random.nextInt(EDGES.length)] + random.nextInt(3) - 1;
  }
}
