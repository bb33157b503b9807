package dev.streamfence.internal.trace;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a trace to a file. */
final class TraceFile {
  /** What is written. */
  interface Content {
    /** Writes all of it. */
    void writeTo(Appendable out) throws IOException;
  }

  private TraceFile() {}

  static void write(Path file, Content content) {
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      content.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException("the trace cannot be written to " + file, e);
    }
  }
}
