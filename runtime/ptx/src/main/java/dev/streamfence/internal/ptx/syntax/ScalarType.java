package dev.streamfence.internal.ptx.syntax;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A fundamental type of PTX, as written after a dot in declarations and instructions. */
public enum ScalarType {
  PRED(1, NumberKind.PREDICATE),
  B8(8, NumberKind.BITS),
  B16(16, NumberKind.BITS),
  B32(32, NumberKind.BITS),
  B64(64, NumberKind.BITS),
  B128(128, NumberKind.BITS),
  U8(8, NumberKind.UNSIGNED),
  U16(16, NumberKind.UNSIGNED),
  U32(32, NumberKind.UNSIGNED),
  U64(64, NumberKind.UNSIGNED),
  S8(8, NumberKind.SIGNED),
  S16(16, NumberKind.SIGNED),
  S32(32, NumberKind.SIGNED),
  S64(64, NumberKind.SIGNED),
  F16(16, NumberKind.FLOAT),
  F16X2(32, NumberKind.FLOAT),
  BF16(16, NumberKind.FLOAT),
  BF16X2(32, NumberKind.FLOAT),
  TF32(32, NumberKind.FLOAT),
  F32(32, NumberKind.FLOAT),
  F64(64, NumberKind.FLOAT),
  TEXREF(64, NumberKind.OPAQUE),
  SAMPLERREF(64, NumberKind.OPAQUE),
  SURFREF(64, NumberKind.OPAQUE);

  /** The interpretation of a type's bits. */
  public enum NumberKind {
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
  public final NumberKind kind;

  ScalarType(int bits, NumberKind kind) {
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
    return kind == NumberKind.SIGNED;
  }

  public boolean isFloat() {
    return kind == NumberKind.FLOAT;
  }

  public boolean isInteger() {
    return kind == NumberKind.SIGNED || kind == NumberKind.UNSIGNED || kind == NumberKind.BITS;
  }

  /** Returns the number type with twice as many bits; empty if there is none. */
  public Optional<ScalarType> twice() {
    return switch (this) {
      case U16 -> Optional.of(U32);
      case S16 -> Optional.of(S32);
      case U32 -> Optional.of(U64);
      case S32 -> Optional.of(S64);
      default -> Optional.empty();
    };
  }

  /** Returns the unsigned number type of a signed one, and any other type as it is. */
  public ScalarType unsigned() {
    return switch (this) {
      case S8 -> U8;
      case S16 -> U16;
      case S32 -> U32;
      case S64 -> U64;
      default -> this;
    };
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
