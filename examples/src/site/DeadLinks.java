import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Fails if a link or a picture of the site leads nowhere: to a file that is not there, or to a place
 * that the page does not have. Run from its source, with the folder of the site. Links to other
 * sites, and into the Javadoc where it was not built, are not followed.
 */
final class DeadLinks {
  private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
  private static final String JAVADOC = "apidocs";

  private DeadLinks() {}

  public static void main(String[] arguments) throws IOException {
    Path site = Path.of(arguments[0]);
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (Path page : pages(site)) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        String target = link.group(1).replace("&amp;", "&");
        links++;
        if (!leadsSomewhere(site, page, target)) {
          dead.add(site.relativize(page) + " -> " + target);
        }
      }
    }
    if (links < 100 || !dead.isEmpty()) {
      dead.forEach(System.err::println);
      throw new IOException(dead.size() + " of " + links + " links of the site lead nowhere");
    }
  }

  private static List<Path> pages(Path site) throws IOException {
    try (Stream<Path> files = Files.walk(site)) {
      return files
          .filter(file -> file.toString().endsWith(".html"))
          .filter(file -> !file.startsWith(site.resolve(JAVADOC)))
          .toList();
    }
  }

  private static boolean leadsSomewhere(Path site, Path page, String link) throws IOException {
    URI target = URI.create(link);
    if (target.isAbsolute()) {
      return true;
    }
    Path file = target.getPath().isEmpty() ? page : page.resolveSibling(target.getPath()).normalize();
    if (file.startsWith(site.resolve(JAVADOC)) && !Files.exists(site.resolve(JAVADOC))) {
      return true;
    }
    if (!Files.exists(file)) {
      return false;
    }
    String place = target.getFragment();
    return place == null || Files.isDirectory(file) || Files.readString(file).contains("id=\"" + place + "\"");
  }
}
