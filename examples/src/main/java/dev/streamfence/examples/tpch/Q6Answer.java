package dev.streamfence.examples.tpch;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The answer of Q6. Immutable.
 *
 * @param centHundredths the exact revenue in cents times hundredths, 1/10000 of the currency unit
 */
record Q6Answer(long centHundredths) {

  /** The revenue to the cent, as TPC-H publishes it. */
  BigDecimal revenue() {
    return BigDecimal.valueOf(centHundredths, 4).setScale(2, RoundingMode.HALF_UP);
  }
}
