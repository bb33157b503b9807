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

  private static final String SOURCE = ".cu";
  private static final String PTX = ".ptx";

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

  /** Whether it names a CUDA source, which has to be compiled. */
  public boolean isSource() {
    return value.length() < MAX_LENGTH
        && value.endsWith(SOURCE)
        && !value.endsWith("/" + SOURCE)
        && !value.equals(SOURCE);
  }

  /** The name of the PTX that is loaded: that of a source with {@code .ptx} in place of its end. */
  public ResourceName code() {
    return isSource()
        ? new ResourceName(value.substring(0, value.length() - SOURCE.length()) + PTX)
        : this;
  }

  private static boolean isIllegal(int character) {
    return character == ':' || character == '\\' || Character.isISOControl(character);
  }
}
