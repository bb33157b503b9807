package dev.streamfence.internal.ptx;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kernels of the corpus in which one number or one operation is another one. */
public final class DamagedCode {
  private static final Pattern NUMBER = Pattern.compile("(?<=, )-?\\d+(?=;)");
  private static final Pattern OPERATION =
      Pattern.compile(
          "(?<=setp\\.)(ge|gt|lt|le|eq|ne)(?=\\.)|(?<=\\t)(add|sub|div|rem)(?=\\.[su])");
  private static final Pattern TYPE =
      Pattern.compile("(?<=setp\\...\\.|div\\.|rem\\.)[su](?=32|64)");

  private DamagedCode() {}

  /** Gives modules to a test that are each one kernel of a file with one change. */
  public static void forEach(String file, Consumer<String> test) throws IOException {
    String text;
    try (InputStream in =
        DamagedCode.class.getResourceAsStream("/dev/streamfence/internal/ptx/access/" + file)) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    String head = text.substring(0, text.indexOf(".visible"));
    for (String kernel : text.split("(?=\\.visible)")) {
      int end = kernel.indexOf("\n}");
      if (kernel.startsWith(".visible") && end >= 0) {
        damaged(kernel.substring(0, end + 3)).forEach(changed -> test.accept(head + changed));
      }
    }
  }

  private static List<String> damaged(String kernel) {
    List<String> found = new ArrayList<>();
    for (Matcher each = NUMBER.matcher(kernel); each.find(); ) {
      long number = Long.parseLong(each.group());
      for (long other : List.of(number + 1, number - 1, 2 * number + 1, -number)) {
        found.add(with(kernel, each, Long.toString(other)));
      }
    }
    for (Matcher each = OPERATION.matcher(kernel); each.find(); ) {
      for (String other : others(each.group())) {
        found.add(with(kernel, each, other));
      }
    }
    for (Matcher each = TYPE.matcher(kernel); each.find(); ) {
      found.add(with(kernel, each, each.group().equals("s") ? "u" : "s"));
    }
    return found;
  }

  private static String with(String text, Matcher place, String other) {
    return text.substring(0, place.start()) + other + text.substring(place.end());
  }

  private static List<String> others(String operation) {
    return switch (operation) {
      case "ge" -> List.of("gt", "lt");
      case "gt" -> List.of("ge", "le");
      case "lt" -> List.of("le", "ge");
      case "le" -> List.of("lt", "gt");
      case "eq" -> List.of("ne", "lt");
      case "ne" -> List.of("eq", "gt");
      case "add" -> List.of("sub");
      case "sub" -> List.of("add");
      case "div" -> List.of("rem");
      default -> List.of("div");
    };
  }
}
