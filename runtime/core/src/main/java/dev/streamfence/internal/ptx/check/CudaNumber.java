package dev.streamfence.internal.ptx.check;

import dev.streamfence.launch.ElementType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A number type of CUDA C++, by its letter in mangled names. PTX does not tell signed from unsigned
 * parameters: compilers declare both as {@code .u32}, or as bits. Immutable.
 *
 * <p>Source: Itanium C++ ABI, 5.1.5.2 "Builtin types".
 */
enum CudaNumber {
  BOOL('b', "bool", NumberClass.TRUTH, 1),
  CHAR('c', "char", NumberClass.SIGNED, 1),
  SIGNED_CHAR('a', "signed char", NumberClass.SIGNED, 1),
  UNSIGNED_CHAR('h', "unsigned char", NumberClass.UNSIGNED, 1),
  SHORT('s', "short", NumberClass.SIGNED, 2),
  UNSIGNED_SHORT('t', "unsigned short", NumberClass.UNSIGNED, 2),
  INT('i', "int", NumberClass.SIGNED, 4),
  UNSIGNED_INT('j', "unsigned int", NumberClass.UNSIGNED, 4),
  // Of 4 bytes on Windows, of 8 elsewhere.
  LONG('l', "long", NumberClass.SIGNED, 0),
  UNSIGNED_LONG('m', "unsigned long", NumberClass.UNSIGNED, 0),
  LONG_LONG('x', "long long", NumberClass.SIGNED, 8),
  UNSIGNED_LONG_LONG('y', "unsigned long long", NumberClass.UNSIGNED, 8),
  FLOAT('f', "float", NumberClass.FLOATING_POINT, 4),
  DOUBLE('d', "double", NumberClass.FLOATING_POINT, 8);

  private enum NumberClass {
    TRUTH,
    SIGNED,
    UNSIGNED,
    FLOATING_POINT
  }

  private static final Map<Character, CudaNumber> BY_LETTER = new HashMap<>();

  static {
    for (CudaNumber number : values()) {
      BY_LETTER.put(number.letter, number);
    }
  }

  private final char letter;
  private final String name;
  private final NumberClass numberClass;

  /** 0 if that depends on the platform. */
  private final int sizeInBytes;

  CudaNumber(char letter, String name, NumberClass numberClass, int sizeInBytes) {
    this.letter = letter;
    this.name = name;
    this.numberClass = numberClass;
    this.sizeInBytes = sizeInBytes;
  }

  /** The type with a letter; null if there is none. */
  static @Nullable CudaNumber of(char letter) {
    return BY_LETTER.get(letter);
  }

  /** Whether a parameter of this type can have this size. */
  boolean canHave(int bytes) {
    return sizeInBytes == 0 ? bytes == 4 || bytes == 8 : bytes == sizeInBytes;
  }

  /**
   * The type in words, with the type of Java that passes it: {@code a 32-bit unsigned integer
   * (unsigned int), passed as an int}.
   *
   * @param bytes a size that it can have
   */
  String inWords(int bytes) {
    String kind =
        switch (numberClass) {
          case TRUTH -> "a truth value";
          case SIGNED -> bits(bytes) + " integer";
          case UNSIGNED -> bits(bytes) + " unsigned integer";
          case FLOATING_POINT -> bits(bytes) + " floating-point number";
        };
    ElementType passed = passed(bytes);
    return kind
        + " ("
        + name
        + "), passed as "
        + (passed == ElementType.INT ? "an " : "a ")
        + passed.primitive();
  }

  private static String bits(int bytes) {
    return (bytes == 1 ? "an " : "a ") + bytes * Byte.SIZE + "-bit";
  }

  private ElementType passed(int bytes) {
    if (numberClass == NumberClass.TRUTH) {
      return ElementType.BOOLEAN;
    }
    return switch (bytes) {
      case 1 -> ElementType.BYTE;
      // Java's only unsigned number.
      case 2 -> numberClass == NumberClass.UNSIGNED ? ElementType.CHAR : ElementType.SHORT;
      case 4 -> numberClass == NumberClass.FLOATING_POINT ? ElementType.FLOAT : ElementType.INT;
      default -> numberClass == NumberClass.FLOATING_POINT ? ElementType.DOUBLE : ElementType.LONG;
    };
  }
}
