package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The jars of this build contain nothing that differs between two builds of one commit: no time, no
 * order of a file system, and no name of a machine, a user or a folder.
 */
class ReproducibleJarsTest {
  private static final List<String> NAMES_OF_A_MACHINE =
      List.of("Built-By", "Build-Jdk", "Build-Host", "Build-Time");

  private static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.find(Path.of(".."), 4, (file, facts) -> isRelease(file))) {
      return files.sorted().toList();
    }
  }

  private static boolean isRelease(Path file) {
    return file.getNameCount() > 2
        && file.getParent().endsWith("target")
        && file.getFileName().toString().matches("streamfence-.*\\.jar")
        && !file.toString().matches(".*-(tests|sources|javadoc)\\.jar");
  }

  @Test
  void entriesHaveOneTimeAndOneOrder() throws IOException {
    List<Path> jars = jars();
    assumeTrue(jars.size() >= 8, "the jars are there once they are packaged");
    for (Path jar : jars) {
      try (JarFile open = new JarFile(jar.toFile())) {
        assertThat(open.stream().map(JarEntry::getTimeLocal).distinct())
            .as(jar.toString())
            .hasSize(1);
        List<String> files =
            open.stream()
                .map(JarEntry::getName)
                .filter(name -> !name.startsWith("META-INF") && !name.endsWith("/"))
                .toList();
        assertThat(files).as(jar.toString()).isSorted();
      }
    }
  }

  @Test
  void manifestsNameNoMachine() throws IOException {
    List<Path> jars = jars();
    assumeTrue(jars.size() >= 8, "the jars are there once they are packaged");
    for (Path jar : jars) {
      try (JarFile open = new JarFile(jar.toFile())) {
        Attributes manifest = open.getManifest().getMainAttributes();
        assertThat(manifest.keySet().stream().map(Object::toString))
            .as(jar.toString())
            .doesNotContainAnyElementsOf(NAMES_OF_A_MACHINE);
        assertThat(manifest.values().toString())
            .as(jar.toString())
            .doesNotContain(System.getProperty("user.dir"), System.getProperty("java.home"));
      }
    }
  }
}
