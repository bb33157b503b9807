package dev.streamfence.internal.ptx.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The types of a function's parameters in its mangled name, as far as they are numbers: the only
 * place where a compiled kernel says that a parameter is unsigned. Confined to one call.
 *
 * <p>Source: Itanium C++ ABI, 5.1.3 to 5.1.8. The reader skips the types that it knows no name for,
 * and ends at the first encoding that it does not know, such as an expression.
 */
final class MangledParameters {
  /** Deeper types are left out; a name is from others. */
  private static final int MAX_DEPTH = 32;

  private final String name;
  private int at;
  private int depth;

  private MangledParameters(String name) {
    this.name = name;
  }

  /** A name that this does not read to its end; what was read before is kept. */
  private static final class UnknownEncoding extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownEncoding() {
      super(null, null, false, false);
    }
  }

  /**
   * The type of one parameter in words, with the type of Java that passes it; empty if the name
   * does not say it, or it is no number of that size.
   *
   * @param entry any name
   * @param index the parameter, from 0
   * @param sizeInBytes its size
   */
  static Optional<String> inWords(String entry, int index, int sizeInBytes) {
    List<Optional<CudaNumber>> types = of(entry);
    return index < types.size()
        ? types
            .get(index)
            .filter(type -> type.canHave(sizeInBytes))
            .map(type -> type.inWords(sizeInBytes))
        : Optional.empty();
  }

  /** The types of the first parameters; empty for each that is no number. */
  static List<Optional<CudaNumber>> of(String mangled) {
    List<Optional<CudaNumber>> types = new ArrayList<>();
    if (!mangled.startsWith("_Z")) {
      return types;
    }
    MangledParameters reader = new MangledParameters(mangled);
    reader.at = "_Z".length();
    try {
      if (reader.functionName()) {
        reader.type();
      }
      while (reader.at < mangled.length() && reader.peek() != '.') {
        types.add(Optional.ofNullable(reader.type()));
      }
    } catch (UnknownEncoding e) {
      // The types before it are certain.
    }
    return types;
  }

  /** Skips the name; returns whether it is a template's, whose return type comes first. */
  private boolean functionName() {
    return accept('N') ? components() : component();
  }

  /** Skips the rest of a nested name; returns whether it ends with template arguments. */
  private boolean components() {
    boolean isTemplate = false;
    while (!accept('E')) {
      if ("KVr".indexOf(peek()) >= 0) {
        at++;
      } else if (peek() == 'I') {
        arguments();
        isTemplate = true;
      } else if (peek() == 'S') {
        substitution();
        isTemplate = false;
      } else {
        isTemplate = component();
      }
    }
    return isTemplate;
  }

  /** Skips a name with its template arguments; returns whether there are any. */
  private boolean component() {
    accept('L');
    int length = number();
    if (length <= 0 || length > name.length() - at) {
      throw new UnknownEncoding();
    }
    at += length;
    return optionalArguments();
  }

  private boolean optionalArguments() {
    boolean isTemplate = at < name.length() && name.charAt(at) == 'I';
    if (isTemplate) {
      arguments();
    }
    return isTemplate;
  }

  private void arguments() {
    at++;
    while (!accept('E')) {
      if (accept('L')) {
        literal();
      } else {
        type();
      }
    }
  }

  /** Skips a literal of a number, such as {@code i256E}. */
  private void literal() {
    type();
    accept('n');
    number();
    if (!accept('E')) {
      throw new UnknownEncoding();
    }
  }

  /** Skips a type; returns it if it is a number. */
  private @Nullable CudaNumber type() {
    if (++depth > MAX_DEPTH) {
      throw new UnknownEncoding();
    }
    char first = peek();
    @Nullable CudaNumber number = null;
    if (Character.isDigit(first)) {
      component();
    } else {
      at++;
      switch (first) {
        case 'K', 'V', 'r' -> number = type();
        case 'P', 'R', 'O' -> type();
        case 'N' -> components();
        case 'S' -> {
          at--;
          substitution();
        }
        case 'T' -> {
          number();
          requireUnderscore();
          optionalArguments();
        }
        case 'A' -> {
          number();
          requireUnderscore();
          type();
        }
        case 'v' -> {}
        default -> {
          number = CudaNumber.of(first);
          if (number == null) {
            throw new UnknownEncoding();
          }
        }
      }
    }
    depth--;
    return number;
  }

  /** Skips what stands for an earlier part of the name, or for {@code std}. */
  private void substitution() {
    at++;
    char kind = peek();
    if (kind == 't') {
      at++;
      component();
      return;
    }
    if ("absiod".indexOf(kind) >= 0) {
      at++;
    } else {
      while (Character.isDigit(peek()) || Character.isUpperCase(peek())) {
        at++;
      }
      requireUnderscore();
    }
    optionalArguments();
  }

  private void requireUnderscore() {
    if (!accept('_')) {
      throw new UnknownEncoding();
    }
  }

  /** Skips a number; -1 if there is none, or a large one. */
  private int number() {
    int start = at;
    while (at < name.length() && Character.isDigit(name.charAt(at))) {
      at++;
    }
    return at == start || at - start > 9 ? -1 : Integer.parseInt(name.substring(start, at));
  }

  private char peek() {
    if (at >= name.length()) {
      throw new UnknownEncoding();
    }
    return name.charAt(at);
  }

  private boolean accept(char expected) {
    boolean isNext = peek() == expected;
    at += isNext ? 1 : 0;
    return isNext;
  }
}
