package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code PROBLEMS.md} has every limit, with its value. */
class LimitsPageTest {
  @Test
  void theTableHasEveryLimit() throws Exception {
    String page = Files.readString(Path.of("PROBLEMS.md"));
    for (Field limit : CodeLimits.class.getFields()) {
      assertThat(limit.getModifiers() & Modifier.FINAL).isNotZero();
      assertThat(page.lines())
          .as(limit.getName())
          .anyMatch(
              line ->
                  line.startsWith("| ")
                      && line.contains("`" + limit.getName() + "`")
                      && line.contains("| " + value(limit) + " "));
    }
  }

  private static String value(Field limit) {
    try {
      return String.valueOf(limit.get(null));
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
