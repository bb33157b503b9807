package dev.streamfence.internal.ptx.syntax;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of the PTX language. Immutable.
 *
 * @param major the number before the point
 * @param minor the number after the point
 */
public record PtxVersion(int major, int minor) {
  private static final Pattern WRITTEN = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})");

  /**
   * Reads a version.
   *
   * @param written the operand of {@code .version}, such as {@code 7.0}
   * @return the version, or empty if the text is malformed
   */
  public static Optional<PtxVersion> of(String written) {
    Matcher version = WRITTEN.matcher(written);
    return version.matches()
        ? Optional.of(
            new PtxVersion(Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2))))
        : Optional.empty();
  }

  /**
   * Returns the newest version that a driver accepts, from the release history in NVIDIA's PTX ISA;
   * empty for a driver that is missing in this copy of it.
   *
   * @param driverVersion the result of {@code cuDriverGetVersion}
   * @return the newest version
   */
  public static Optional<PtxVersion> takenBy(int driverVersion) {
    int major = driverVersion / 1000;
    int minor = driverVersion % 1000 / 10;
    return switch (major) {
      case 11 -> minor <= 8 ? Optional.of(new PtxVersion(7, minor)) : Optional.empty();
      // CUDA 12.6 has no PTX version of its own, so later releases are one behind.
      case 12 ->
          minor <= 9
              ? Optional.of(new PtxVersion(8, minor < 6 ? minor : minor - 1))
              : Optional.empty();
      case 13 -> minor <= 1 ? Optional.of(new PtxVersion(9, minor)) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /**
   * Compares two versions.
   *
   * @param other the other one
   * @return whether this one is newer
   */
  public boolean isNewerThan(PtxVersion other) {
    return major != other.major ? major > other.major : minor > other.minor;
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
