package dev.streamfence.internal.exchange;

import dev.streamfence.launch.ElementType;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The type of a tensor's elements, DLPack's {@code DLDataType}. Immutable.
 *
 * @param code the kind of number
 * @param bits the bits of one lane
 * @param lanes how many numbers make one element
 */
public record TensorElement(int code, int bits, int lanes) {
  private static final int INT = 0;
  private static final int UINT = 1;
  private static final int FLOAT = 2;
  private static final int BFLOAT = 4;
  private static final int BOOL = 6;
  private static final String[] NAMES = {
    "int", "uint", "float", "opaque", "bfloat", "complex", "bool"
  };

  /** The type of what an array holds. A {@code char} is an unsigned number of 16 bits. */
  public static TensorElement of(ElementType type) {
    int bits = type.sizeInBytes() * Byte.SIZE;
    return switch (type) {
      case BOOLEAN -> bool();
      case CHAR -> unsigned(bits);
      case BYTE, SHORT, INT, LONG -> integer(bits);
      case FLOAT, DOUBLE -> floating(bits);
    };
  }

  /** Signed integers. */
  public static TensorElement integer(int bits) {
    return new TensorElement(INT, bits, 1);
  }

  /** Unsigned integers. */
  public static TensorElement unsigned(int bits) {
    return new TensorElement(UINT, bits, 1);
  }

  /** IEEE 754 numbers. */
  public static TensorElement floating(int bits) {
    return new TensorElement(FLOAT, bits, 1);
  }

  /** Bytes that are 0 or 1. */
  public static TensorElement bool() {
    return new TensorElement(BOOL, Byte.SIZE, 1);
  }

  /** Whether it is the same, but for the sign of integers. */
  public boolean isAsWideAs(TensorElement other) {
    return equals(other)
        || (isInteger() && other.isInteger() && bits == other.bits && lanes == other.lanes);
  }

  private boolean isInteger() {
    return code == INT || code == UINT;
  }

  /**
   * The types of Java's elements that have these bits. Unsigned numbers are Java's signed ones of
   * the same width, as Java has no others; numbers of 16 bits that Java cannot calculate with are
   * passed as they are.
   */
  private Set<ElementType> elementTypes() {
    return switch (code) {
      case INT, UINT ->
          switch (bits) {
            case 8 -> Set.of(ElementType.BYTE);
            case 16 -> Set.of(ElementType.SHORT, ElementType.CHAR);
            case 32 -> Set.of(ElementType.INT);
            case 64 -> Set.of(ElementType.LONG);
            default -> Set.of();
          };
      case FLOAT ->
          switch (bits) {
            case 16 -> Set.of(ElementType.SHORT, ElementType.CHAR);
            case 32 -> Set.of(ElementType.FLOAT);
            case 64 -> Set.of(ElementType.DOUBLE);
            default -> Set.of();
          };
      case BFLOAT -> bits == 16 ? Set.of(ElementType.SHORT, ElementType.CHAR) : Set.of();
      case BOOL -> bits == 8 ? Set.of(ElementType.BOOLEAN, ElementType.BYTE) : Set.of();
      default -> Set.of();
    };
  }

  /**
   * Refuses elements that an array of this type cannot hold.
   *
   * @param what describes the tensor in errors
   * @throws IllegalArgumentException if the bits have another meaning, or Java has no such type
   */
  void requireHeldBy(ElementType type, String what) {
    if (lanes != 1) {
      throw new IllegalArgumentException(
          what + " has elements of " + lanes + " lanes; an array has elements of one lane");
    }
    if (bits % Byte.SIZE != 0) {
      throw new IllegalArgumentException(
          what + " has elements of type " + this + ", which are no whole bytes");
    }
    Set<ElementType> types = elementTypes();
    if (types.isEmpty()) {
      throw new IllegalArgumentException(
          what + " has elements of type " + this + ", for which Java has no array");
    }
    if (!types.contains(type)) {
      List<String> arrays =
          types.stream().sorted().map(one -> one.primitive() + "[]").collect(Collectors.toList());
      throw new IllegalArgumentException(
          what
              + " has elements of type "
              + this
              + ", which an array "
              + String.join(" or ", arrays)
              + " can hold; a "
              + type.primitive()
              + "[] cannot");
    }
  }

  @Override
  public String toString() {
    String name = code < NAMES.length ? NAMES[code] : "code " + code + " with bits ";
    return name + bits + (lanes == 1 ? "" : "x" + lanes);
  }
}
