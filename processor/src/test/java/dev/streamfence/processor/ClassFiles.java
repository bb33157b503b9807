package dev.streamfence.processor;

import static dev.streamfence.processor.UserBuild.javac;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;

/** Class files of other languages and other builds, with names that Java cannot write. */
final class ClassFiles {
  private final Path folder;

  private ClassFiles(Path folder) {
    this.folder = folder;
  }

  /** Class files in {@code folder}, which a test has for itself. */
  static ClassFiles in(Path folder) {
    return new ClassFiles(folder);
  }

  /**
   * Compiles sources, except that names are others in the class files.
   *
   * @param names the names to write by those that the sources have
   */
  ClassFiles with(Map<String, String> names, String... sources) {
    JavaFileObject[] files = new JavaFileObject[sources.length];
    for (int i = 0; i < sources.length; i++) {
      files[i] = Sources.file(sources[i]);
    }
    Compilation compilation = javac().withOptions("-parameters", "-proc:none").compile(files);
    for (JavaFileObject file : compilation.generatedFiles()) {
      String path = file.getName().replaceFirst("^/?CLASS_OUTPUT/", "");
      Resources.in(folder).with(renamed(path, names), renamed(bytes(file), names));
    }
    return this;
  }

  /** Forgets a class. */
  ClassFiles without(String path) {
    if (!folder.resolve(path).toFile().delete()) {
      throw new IllegalArgumentException("no " + path);
    }
    return this;
  }

  /** The folder, and the class path of the tests. */
  List<Path> classPath() {
    List<Path> all = new ArrayList<>(List.of(folder));
    all.addAll(UserBuild.OWN_CLASS_PATH);
    return all;
  }

  private static String renamed(String path, Map<String, String> names) {
    String renamed = path;
    for (Map.Entry<String, String> name : names.entrySet()) {
      renamed = renamed.replace("/" + name.getKey() + ".class", "/" + name.getValue() + ".class");
    }
    return renamed;
  }

  private static byte[] renamed(byte[] content, Map<String, String> names) {
    String text = new String(content, ISO_8859_1);
    for (Map.Entry<String, String> name : names.entrySet()) {
      text = text.replace(constant(name.getKey()), constant(name.getValue()));
    }
    return text.getBytes(ISO_8859_1);
  }

  private static byte[] bytes(JavaFileObject file) {
    try (var in = file.openInputStream()) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A text in the form of a constant pool: its length in two bytes, then its characters. */
  private static String constant(String text) {
    return "\0" + (char) text.length() + text;
  }
}
