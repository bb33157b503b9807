package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.TooComplexException;

/** The work that one search for a kernel's races may take. Confined to one thread. */
final class Budget {
  private final int units;
  private int left;

  Budget(int units) {
    this.units = units;
    left = units;
  }

  /** Begins another search. */
  void renew() {
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
