package dev.streamfence.examples.tpch;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a line item is shipped. Immutable. In a column it is one byte, its {@link #code()}. */
enum ShipMode {
  REG_AIR("REG AIR"),
  AIR("AIR"),
  RAIL("RAIL"),
  SHIP("SHIP"),
  TRUCK("TRUCK"),
  MAIL("MAIL"),
  FOB("FOB");

  private static final Map<String, ShipMode> BY_TEXT =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(ShipMode::text, mode -> mode));

  private static final Map<Byte, ShipMode> BY_CODE =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(ShipMode::code, mode -> mode));

  private final String text;

  ShipMode(String text) {
    this.text = text;
  }

  /** The byte that stands for this mode in a column. */
  @SuppressWarnings("EnumOrdinal") // The dictionary lists the constants in their order.
  byte code() {
    return (byte) ordinal();
  }

  /** What TPC-H writes. */
  String text() {
    return text;
  }

  /**
   * The mode with this {@link #code()}.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ShipMode ofCode(byte code) {
    ShipMode mode = BY_CODE.get(code);
    if (mode == null) {
      throw new IllegalArgumentException("no ship mode has the code " + code);
    }
    return mode;
  }

  /**
   * The mode that TPC-H writes as {@code text}.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ShipMode of(String text) {
    ShipMode mode = BY_TEXT.get(text);
    if (mode == null) {
      throw new IllegalArgumentException("TPC-H has no ship mode '" + text + "'");
    }
    return mode;
  }
}
