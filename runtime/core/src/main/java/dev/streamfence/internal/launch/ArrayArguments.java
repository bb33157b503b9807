package dev.streamfence.internal.launch;

import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import java.util.Arrays;
import java.util.Objects;
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

  /** Of so many arguments, the memory is kept from launch to launch, which is often the same. */
  private static final int REMEMBERED = 32;

  /** Those of this launch, and behind them some to set later. */
  private ArrayArgument[] arguments = {};

  /** Those of the regions: comparing them is most of what refusing aliases costs. */
  private @Nullable Allocation[] allocations = {};

  private long[] addresses = {};
  private int[] order = {};
  private int count;

  /**
   * So many of the first arguments, passed in the same place again, need no other check than that
   * they are still there: an earlier launch had all of them at once.
   */
  private int known;

  /** Changes with the arrays, see {@link #version}. */
  private long version;

  /** How many arrays were passed. */
  int count() {
    return count;
  }

  ArrayArgument get(int array) {
    return arguments[array];
  }

  /** The address that the kernel receives for an array. */
  long address(int array) {
    return addresses[array];
  }

  /** How many elements the array of a parameter has; the greatest number if that is unknown. */
  long length(int parameter) {
    for (int i = 0; i < count; i++) {
      ArrayArgument argument = arguments[i];
      if (argument.parameter() == parameter
          && argument.index() == IN_NO_TABLE
          && !argument.isUntracked()) {
        return argument.length();
      }
    }
    return Long.MAX_VALUE;
  }

  /** The addresses of all arrays, and more. */
  long[] addresses() {
    return addresses;
  }

  /**
   * What is known of the arrays of a launch holds for another launch with the same version. For a
   * launch whose arrays were all passed.
   */
  long version() {
    if (count < known) {
      known = count;
      version++;
    }
    return version;
  }

  /** Whether an earlier launch had the same memory in the place that is next. */
  boolean isNext(@Nullable Region region, int parameter, int index) {
    return count < known && arguments[count].is(region, parameter, index);
  }

  /** Adds an array that {@link #isNext}. */
  void addNext(ReadableArray<?> array) {
    arguments[count++].hold(array);
  }

  /**
   * Says that the arrays that were added last were accepted, and need not be checked again in the
   * same place.
   */
  void accept(int first) {
    if (known >= first) {
      known = Math.max(known, Math.min(count, REMEMBERED));
    }
  }

  /** Adds an array. */
  void add(
      ReadableArray<?> array, @Nullable Region region, int parameter, int index, boolean writes) {
    next(region == null ? null : region.allocation(), region == null ? 0L : region.address())
        .set(array, region, parameter, index, writes);
  }

  /** Adds an untracked address. */
  void addUntracked(long address, int parameter) {
    next(null, address).set(null, null, parameter, IN_NO_TABLE, true);
  }

  private ArrayArgument next(@Nullable Allocation allocation, long address) {
    if (count == arguments.length) {
      grow();
    }
    known = Math.min(known, count);
    version++;
    if (allocations[count] != allocation) {
      allocations[count] = allocation;
    }
    addresses[count] = address;
    return arguments[count++];
  }

  /** The same arrays, which remain when these are forgotten. */
  ArrayArguments copy() {
    ArrayArguments copy = new ArrayArguments();
    for (int i = 0; i < count; i++) {
      arguments[i].addTo(copy, addresses[i]);
    }
    return copy;
  }

  /** Forgets the arrays that were added last. */
  void truncate(int kept) {
    for (int i = kept; i < count; i++) {
      arguments[i].release();
    }
    known = Math.min(known, REMEMBERED);
    if (count > REMEMBERED) {
      // The next launch cannot tell whether it has all of them again.
      version++;
    }
    for (int i = Math.max(kept, REMEMBERED); i < count; i++) {
      arguments[i].forget();
      allocations[i] = null;
    }
    count = kept;
  }

  /**
   * Refuses memory that overlaps that of another array if either is written: a kernel does not
   * order its accesses through them.
   *
   * @param from the first array that was not compared before
   */
  void requireApart(int from, LaunchUses names) {
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
  private void requireSortedApart(LaunchUses names) {
    int sorted = sortByAddress();
    int last = -1;
    int lastWritten = -1;
    for (int at = 0; at < sorted; at++) {
      int next = order[at];
      if (last >= 0 && allocations[last] != allocations[next]) {
        last = -1;
        lastWritten = -1;
      }
      if (last >= 0 && arguments[next].isWritten()) {
        requireApart(Math.min(last, next), Math.max(last, next), names);
      }
      if (lastWritten >= 0) {
        requireApart(Math.min(lastWritten, next), Math.max(lastWritten, next), names);
      }
      last = last < 0 || end(next) > end(last) ? next : last;
      if (arguments[next].isWritten() && (lastWritten < 0 || end(next) > end(lastWritten))) {
        lastWritten = next;
      }
    }
  }

  private long end(int array) {
    return addresses[array] + arguments[array].sizeInBytes();
  }

  /** Sorts the arrays that have memory; returns how many there are. */
  private int sortByAddress() {
    if (order.length < count) {
      order = new int[arguments.length];
    }
    int sorted = 0;
    for (int i = 0; i < count; i++) {
      if (arguments[i].region() != null) {
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

  private void requireApart(int earlier, int later, LaunchUses names) {
    ArrayArgument one = arguments[earlier];
    ArrayArgument other = arguments[later];
    if (!(one.isWritten() || other.isWritten()) || !one.overlaps(other.region())) {
      return;
    }
    throw new StreamMisuseException(
        StreamMisuseException.Misuse.ALIAS,
        names.use(later),
        (Objects.equals(one.region(), other.region())
                ? " is the same array as parameter '" + names.name(earlier) + "'"
                : " is "
                    + other
                    + ", which overlaps parameter '"
                    + names.name(earlier)
                    + "', "
                    + one)
            + ", and one of them is written; pass two arrays, or declare"
            + " @Kernel(mayAlias = true)");
  }

  /** Refuses memory of a variable that the kernel uses by itself, if either use writes. */
  void requireApart(SymbolUse symbol, LaunchUses names) {
    for (int i = 0; i < count; i++) {
      ArrayArgument argument = arguments[i];
      if ((argument.isWritten() || symbol.writes()) && argument.overlaps(symbol.region())) {
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.ALIAS,
            names.use(i),
            " is "
                + argument
                + ", and the kernel "
                + (symbol.writes() ? "writes" : "reads")
                + " that variable by itself; pass another array, or declare"
                + " @Kernel(mayAlias = true)");
      }
    }
  }

  private void grow() {
    int capacity = Math.max(8, 2 * count);
    ArrayArgument[] more = Arrays.copyOf(arguments, capacity);
    for (int i = count; i < capacity; i++) {
      more[i] = new ArrayArgument();
    }
    allocations = Arrays.copyOf(allocations, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    arguments = more;
  }
}
