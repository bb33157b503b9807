package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of this module's page compiles, with Arrow on the class path. */
final class ArrowPageTest {
  private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final String CLASS =
      """
      import dev.streamfence.*;
      import dev.streamfence.foreign.*;
      import dev.streamfence.launch.*;
      import dev.streamfence.memory.*;
      import dev.streamfence.arrow.*;
      import dev.streamfence.column.*;
      import java.nio.charset.StandardCharsets;
      import org.apache.arrow.memory.*;
      import org.apache.arrow.vector.*;
      class Piece%d {
        void run() {
      %s
        }
      }
      """;

  @Test
  void everyPieceOfJavaCompiles(@TempDir Path classes) throws IOException {
    List<JavaFileObject> pieces = new ArrayList<>();
    Matcher piece = JAVA.matcher(Files.readString(Path.of("ARROW.md")));
    while (piece.find()) {
      int number = pieces.size();
      String code = CLASS.formatted(number, piece.group(1));
      pieces.add(
          new SimpleJavaFileObject(
              URI.create("string:///Piece" + number + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
              return code;
            }
          });
    }
    assertThat(pieces).isNotEmpty();
    DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                null, null, messages, List.of("-proc:none", "-d", classes.toString()), null, pieces)
            .call();
    assertThat(compiled).as(messages.getDiagnostics().toString()).isTrue();
  }
}
