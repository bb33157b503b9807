package dev.streamfence.processor;

import java.io.IOException;
import java.io.Writer;
import javax.annotation.processing.Filer;
import javax.lang.model.element.TypeElement;

/**
 * Writes launchers as sources of the compilation. Each has exactly one originating element, as
 * incremental builds require. Confined to one thread at a time.
 */
final class LauncherWriter {
  private final Filer filer;

  LauncherWriter(Filer filer) {
    this.filer = filer;
  }

  /**
   * Writes a source file.
   *
   * @param name the file's name for the filer
   * @throws IOException if the file cannot be created or written, or exists already
   */
  void write(String name, String source, TypeElement origin) throws IOException {
    try (Writer writer = filer.createSourceFile(name, origin).openWriter()) {
      writer.write(source);
    }
  }
}
