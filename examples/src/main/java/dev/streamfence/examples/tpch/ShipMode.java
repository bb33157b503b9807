package dev.streamfence.examples.tpch;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a line item is shipped. Immutable. On the device it is one byte, its {@link #code()}. */
enum ShipMode {
  REG_AIR(0, "REG AIR"),
  AIR(1, "AIR"),
  RAIL(2, "RAIL"),
  SHIP(3, "SHIP"),
  TRUCK(4, "TRUCK"),
  MAIL(5, "MAIL"),
  FOB(6, "FOB");

  private static final Map<String, ShipMode> BY_TEXT =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(mode -> mode.text, mode -> mode));

  private static final Map<Byte, ShipMode> BY_CODE =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(mode -> mode.code, mode -> mode));

  private final byte code;
  private final String text;

  ShipMode(int code, String text) {
    this.code = (byte) code;
    this.text = text;
  }

  /** The byte that stands for this mode in a column. */
  byte code() {
    return code;
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
