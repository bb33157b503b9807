package dev.streamfence.internal.ptx.syntax;

/**
 * A place in the source that PTX was compiled from. Immutable.
 *
 * @param file as the compiler wrote it, often an absolute path
 * @param line counted from 1
 */
public record SourcePosition(String file, int line) {
  /** Returns the file's own name and the line, for messages at run time. */
  public String inFile() {
    int slash = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
    return new SourcePosition(file.substring(slash + 1), line).toString();
  }

  /** Returns file and line, without characters that a terminal would interpret as commands. */
  @Override
  public String toString() {
    boolean isPrintable = file.chars().noneMatch(c -> c < ' ' || c == 127);
    return (isPrintable ? file : file.replaceAll("\\p{Cntrl}", "?")) + ":" + line;
  }
}
