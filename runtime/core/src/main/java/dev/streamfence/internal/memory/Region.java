package dev.streamfence.internal.memory;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.UseLabels;

/**
 * Some bytes of an allocation, and the hazard state that orders their uses: the allocation's own,
 * or that of the part which the bytes belong to. Immutable and thread-safe.
 *
 * @param address the device address of its first byte; reading it orders nothing
 * @param sizeInBytes at least 0
 */
public record Region(Allocation allocation, HazardState hazards, long address, long sizeInBytes) {
  /** A whole allocation. */
  public static Region of(Allocation allocation) {
    return new Region(
        allocation, allocation.hazards(), allocation.address(), allocation.sizeInBytes());
  }

  /** The place of its first byte in the allocation. */
  public long offset() {
    return address - allocation.address();
  }

  /** Some bytes of this region, with the same hazard state. The caller has checked the range. */
  public Region range(long from, long bytes) {
    return new Region(allocation, hazards, address + from, bytes);
  }

  /** The same bytes with another hazard state. */
  public Region orderedBy(HazardState other) {
    return new Region(allocation, other, address, sizeInBytes);
  }

  /** Whether the two have a byte in common. */
  public boolean overlaps(Region other) {
    return allocation == other.allocation
        && address < other.address + other.sizeInBytes
        && other.address < address + sizeInBytes;
  }

  /**
   * Refuses a use that relies on being registered, see {@link HazardState#requireTracked}.
   *
   * @throws StreamMisuseException if the resource does not track uses
   */
  public void requireTracked(UseLabels labels, int label) {
    hazards.requireTracked(labels, label);
  }

  /** Where it begins, in words: the allocation, with the byte in it unless that is the first. */
  public String begin() {
    return offset() == 0 ? allocation.toString() : "byte " + offset() + " of " + allocation;
  }

  /** The allocation, with the bytes in it unless they are all. */
  @Override
  public String toString() {
    if (sizeInBytes == 0) {
      return "no bytes of " + allocation;
    }
    return sizeInBytes == allocation.sizeInBytes()
        ? allocation.toString()
        : "bytes " + offset() + " to " + (offset() + sizeInBytes - 1) + " of " + allocation;
  }
}
