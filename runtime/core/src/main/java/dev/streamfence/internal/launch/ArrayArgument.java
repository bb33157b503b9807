package dev.streamfence.internal.launch;

import dev.streamfence.ReadableArray;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.memory.Region;
import org.jspecify.annotations.Nullable;

/**
 * An array of the launch that is being recorded, alone or in a table. {@link ArrayArguments} keeps
 * it for later launches. Confined to the thread that holds the submission lock.
 */
final class ArrayArgument {
  private @Nullable ReadableArray<?> array;
  private @Nullable Region region;
  private int parameter;
  private int index;
  private boolean isWritten;

  @SuppressWarnings("ReferenceEquality")
  void set(
      @Nullable ReadableArray<?> passed,
      @Nullable Region memory,
      int position,
      int place,
      boolean writes) {
    array = passed;
    // A comparison is cheaper than storing a reference, and the next launch often passes the same.
    if (region != memory) {
      region = memory;
    }
    parameter = position;
    index = place;
    isWritten = writes;
  }

  /** Whether it is some memory in some place, neither of which the next launch has to check. */
  @SuppressWarnings("ReferenceEquality")
  boolean is(@Nullable Region memory, int position, int place) {
    return region == memory && parameter == position && index == place;
  }

  /** Keeps an array reachable that has the same memory as the launch before. */
  void hold(ReadableArray<?> passed) {
    array = passed;
  }

  /** Adds the same array to other arguments. */
  void addTo(ArrayArguments others, long address) {
    ReadableArray<?> passed = array;
    if (passed == null) {
      others.addUntracked(address, parameter);
    } else {
      others.add(passed, region, parameter, index, isWritten);
    }
  }

  /** Drops the reference to the array, which may be lost now; its region keeps no device memory. */
  void release() {
    array = null;
  }

  /** Drops the reference to the memory. */
  void forget() {
    region = null;
  }

  /** The runtime of the array; null for an untracked address. */
  @Nullable TrackedRuntime runtime() {
    return array instanceof TrackedArray<?> tracked ? tracked.runtime() : null;
  }

  /** Its memory; null if it has no elements, or is an untracked address. */
  @Nullable Region region() {
    return region;
  }

  /** The size of its memory; 0 if it has no elements, or is an untracked address. */
  long sizeInBytes() {
    Region memory = region;
    return memory == null ? 0 : memory.sizeInBytes();
  }

  /** Whether it is in fact an untracked address. */
  boolean isUntracked() {
    return array == null;
  }

  /** The size of its elements; 0 for an untracked address. */
  int elementBytes() {
    ReadableArray<?> passed = array;
    return passed == null ? 0 : passed.elementType().sizeInBytes();
  }

  /** How many elements it has; not for an untracked address. */
  long length() {
    return sizeInBytes() / elementBytes();
  }

  /** The position of the parameter that it was passed for. */
  int parameter() {
    return parameter;
  }

  /** Its index in its table, or {@link ArrayArguments#IN_NO_TABLE}. */
  int index() {
    return index;
  }

  /** Whether the kernel writes it. */
  boolean isWritten() {
    return isWritten;
  }

  /** Whether it has a byte in common with some memory. */
  boolean overlaps(@Nullable Region other) {
    Region memory = region;
    return memory != null && other != null && memory.overlaps(other);
  }

  /** The array with its length and tag, for reports. */
  @Override
  public String toString() {
    return String.valueOf(array);
  }
}
