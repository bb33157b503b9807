package dev.streamfence.internal.ptx.bounds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a {@link NumberWriter} has written. Each method throws an {@link
 * IllegalArgumentException} if the bytes are not what it reads. Confined to one thread.
 */
public final class NumberReader {
  private static final int BITS = 7;

  private final byte[] bytes;
  private int at;

  /** Creates a reader of these bytes, which nothing changes meanwhile. */
  public NumberReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Creates a reader of what is left here. */
  public NumberReader copy() {
    NumberReader copy = new NumberReader(bytes);
    copy.at = at;
    return copy;
  }

  /** Reads a number. */
  public long number() {
    long result = 0;
    for (int shift = 0; shift < Long.SIZE; shift += BITS) {
      byte next = next();
      result |= (long) (next & ((1 << BITS) - 1)) << shift;
      if (next >= 0) {
        return (result >>> 1) ^ -(result & 1);
      }
    }
    throw new IllegalArgumentException("a number has more than 64 bits");
  }

  private byte next() {
    if (at == bytes.length) {
      throw new IllegalArgumentException("the text ends too early");
    }
    return bytes[at++];
  }

  /** Reads a number from 0 up to, and without, a limit. */
  public int index(int limit) {
    long number = number();
    if (number < 0 || number >= limit) {
      throw new IllegalArgumentException(number + " is not below " + limit);
    }
    return (int) number;
  }

  /** Reads a number that fits into an {@code int}. */
  public int integer() {
    long number = number();
    if (number != (int) number) {
      throw new IllegalArgumentException(number + " is no int");
    }
    return (int) number;
  }

  /** Reads a truth value. */
  public boolean truth() {
    return index(2) == 1;
  }

  /** Reads a text. */
  public String text() {
    int length = count();
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  /** Reads a number of parts. Each takes at least one byte. */
  public int count() {
    long count = number();
    if (count < 0 || count > bytes.length - at) {
      throw new IllegalArgumentException(count + " parts do not fit into what follows");
    }
    return (int) count;
  }

  /** Reads a list: how many parts it has, and each of them. */
  public <T> List<T> list(Supplier<T> part) {
    int count = count();
    List<T> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(part.get());
    }
    return List.copyOf(parts);
  }

  /** Reads whether there is a value, and the value; null if there is none. */
  <T> @Nullable T optional(Supplier<T> present) {
    return truth() ? present.get() : null;
  }

  /** Requires that everything was read. */
  public void end() {
    if (at != bytes.length) {
      throw new IllegalArgumentException(bytes.length - at + " bytes are left");
    }
  }
}
