package dev.streamfence.internal.ptx.check;

import dev.streamfence.launch.KernelImage;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The hash of its source that PTX states in one of its first lines. Stateless. */
public final class SourceHash {
  /** The most bytes of PTX that come before the line. */
  private static final int MOST_BYTES = 4096;

  private static final String MARK = "// streamfence: source sha256 ";

  private SourceHash() {}

  /** The line to put before the PTX that was made from a source. */
  public static String line(byte[] source) {
    return MARK + KernelImage.sha256(source) + "\n";
  }

  /** The hash in PTX; empty if it states none. */
  public static String in(byte[] ptx) {
    int length = Math.min(ptx.length, MOST_BYTES);
    String head = new String(ptx, 0, length, StandardCharsets.ISO_8859_1);
    // Most programs load no such PTX, and need no pattern.
    if (!head.contains(MARK)) {
      return "";
    }
    Matcher line = Pattern.compile("(?m)^" + MARK + "([0-9a-f]{64})\\s*$").matcher(head);
    return line.find() ? line.group(1) : "";
  }
}
