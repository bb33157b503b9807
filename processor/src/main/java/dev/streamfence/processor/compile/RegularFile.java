package dev.streamfence.processor.compile;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The one way to read files that other programs write: none can block or fill the Java compiler.
 */
public final class RegularFile {
  private RegularFile() {}

  /**
   * Reads a file.
   *
   * @throws IOException if it is no regular file, such as a pipe, or larger than {@link
   *     CodeLimits#FILE_BYTES}
   */
  public static byte[] read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file.getFileName() + " is no regular file");
    }
    byte[] content = readUpToLimit(file);
    if (content.length > CodeLimits.FILE_BYTES) {
      throw new IOException(
          file.getFileName()
              + " has more than "
              + CodeLimits.FILE_BYTES
              + " bytes, the most that is read");
    }
    return content;
  }

  private static byte[] readUpToLimit(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return upToLimit(in);
    }
  }

  /** What can be read, and one byte more than the limit if there is more. */
  public static byte[] upToLimit(InputStream in) throws IOException {
    return in.readNBytes(CodeLimits.FILE_BYTES + 1);
  }
}
