package dev.streamfence.internal.simulator;

import java.util.ArrayList;
import java.util.List;

/**
 * The accesses to a byte that can still matter: its last write, and the later reads that are not
 * ordered with each other. Immutable, and shared by all bytes in this state.
 *
 * @param write the last write, or the allocation while {@code written} is false
 * @param written whether the byte was written since the allocation
 * @param reads at most one per stream
 */
record ByteState(Submitted write, boolean written, List<Submitted> reads) {
  static ByteState allocatedBy(Submitted allocation) {
    return new ByteState(allocation, false, List.of());
  }

  static ByteState writtenBy(Submitted write) {
    return new ByteState(write, true, List.of());
  }

  /** The state after one more read, which replaces the reads that come before it. */
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
