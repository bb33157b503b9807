package dev.streamfence.internal.memory;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.UseLabels;

/**
 * Some bytes of an allocation, and the hazard state that orders their uses: the allocation's own,
 * or that of the part which the bytes belong to. Immutable and thread-safe.
 *
 * @param offset of the first byte in the allocation
 * @param sizeInBytes at least 0
 */
public record Region(Allocation allocation, HazardState hazards, long offset, long sizeInBytes) {
  /** A whole allocation. */
  public static Region of(Allocation allocation) {
    return new Region(allocation, allocation.hazards(), 0, allocation.sizeInBytes());
  }

  /** The device address of its first byte; reading it orders nothing. */
  public long address() {
    return allocation.address() + offset;
  }

  /** Some bytes of this region, with the same hazard state. The caller has checked the range. */
  public Region range(long from, long bytes) {
    return new Region(allocation, hazards, offset + from, bytes);
  }

  /** The same bytes with another hazard state. */
  public Region orderedBy(HazardState other) {
    return new Region(allocation, other, offset, sizeInBytes);
  }

  /** Whether the two have a byte in common. */
  public boolean overlaps(Region other) {
    return allocation == other.allocation
        && offset < other.offset + other.sizeInBytes
        && other.offset < offset + sizeInBytes;
  }

  /**
   * Refuses a use that relies on being registered, see {@link Allocation#requireTracked}.
   *
   * @throws StreamMisuseException if the resource does not track uses
   */
  public void requireTracked(UseLabels labels, int label) {
    allocation.requireTracked(labels, label);
  }

  /** Where it begins, in words: the allocation, with the byte in it unless that is the first. */
  String begin() {
    return offset == 0 ? allocation.toString() : "byte " + offset + " of " + allocation;
  }

  /** The allocation, with the bytes in it unless they are all. */
  @Override
  public String toString() {
    if (sizeInBytes == 0) {
      return "no bytes of " + allocation;
    }
    return sizeInBytes == allocation.sizeInBytes()
        ? allocation.toString()
        : "bytes " + offset + " to " + (offset + sizeInBytes - 1) + " of " + allocation;
  }
}
