import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Gives the headings of Markdown files the anchors that links name: the words in lower case with
 * hyphens. Run from its source, with the folder of the files.
 */
final class HeadingAnchors {
  private HeadingAnchors() {}

  public static void main(String[] arguments) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(arguments[0]))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".md")).toList()) {
        Files.write(file, anchored(Files.readAllLines(file)));
      }
    }
  }

  private static List<String> anchored(List<String> lines) {
    List<String> anchored = new ArrayList<>();
    boolean isCode = false;
    for (String line : lines) {
      isCode ^= line.startsWith("```");
      if (!isCode && line.matches("#+ .*")) {
        anchored.add("<a id=\"" + anchor(line) + "\"></a>");
        anchored.add("");
      }
      anchored.add(line);
    }
    return anchored;
  }

  private static String anchor(String heading) {
    return heading
        .replaceFirst("#+ ", "")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
