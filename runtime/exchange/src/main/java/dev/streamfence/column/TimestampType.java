package dev.streamfence.column;

import java.util.Objects;

/**
 * Time since 1970-01-01 00:00 as a signed 64-bit number: in UTC if it has a time zone, otherwise in
 * no particular one. Immutable.
 *
 * @param timezone the time zone that displays the time; empty for none
 */
public record TimestampType(TimestampUnit unit, String timezone) implements ColumnType {
  /** Refuses null. */
  public TimestampType {
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(timezone, "timezone");
  }

  @Override
  public int bitWidth() {
    return 64;
  }

  @Override
  public Class<?> arrayType() {
    return long[].class;
  }

  @Override
  public String toString() {
    return "timestamp[" + unit + (timezone.isEmpty() ? "" : ", tz=" + timezone) + "]";
  }
}
