package dev.streamfence.processor.compile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of sources in PTX. Compilers write whole paths, which differ from machine to machine
 * and would come with the application. Stateless.
 */
final class PtxPaths {
  private static final Pattern FILE =
      Pattern.compile("(?m)^(\\s*\\.file\\s+\\d+\\s+\")([^\"\n]*)\"");

  private PtxPaths() {}

  /** The PTX with the names of files in {@code root} from there. */
  static byte[] relative(byte[] ptx, Path root) {
    String prefix = escaped(root.toAbsolutePath().normalize().toString()) + "/";
    // One character per byte, so that no byte is lost.
    Matcher file = FILE.matcher(new String(ptx, ISO_8859_1));
    return file.replaceAll(
            found -> {
              String path = found.group(2);
              String name = path.startsWith(prefix) ? path.substring(prefix.length()) : path;
              return Matcher.quoteReplacement(found.group(1) + name + "\"");
            })
        .getBytes(ISO_8859_1);
  }

  /** As compilers write it: bytes beyond ASCII as three octal digits. */
  private static String escaped(String path) {
    StringBuilder text = new StringBuilder();
    for (byte each : path.replace('\\', '/').getBytes(UTF_8)) {
      if (each < 0) {
        text.append(String.format("\\%03o", each & 0xFF));
      } else {
        text.append((char) each);
      }
    }
    return text.toString();
  }
}
