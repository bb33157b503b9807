package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The metadata of a field in the encoding of Arrow's C interface: a number of pairs, then for each
 * the length and the bytes of its key and of its value, all numbers as 32 bits in native order.
 */
final class SchemaMetadata {
  /** More than any library writes; a length beyond is a sign that this is no metadata. */
  private static final int MAX_BYTES = 64 << 20;

  private SchemaMetadata() {}

  /**
   * Reads metadata.
   *
   * @param address 0 for none
   * @param field describes the field in errors
   * @throws IllegalArgumentException if a length is impossible
   */
  static Map<String, String> read(long address, String field) {
    if (address == 0) {
      return Map.of();
    }
    Pointer at = NativeAddress.of(address, 1, field + ": the pointer to its metadata");
    Map<String, String> pairs = new LinkedHashMap<>();
    long[] next = {0};
    int count = length(at, next, field);
    for (int i = 0; i < count; i++) {
      String key = text(at, next, field);
      pairs.put(key, text(at, next, field));
    }
    return pairs;
  }

  private static String text(Pointer at, long[] next, String field) {
    int length = length(at, next, field);
    byte[] bytes = at.getByteArray(next[0], length);
    next[0] += length;
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static int length(Pointer at, long[] next, String field) {
    int length = at.getInt(next[0]);
    next[0] += Integer.BYTES;
    if (length < 0 || length > MAX_BYTES - next[0]) {
      throw new IllegalArgumentException(
          field
              + " has metadata with the length "
              + length
              + " at byte "
              + (next[0] - Integer.BYTES)
              + "; lengths are at least 0, and all of it at most "
              + MAX_BYTES
              + " bytes");
    }
    return length;
  }

  /** Encodes metadata. */
  static byte[] encode(Map<String, String> pairs) {
    int size = Integer.BYTES;
    for (Map.Entry<String, String> pair : pairs.entrySet()) {
      size += 2 * Integer.BYTES + bytes(pair.getKey()).length + bytes(pair.getValue()).length;
    }
    ByteBuffer encoded = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    encoded.putInt(pairs.size());
    pairs.forEach(
        (key, value) -> {
          put(encoded, bytes(key));
          put(encoded, bytes(value));
        });
    return encoded.array();
  }

  private static void put(ByteBuffer encoded, byte[] bytes) {
    encoded.putInt(bytes.length).put(bytes);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
