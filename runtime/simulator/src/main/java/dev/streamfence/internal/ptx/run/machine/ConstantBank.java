package dev.streamfence.internal.ptx.run.machine;

import java.util.Arrays;

/**
 * The constant memory of a module: one range of offsets, in which each variable lies somewhere. The
 * content is either here or in global memory, where the host can change it. Immutable.
 */
public final class ConstantBank {
  private final byte[] initial;
  private final int[] starts;
  private final int[] ends;
  private final long[] addresses;

  /**
   * Keeps the arrays, which nothing may change from now on.
   *
   * @param initial the content of all variables that have no address
   * @param starts for each variable that has one, its first offset; rising
   * @param ends and the offset behind it
   * @param addresses and where it lies in global memory
   */
  public ConstantBank(byte[] initial, int[] starts, int[] ends, long[] addresses) {
    this.initial = initial;
    this.starts = starts;
    this.ends = ends;
    this.addresses = addresses;
  }

  /** The bytes from the first variable to the end of the last. */
  int size() {
    return initial.length;
  }

  /** Loads a value that lies within the bank. */
  long load(GlobalMemory memory, int offset, int bytes) {
    if (addresses.length == 0) {
      return Bytes.get(initial, offset, bytes);
    }
    int variable = variable(offset);
    if (variable >= 0 && offset + bytes <= ends[variable]) {
      return memory.load(addresses[variable] + offset - starts[variable], bytes);
    }
    long value = 0;
    for (int i = 0; bytes > 1 && i < bytes; i++) {
      value |= load(memory, offset + i, 1) << (8 * i);
    }
    return value;
  }

  /** The variable in which an offset lies; negative between two of them. */
  private int variable(int offset) {
    int found = Arrays.binarySearch(starts, offset);
    // An empty variable begins where the next one does, and the search may find either.
    int last = found >= 0 ? found : -found - 2;
    while (last + 1 < starts.length && starts[last + 1] == offset) {
      last++;
    }
    return last >= 0 && offset < ends[last] ? last : -1;
  }
}
