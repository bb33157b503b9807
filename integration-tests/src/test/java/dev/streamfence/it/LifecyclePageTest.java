package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code LIFECYCLE.md} names all kinds of refusals, by which programs distinguish them. */
final class LifecyclePageTest {
  private static final Pattern KIND = Pattern.compile("`([A-Z_]+)`");

  @Test
  void everyKindOfARefusalIsListed() throws IOException {
    List<String> page = Files.readAllLines(Path.of("..", "runtime", "LIFECYCLE.md"));

    assertListed(page, KernelArgumentException.class, KernelArgumentException.Mistake.values());
    assertListed(page, StreamMisuseException.class, StreamMisuseException.Misuse.values());
    assertListed(page, UseAfterFreeException.class, UseAfterFreeException.Ending.values());
  }

  private static void assertListed(List<String> page, Class<?> refusal, Enum<?>[] kinds) {
    List<String> rows =
        page.stream().filter(line -> line.startsWith("| `" + refusal.getSimpleName())).toList();

    assertThat(rows).as(refusal.getSimpleName()).hasSize(1);
    assertThat(KIND.matcher(rows.get(0)).results())
        .extracting(kind -> kind.group(1))
        .containsExactlyInAnyOrderElementsOf(Arrays.stream(kinds).map(Enum::name).toList());
  }
}
