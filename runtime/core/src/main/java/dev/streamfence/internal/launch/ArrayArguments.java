package dev.streamfence.internal.launch;

import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of one launch, those in tables included, in the order in which they are passed. Keeps
 * them reachable until the launch ends, and refuses those that overlap. Its memory stops growing
 * after the launch with the most arrays. Confined to the thread that holds the submission lock.
 */
final class ArrayArguments {
  /** The index of an array that is in no table. */
  static final int IN_NO_TABLE = -1;

  /** So many comparisons and fewer are made one by one; beyond, the arrays are sorted. */
  private static final int FEW = 1 << 12;

  private @Nullable ReadableArray<?>[] arrays = new ReadableArray<?>[8];
  private @Nullable Region[] regions = new Region[8];

  /** Those of the regions: comparing them is most of what refusing aliases costs. */
  private @Nullable Allocation[] allocations = new Allocation[8];

  private long[] addresses = new long[8];
  private int[] parameters = new int[8];
  private int[] indexes = new int[8];
  private boolean[] written = new boolean[8];
  private int[] order = {};
  private int count;

  /** How many arrays were passed. */
  int count() {
    return count;
  }

  /** The memory of an array; null if it has no elements, or is an untracked address. */
  @Nullable Region region(int array) {
    return regions[array];
  }

  /** The address that the kernel receives for an array. */
  long address(int array) {
    return addresses[array];
  }

  /** The addresses of all arrays, and more. */
  long[] addresses() {
    return addresses;
  }

  /** Whether an array is in fact an untracked address. */
  boolean isUntracked(int array) {
    return arrays[array] == null;
  }

  /** An array with its length and tag, for reports. */
  String inWords(int array) {
    return String.valueOf(arrays[array]);
  }

  /** The size of an array's elements; 0 for an untracked address. */
  int elementBytes(int array) {
    ReadableArray<?> passed = arrays[array];
    return passed == null ? 0 : passed.elementType().sizeInBytes();
  }

  /** The position of the parameter that an array was passed for. */
  int parameter(int array) {
    return parameters[array];
  }

  /** The index of an array in its table, or {@link #IN_NO_TABLE}. */
  int index(int array) {
    return indexes[array];
  }

  /** Adds an array. */
  void add(
      ReadableArray<?> array, @Nullable Region region, int parameter, int index, boolean writes) {
    add(region == null ? 0L : region.address(), parameter, index, writes);
    arrays[count - 1] = array;
    regions[count - 1] = region;
    allocations[count - 1] = region == null ? null : region.allocation();
  }

  /** Adds an untracked address. */
  void addUntracked(long address, int parameter) {
    add(address, parameter, IN_NO_TABLE, true);
  }

  private void add(long address, int parameter, int index, boolean writes) {
    if (count == parameters.length) {
      grow();
    }
    addresses[count] = address;
    parameters[count] = parameter;
    indexes[count] = index;
    written[count] = writes;
    count++;
  }

  /** Forgets the arrays that were added last. */
  void truncate(int kept) {
    Arrays.fill(arrays, kept, count, null);
    Arrays.fill(regions, kept, count, null);
    Arrays.fill(allocations, kept, count, null);
    count = kept;
  }

  /**
   * Refuses memory that overlaps that of another array if either is written: a kernel does not
   * order its accesses through them.
   *
   * @param from the first array that was not compared before
   */
  void requireApart(int from, LaunchArguments names) {
    if ((long) (count - from) * count <= FEW) {
      for (int i = from; i < count; i++) {
        Allocation allocation = allocations[i];
        for (int j = 0; j < i; j++) {
          if (allocations[j] == allocation) {
            requireApart(j, i, names);
          }
        }
      }
    } else {
      requireSortedApart(names);
    }
  }

  /**
   * Compares each array with those that begin before it and end behind its beginning; of these, the
   * one that ends last, and the written one that ends last, are enough.
   */
  private void requireSortedApart(LaunchArguments names) {
    int sorted = sortByAddress();
    int last = -1;
    int lastWritten = -1;
    for (int at = 0; at < sorted; at++) {
      int next = order[at];
      if (last >= 0 && allocations[last] != allocations[next]) {
        last = -1;
        lastWritten = -1;
      }
      if (last >= 0 && written[next]) {
        requireApart(Math.min(last, next), Math.max(last, next), names);
      }
      if (lastWritten >= 0) {
        requireApart(Math.min(lastWritten, next), Math.max(lastWritten, next), names);
      }
      last = last < 0 || end(next) > end(last) ? next : last;
      if (written[next] && (lastWritten < 0 || end(next) > end(lastWritten))) {
        lastWritten = next;
      }
    }
  }

  private long end(int array) {
    Region region = regions[array];
    return region == null ? addresses[array] : addresses[array] + region.sizeInBytes();
  }

  /** Sorts the arrays that have memory; returns how many there are. */
  private int sortByAddress() {
    if (order.length < count) {
      order = new int[parameters.length];
    }
    int sorted = 0;
    for (int i = 0; i < count; i++) {
      if (regions[i] != null) {
        order[sorted++] = i;
      }
    }
    // A heap sort needs no memory, and the same time for every order.
    for (int i = sorted / 2 - 1; i >= 0; i--) {
      sink(i, sorted);
    }
    for (int end = sorted - 1; end > 0; end--) {
      int highest = order[0];
      order[0] = order[end];
      order[end] = highest;
      sink(0, end);
    }
    return sorted;
  }

  private void sink(int root, int end) {
    int at = root;
    while (2 * at + 1 < end) {
      int child = 2 * at + 1;
      if (child + 1 < end && addresses[order[child]] < addresses[order[child + 1]]) {
        child++;
      }
      if (addresses[order[at]] >= addresses[order[child]]) {
        return;
      }
      int moved = order[at];
      order[at] = order[child];
      order[child] = moved;
      at = child;
    }
  }

  private void requireApart(int earlier, int later, LaunchArguments names) {
    Region region = regions[later];
    Region other = regions[earlier];
    if (region == null
        || other == null
        || !(written[earlier] || written[later])
        || !region.overlaps(other)) {
      return;
    }
    throw new StreamMisuseException(
        StreamMisuseException.Misuse.ALIAS,
        names.use(later),
        (region.equals(other)
                ? " is the same array as parameter '" + names.name(earlier) + "'"
                : " is "
                    + arrays[later]
                    + ", which overlaps parameter '"
                    + names.name(earlier)
                    + "', "
                    + arrays[earlier])
            + ", and one of them is written; pass two arrays, or declare"
            + " @Kernel(mayAlias = true)");
  }

  /** Refuses memory of a variable that the kernel uses by itself, if either use writes. */
  void requireApart(SymbolUse symbol, LaunchArguments names) {
    for (int i = 0; i < count; i++) {
      Region region = regions[i];
      if (region != null && (written[i] || symbol.writes()) && region.overlaps(symbol.region())) {
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.ALIAS,
            names.use(i),
            " is "
                + arrays[i]
                + ", and the kernel "
                + (symbol.writes() ? "writes" : "reads")
                + " that variable by itself; pass another array, or declare"
                + " @Kernel(mayAlias = true)");
      }
    }
  }

  private void grow() {
    int capacity = parameters.length * 2;
    arrays = Arrays.copyOf(arrays, capacity);
    regions = Arrays.copyOf(regions, capacity);
    allocations = Arrays.copyOf(allocations, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    parameters = Arrays.copyOf(parameters, capacity);
    indexes = Arrays.copyOf(indexes, capacity);
    written = Arrays.copyOf(written, capacity);
  }
}
