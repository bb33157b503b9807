package dev.streamfence.internal.ptx.bounds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Changes one number or one comparison at a time in loops that a compiler unrolled: how many
 * iterations they have is no longer what the division says, and what a launch touches still lies
 * within its limits.
 */
@Tag("search")
class DamagedLoopsTest {
  private static final List<ArrayPlace> ARRAYS =
      List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));
  private static final Pattern NUMBER = Pattern.compile("(?<=, )-?\\d+(?=;)");
  private static final Pattern OPERATION =
      Pattern.compile(
          "(?<=setp\\.)(ge|gt|lt|le|eq|ne)(?=\\.)|(?<=\\t)(add|sub|div|rem)(?=\\.[su])");
  private static final Pattern TYPE =
      Pattern.compile("(?<=setp\\...\\.|div\\.|rem\\.)[su](?=32|64)");

  /** Every so many changes are tried: each one takes an analysis. */
  private static final int EVERY = Effort.of(9, 1);

  @Test
  void loopsWithAnotherNumberOfIterationsTouchNothingBeyondTheirLimits() throws IOException {
    String text;
    try (InputStream in =
        DamagedLoopsTest.class.getResourceAsStream(
            "/dev/streamfence/internal/ptx/access/strides.ptx")) {
      text = new String(in.readAllBytes(), UTF_8);
    }
    String head = text.substring(0, text.indexOf(".visible"));
    BoundsClaims claims = new BoundsClaims();
    int seen = 0;
    for (String kernel : text.split("(?=\\.visible)")) {
      int end = kernel.indexOf("\n}");
      if (!kernel.startsWith(".visible") || end < 0) {
        continue;
      }
      for (String changed : damaged(kernel.substring(0, end + 3))) {
        if (seen++ % EVERY == 0) {
          PtxModule module = PtxModule.parse(head + changed);
          claims.compare(changed, module, module.entries().get(0), ARRAYS, seen, 4);
        }
      }
    }
    System.out.println("Bounds of damaged loops: " + claims);

    assertThat(claims.limits).isGreaterThan(claims.launches);
    assertThat(claims.exactLimits).isGreaterThan(claims.limits / 2);
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
