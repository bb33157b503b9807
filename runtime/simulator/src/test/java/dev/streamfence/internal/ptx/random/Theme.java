package dev.streamfence.internal.ptx.random;

import java.util.Random;

/**
 * What a random kernel has most of. Kernels with a little of everything are hardly ever proved, or
 * hardly ever depend on what decides.
 */
enum Theme {
  MIXED(2, 3, 1, 1, 1, 1, 1, 1, 3, 3),

  /** Barriers, loops that threads may leave apart, and one tile. */
  BARRIERS(0, 4, 0, 0, 0, 0, 5, 3, 1, 4),

  /** Comparisons before stores by which few threads tell their places apart. */
  GUARDS(6, 1, 0, 1, 0, 0, 0, 3, 3, 1);

  /** How often there is each kind of statement. */
  private final int[] weights;

  Theme(int... weights) {
    this.weights = weights;
  }

  static Theme any(Random random) {
    Theme[] all = values();
    return all[random.nextInt(all.length)];
  }

  /** One of the first kinds of statements. */
  int kind(Random random, int kinds) {
    int sum = 0;
    for (int i = 0; i < kinds; i++) {
      sum += weights[i];
    }
    int at = random.nextInt(sum);
    int kind = 0;
    while (at >= weights[kind]) {
      at -= weights[kind];
      kind++;
    }
    return kind;
  }
}
