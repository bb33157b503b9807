package dev.streamfence.processor.compile;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A rule for {@code make}, in which compilers name the files that they have read. Stateless. */
final class DependencyFile {
  /** The target that compilers are told to write. */
  static final String TARGET = "ptx";

  private DependencyFile() {}

  /**
   * Returns the files that a rule names, in order; an empty list if it is no such rule.
   *
   * @param folder the folder that the compiler ran in
   */
  static List<Path> parse(String rule, Path folder) {
    String text = rule.replace("\\\r\n", " ").replace("\\\n", " ").strip();
    int colon = text.indexOf(':');
    if (colon < 0 || !text.substring(0, colon).strip().equals(TARGET)) {
      return List.of();
    }
    List<Path> files = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    try {
      for (int i = colon + 1; i < text.length(); i++) {
        char c = text.charAt(i);
        char next = i + 1 < text.length() ? text.charAt(i + 1) : '\n';
        if ((c == '\\' && (next == ' ' || next == '#' || next == '\\' || next == ':'))
            || (c == '$' && next == '$')) {
          name.append(next);
          i++;
        } else if (!Character.isWhitespace(c)) {
          name.append(c);
        } else if (c == '\n') {
          // Rules for single files may follow.
          break;
        } else if (name.length() > 0) {
          files.add(folder.resolve(name.toString()));
          name.setLength(0);
        }
      }
      if (name.length() > 0) {
        files.add(folder.resolve(name.toString()));
      }
    } catch (InvalidPathException e) {
      return List.of();
    }
    return files;
  }
}
