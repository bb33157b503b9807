package dev.streamfence.examples.queries;

/**
 * A column of an answer. Immutable.
 *
 * @param name its name in SQL
 * @param kind what it holds
 * @param scale the decimal places of {@link ValueKind#DECIMAL}, otherwise 0
 */
public record AnswerColumn(String name, ValueKind kind, int scale) {

  /** A column of whole numbers. */
  static AnswerColumn integer(String name) {
    return new AnswerColumn(name, ValueKind.INTEGER, 0);
  }

  /** A column of exact numbers with so many decimal places. */
  static AnswerColumn decimal(String name, int scale) {
    return new AnswerColumn(name, ValueKind.DECIMAL, scale);
  }

  /** A column of averages. */
  static AnswerColumn average(String name) {
    return new AnswerColumn(name, ValueKind.AVERAGE, 0);
  }

  /** A column of days. */
  static AnswerColumn date(String name) {
    return new AnswerColumn(name, ValueKind.DATE, 0);
  }

  /** A column of text. */
  static AnswerColumn text(String name) {
    return new AnswerColumn(name, ValueKind.TEXT, 0);
  }
}
