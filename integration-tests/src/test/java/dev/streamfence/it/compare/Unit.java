package dev.streamfence.it.compare;

import static java.util.Locale.ROOT;

/** What the numbers of a row count. */
enum Unit {
  NANOSECONDS,
  PER_SECOND,
  BYTES,
  CALLS;

  /**
   * A number, a space and its unit.
   *
   * @param scale the value whose size selects the unit, so that a median and its quartiles share
   *     one
   */
  String format(double value, double scale) {
    return switch (this) {
      case NANOSECONDS ->
          scale < 1e4
              ? String.format(ROOT, "%.0f ns", value)
              : scale < 1e7
                  ? String.format(ROOT, "%.1f µs", value / 1e3)
                  : String.format(ROOT, "%.1f ms", value / 1e6);
      case PER_SECOND -> String.format(ROOT, "%.0f k/s", value / 1e3);
      case BYTES -> String.format(ROOT, "%.1f bytes", value);
      case CALLS -> String.format(ROOT, "%.2f calls", value);
    };
  }
}
