package dev.streamfence.processor.model;

import java.util.Set;

/**
 * The name of a resource from the root of the class path. Invariant: relative; parts separated by
 * {@code /}, none of them empty, {@code .} or {@code ..}; no {@code :}, {@code \} or control
 * character; at most {@value #MAX_LENGTH} characters. Immutable.
 *
 * <p>Class loaders disagree about other names, and some such names lead out of the class path.
 */
public record ResourceName(String value) {
  /** Longer than any path in file systems and archives. */
  public static final int MAX_LENGTH = 1024;

  private static final Set<String> ILLEGAL_PARTS = Set.of("", ".", "..");

  public ResourceName {
    if (!isLegal(value)) {
      throw new IllegalArgumentException(value + " is no resource name");
    }
  }

  /** Whether {@code value} can be a resource's name. */
  public static boolean isLegal(String value) {
    if (value.length() > MAX_LENGTH || value.chars().anyMatch(ResourceName::isIllegal)) {
      return false;
    }
    for (String part : value.split("/", -1)) {
      if (ILLEGAL_PARTS.contains(part)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isIllegal(int character) {
    return character == ':' || character == '\\' || Character.isISOControl(character);
  }
}
