package dev.streamfence.internal.ptx.syntax;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that C++ compilers give to functions without {@code extern "C"}. Stateless.
 *
 * <p>Source: Itanium C++ ABI, 5.1 "External Names": {@code _Z}, then the length of a name and the
 * name; between {@code N} and {@code E}, one such pair for each scope. {@code L} before a pair
 * means that the name is not visible elsewhere.
 */
public final class MangledName {
  private static final Pattern COMPONENT = Pattern.compile("\\GL?(\\d{1,4})");

  private MangledName() {}

  /** {@code _ZZ4tilePfE4part}: a variable {@code part} inside of a function. */
  private static final Pattern LOCAL = Pattern.compile("_ZZ\\w+E(\\d{1,3})(\\w+)");

  /** Returns a variable's own name, without the function that it is declared in. */
  public static String variable(String name) {
    Matcher local = LOCAL.matcher(name);
    if (!local.matches()) {
      return name;
    }
    int length = Integer.parseInt(local.group(1));
    // A number after the name tells apart variables of one name.
    String rest = local.group(2);
    return length > 0 && length <= rest.length() && rest.substring(length).matches("(_\\w*)?")
        ? rest.substring(0, length)
        : name;
  }

  /**
   * Returns the function's own name, without its scopes, its template arguments and its parameters.
   *
   * @param mangled any name
   * @return the name, or empty if this is not such a name
   */
  public static Optional<String> function(String mangled) {
    if (!mangled.startsWith("_Z")) {
      return Optional.empty();
    }
    int at = mangled.startsWith("N", 2) ? 3 : 2;
    Optional<String> last = Optional.empty();
    Matcher component = COMPONENT.matcher(mangled);
    while (component.find(at)) {
      int end = component.end() + Integer.parseInt(component.group(1));
      if (end > mangled.length()) {
        return Optional.empty();
      }
      last = Optional.of(mangled.substring(component.end(), end));
      at = end;
    }
    return last;
  }
}
