package dev.streamfence.internal.ptx.syntax;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A fundamental type of PTX, as written after a dot in declarations and instructions. */
public enum ScalarType {
  PRED(1, Kind.PREDICATE),
  B8(8, Kind.BITS),
  B16(16, Kind.BITS),
  B32(32, Kind.BITS),
  B64(64, Kind.BITS),
  B128(128, Kind.BITS),
  U8(8, Kind.UNSIGNED),
  U16(16, Kind.UNSIGNED),
  U32(32, Kind.UNSIGNED),
  U64(64, Kind.UNSIGNED),
  S8(8, Kind.SIGNED),
  S16(16, Kind.SIGNED),
  S32(32, Kind.SIGNED),
  S64(64, Kind.SIGNED),
  F16(16, Kind.FLOAT),
  F16X2(32, Kind.FLOAT),
  BF16(16, Kind.FLOAT),
  BF16X2(32, Kind.FLOAT),
  TF32(32, Kind.FLOAT),
  F32(32, Kind.FLOAT),
  F64(64, Kind.FLOAT),
  TEXREF(64, Kind.OPAQUE),
  SAMPLERREF(64, Kind.OPAQUE),
  SURFREF(64, Kind.OPAQUE);

  /** The interpretation of a type's bits. */
  public enum Kind {
    PREDICATE,
    BITS,
    UNSIGNED,
    SIGNED,
    FLOAT,
    OPAQUE
  }

  private static final Map<String, ScalarType> BY_NAME = new HashMap<>();

  static {
    for (ScalarType type : values()) {
      BY_NAME.put(type.name().toLowerCase(Locale.ROOT), type);
    }
  }

  public final int bits;
  public final Kind kind;

  ScalarType(int bits, Kind kind) {
    this.bits = bits;
    this.kind = kind;
  }

  /** Returns the type written as {@code .name}. */
  public static Optional<ScalarType> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public int bytes() {
    return (bits + 7) / 8;
  }

  public boolean isSigned() {
    return kind == Kind.SIGNED;
  }

  public boolean isFloat() {
    return kind == Kind.FLOAT;
  }

  public boolean isInteger() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED || kind == Kind.BITS;
  }

  /** Returns a mask of the type's bits, at most 64 of them. */
  public long mask() {
    return bits >= 64 ? -1L : (1L << bits) - 1;
  }

  @Override
  public String toString() {
    return "." + name().toLowerCase(Locale.ROOT);
  }
}
