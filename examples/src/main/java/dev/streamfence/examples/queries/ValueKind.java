package dev.streamfence.examples.queries;

import java.time.LocalDate;

/** What a column of an answer holds, and the Java type of its values. Immutable. */
public enum ValueKind {
  /** Whole numbers. */
  INTEGER(Long.class),
  /** Exact numbers, as whole numbers of the column's last decimal place. */
  DECIMAL(Long.class),
  /** Averages, equal if they differ by less than a billionth. */
  AVERAGE(Double.class),
  /** Days. */
  DATE(LocalDate.class),
  /** Text. */
  TEXT(String.class);

  private final Class<? extends Comparable<?>> type;

  ValueKind(Class<? extends Comparable<?>> type) {
    this.type = type;
  }

  /** The Java type of its values. */
  Class<? extends Comparable<?>> type() {
    return type;
  }
}
