package dev.streamfence.internal.ptx.bounds;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes numbers and texts in few bytes, which a {@link NumberReader} reads in the same order. A
 * number has 7 bits in each byte, the lowest first, after its sign was moved to the lowest bit; see
 * "Encoding" of Protocol Buffers, {@code sint64}. Confined to one thread.
 */
public final class NumberWriter {
  private static final int BITS = 7;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Writes a number. */
  public void add(long number) {
    long rest = (number << 1) ^ (number >> (Long.SIZE - 1));
    while (rest >>> BITS != 0) {
      bytes.write((int) rest | (1 << BITS));
      rest >>>= BITS;
    }
    bytes.write((int) rest);
  }

  /** Writes a truth value. */
  public void add(boolean value) {
    add(value ? 1 : 0);
  }

  /** Writes a text. */
  public void add(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    add(encoded.length);
    bytes.writeBytes(encoded);
  }

  /** Writes a list: how many parts it has, and each of them. */
  public <T> void list(Collection<T> parts, Consumer<T> part) {
    add(parts.size());
    parts.forEach(part);
  }

  /** Writes whether there is a value, and the value. */
  <T> void optional(@Nullable T value, Consumer<T> present) {
    add(value != null);
    if (value != null) {
      present.accept(value);
    }
  }

  /** All that was written. */
  public byte[] toBytes() {
    return bytes.toByteArray();
  }
}
