package dev.streamfence.column;

/** What a {@link TimestampType} counts. Immutable. */
public enum TimestampUnit {
  /** Seconds. */
  SECOND("s"),
  /** Thousandths of a second. */
  MILLISECOND("ms"),
  /** Millionths of a second. */
  MICROSECOND("us"),
  /** Billionths of a second. */
  NANOSECOND("ns");

  private final String symbol;

  TimestampUnit(String symbol) {
    this.symbol = symbol;
  }

  @Override
  public String toString() {
    return symbol;
  }
}
