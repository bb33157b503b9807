package dev.streamfence.internal.ptx.check;

import dev.streamfence.launch.KernelImage;
import java.nio.charset.StandardCharsets;

/** The hash of its source that PTX states in one of its first lines. Stateless. */
public final class SourceHash {
  /** The most bytes of PTX that come before the end of the line. */
  private static final int MOST_BYTES = 4096;

  private static final String MARK = "// streamfence: source sha256 ";
  private static final int DIGITS = 64;

  private SourceHash() {}

  /** The line to put before the PTX that was made from a source. */
  public static String line(byte[] source) {
    return MARK + KernelImage.sha256(source) + "\n";
  }

  /** The hash in PTX; empty if it states none. */
  public static String in(byte[] ptx) {
    int length = Math.min(ptx.length, MOST_BYTES);
    return new String(ptx, 0, length, StandardCharsets.ISO_8859_1)
        .lines()
        .filter(line -> line.startsWith(MARK))
        .map(line -> line.substring(MARK.length()).strip())
        .filter(hash -> hash.length() == DIGITS)
        .findFirst()
        .orElse("");
  }
}
