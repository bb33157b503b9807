package dev.streamfence.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Who touched a byte, as far as it can still matter: its last write, and the reads since that do
 * not come before one another. Immutable, and shared by all bytes of which it is true.
 *
 * @param write the last write, or the allocation while {@code written} is false
 * @param written whether anything was written since the allocation
 * @param reads one per stream at most
 */
record ByteState(Submitted write, boolean written, List<Submitted> reads) {
  static ByteState allocatedBy(Submitted allocation) {
    return new ByteState(allocation, false, List.of());
  }

  static ByteState writtenBy(Submitted write) {
    return new ByteState(write, true, List.of());
  }

  /** The state after a read as well. What comes before the read need not be kept. */
  ByteState readBy(Submitted read) {
    List<Submitted> kept = new ArrayList<>(reads.size() + 1);
    for (Submitted earlier : reads) {
      if (!earlier.before(read)) {
        kept.add(earlier);
      }
    }
    kept.add(read);
    return new ByteState(write, written, kept);
  }
}
