package dev.streamfence.processor.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StringLiteralTest {
  @Test
  void printableTextIsItself() {
    assertThat(StringLiteral.of("kernels/a b.ptx'$S%s")).isEqualTo("\"kernels/a b.ptx'$S%s\"");
  }

  @Test
  void charactersThatEndOrChangeALiteralAreEscaped() {
    assertThat(StringLiteral.of("a\"\\\n\r\t\0é\ud800\u202e"))
        .isEqualTo("\"a\\\"\\134\\n\\r\\u0009\\u0000\\u00e9\\ud800\\u202e\"");
  }

  @Test
  void backslashBeforeUIsNoUnicodeEscape() {
    assertThat(StringLiteral.of("\\u0022")).isEqualTo("\"\\134u0022\"");
  }

  /** Undoes Unicode escapes as compilers do, and then lets the library read the other escapes. */
  @Test
  void literalMeansTheTextForEveryCharacter() {
    String text =
        IntStream.rangeClosed(0, 0xffff)
            .mapToObj(c -> String.valueOf((char) c))
            .collect(Collectors.joining());

    String literal = StringLiteral.of(text);

    assertThat(literal).matches("[ -~]*");
    assertThat(undoUnicodeEscapes(literal.substring(1, literal.length() - 1)).translateEscapes())
        .isEqualTo(text);
  }

  private static String undoUnicodeEscapes(String source) {
    StringBuilder undone = new StringBuilder();
    for (int i = 0; i < source.length(); i++) {
      if (source.startsWith("\\u", i)) {
        undone.append((char) Integer.parseInt(source.substring(i + 2, i + 6), 16));
        i += 5;
      } else {
        undone.append(source.charAt(i));
      }
    }
    return undone.toString();
  }
}
