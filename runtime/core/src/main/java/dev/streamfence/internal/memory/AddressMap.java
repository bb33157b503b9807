package dev.streamfence.internal.memory;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Values by addresses of memory. Thread-safe.
 *
 * <p>The last bits of addresses are 0, and those of memory of one size differ in few bits, so that
 * a hash table of them would have many in one place. This one has them multiplied by a number
 * without a pattern (Knuth, The Art of Computer Programming 3, 6.4).
 */
final class AddressMap<V> {
  /** 2^64 divided by the golden ratio; odd, so that no two addresses become one number. */
  private static final long SCATTER = 0x9E3779B97F4A7C15L;

  /** Undoes {@link #SCATTER}: their product ends with 64 bits of the number 1. */
  private static final long GATHER = 0xF1DE83E19937733DL;

  private final ConcurrentMap<Long, V> byScattered = new ConcurrentHashMap<>();

  @Nullable V get(long address) {
    return byScattered.get(address * SCATTER);
  }

  void put(long address, V value) {
    byScattered.put(address * SCATTER, value);
  }

  /**
   * Adds a value unless the address has one.
   *
   * @return the value that it has; null if it had none
   */
  @Nullable V putIfAbsent(long address, V value) {
    return byScattered.putIfAbsent(address * SCATTER, value);
  }

  /** Removes a value if the address has it. */
  void remove(long address, V value) {
    byScattered.remove(address * SCATTER, value);
  }

  /** All values, as they change, in no particular order. */
  Collection<V> values() {
    return byScattered.values();
  }

  /** Calls for each address and its value. */
  void forEach(BiConsumer<Long, V> action) {
    for (Map.Entry<Long, V> entry : byScattered.entrySet()) {
      action.accept(entry.getKey() * GATHER, entry.getValue());
    }
  }
}
