package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * What {@code mvn -Prelease verify} puts together, by the rules of Maven Central: skipped in other
 * builds.
 *
 * @see <a href="https://central.sonatype.org/publish/requirements/">Requirements of Maven
 *     Central</a>
 */
final class ReleaseTest {
  private static final Set<String> ARTIFACTS =
      Set.of(
          "streamfence-bom",
          "streamfence-parent",
          "streamfence-annotations",
          "streamfence-ptx",
          "streamfence-runtime",
          "streamfence-simulator",
          "streamfence-exchange",
          "streamfence-arrow",
          "streamfence-assertj",
          "streamfence-processor");

  private static final List<String> REQUIRED =
      List.of("<name>", "<description>", "<url>", "<licenses>", "<developers>", "<scm");

  /** What a program under any licence may be delivered with. */
  private static final Set<String> LICENCES = Set.of("Apache-2.0", "MIT");

  private Path folder;

  @BeforeEach
  void requireRelease() {
    String release = System.getProperty("release.folder", "");
    assumeTrue(!release.isEmpty(), "no release is built");
    folder = Path.of(release).resolve("dev/streamfence");
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("maven-metadata"))
          .sorted()
          .toList();
    }
  }

  private List<Path> published() throws IOException {
    return files().stream()
        .filter(file -> file.toString().matches(".*\\.(jar|pom|json|xml)"))
        .toList();
  }

  @Test
  void everyArtifactIsThere() throws IOException {
    try (Stream<Path> artifacts = Files.list(folder)) {
      assertThat(artifacts.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(ARTIFACTS);
    }
  }

  @Test
  void everyFileIsSignedAndHasChecksumsThatFit() throws IOException {
    Set<String> all = files().stream().map(Path::toString).collect(Collectors.toSet());
    assertThat(published()).isNotEmpty();
    for (Path file : published()) {
      assertThat(all).contains(file + ".asc", file + ".md5", file + ".sha1");
      assertThat(Files.readString(Path.of(file + ".sha1")).strip()).isEqualTo(sha1(file));
      assertThat(Files.readString(Path.of(file + ".asc"))).startsWith("-----BEGIN PGP SIGNATURE");
    }
  }

  private static String sha1(Path file) throws IOException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyJarHasSourcesJavadocAndABillOfMaterials() throws IOException {
    for (Path jar : published()) {
      String name = jar.getFileName().toString();
      if (name.matches(".*\\d(-SNAPSHOT)?\\.jar")) {
        String stem = name.substring(0, name.length() - ".jar".length());
        assertThat(names(jar.getParent()))
            .contains(stem + "-sources.jar", stem + "-javadoc.jar", stem + "-cyclonedx.json");
      }
    }
  }

  private static Set<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everythingThatIsDeliveredWithAnArtifactHasALicenceThatFits() throws Exception {
    Set<String> refused = new TreeSet<>();
    int components = 0;
    for (Path bill : published()) {
      if (bill.toString().endsWith("-cyclonedx.xml")) {
        NodeList all =
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(bill.toFile())
                .getElementsByTagName("component");
        for (Element component : elements(all)) {
          // The description of the bill has components without a reference: the tools.
          String name = component.getAttribute("bom-ref");
          if (!name.isEmpty()) {
            components++;
            if (elements(component.getElementsByTagName("id")).stream()
                .noneMatch(id -> LICENCES.contains(id.getTextContent()))) {
              refused.add(name);
            }
          }
        }
      }
    }
    assertThat(refused).isEmpty();
    assertThat(components).isGreaterThan(20);
  }

  private static List<Element> elements(NodeList nodes) {
    return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i)).toList();
  }

  /** A child inherits what its parent has. */
  @Test
  void everyPomSaysWhoWhatAndUnderWhichLicence() throws IOException {
    for (Path pom : published()) {
      if (pom.toString().endsWith(".pom")) {
        String text = Files.readString(pom);
        boolean isChild =
            text.contains("<artifactId>streamfence-parent</artifactId>\n    <version>");
        for (String element : isChild ? REQUIRED.subList(0, 2) : REQUIRED) {
          assertThat(text).as(pom.toString()).contains(element);
        }
      }
    }
  }
}
