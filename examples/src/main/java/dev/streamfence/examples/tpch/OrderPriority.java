package dev.streamfence.examples.tpch;

import java.util.Arrays;

/** How urgent an order is. Immutable. In a column it is one byte, its {@link #code()}. */
enum OrderPriority {
  URGENT("1-URGENT"),
  HIGH("2-HIGH"),
  MEDIUM("3-MEDIUM"),
  NOT_SPECIFIED("4-NOT SPECIFIED"),
  LOW("5-LOW");

  private final String text;

  OrderPriority(String text) {
    this.text = text;
  }

  /** The byte that stands for this priority in a column: more urgent ones have lower codes. */
  @SuppressWarnings("EnumOrdinal") // The dictionary lists the constants in their order.
  byte code() {
    return (byte) ordinal();
  }

  /** What TPC-H writes. */
  String text() {
    return text;
  }

  /**
   * The priority that TPC-H writes as {@code text}.
   *
   * @throws IllegalArgumentException if there is none
   */
  static OrderPriority of(String text) {
    return Arrays.stream(values())
        .filter(priority -> priority.text.equals(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("TPC-H has no order priority '" + text + "'"));
  }
}
