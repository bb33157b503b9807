package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.TooComplexException;

/** The work that the search for one kernel's races may take. Confined to one thread. */
final class Budget {
  private int left;

  Budget(int units) {
    left = units;
  }

  void take(int units) {
    left -= units;
    if (left < 0) {
      throw new TooComplexException("the search for a proof takes too long");
    }
  }

  int left() {
    return left;
  }
}
