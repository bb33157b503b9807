package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.testing.compile.Compiler;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder at the head of a compilation's class path, for files that processors look up. */
final class Resources {
  private final Path folder;

  private Resources(Path folder) {
    this.folder = folder;
  }

  /** The files in {@code folder}, which only this test uses. */
  static Resources in(Path folder) {
    return new Resources(folder);
  }

  /** Adds a file under its name from the root of the class path. */
  Resources with(String name, String text) {
    return with(name, text.getBytes(UTF_8));
  }

  /** Adds a file under its name from the root of the class path. */
  Resources with(String name, byte[] content) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** The same compiler with these files in addition to the class path of users. */
  Compiler visibleTo(Compiler compiler) {
    List<File> classPath = new ArrayList<>(List.of(folder.toFile()));
    UserBuild.OWN_CLASS_PATH.forEach(entry -> classPath.add(entry.toFile()));
    return compiler.withClasspath(classPath);
  }
}
