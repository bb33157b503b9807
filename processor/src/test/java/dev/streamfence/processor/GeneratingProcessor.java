package dev.streamfence.processor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;

/** Another processor, which generates its files in one round, by default the first. */
final class GeneratingProcessor extends AbstractProcessor {
  private final Map<String, String> sources;
  private int roundsToWait;

  GeneratingProcessor(Map<String, String> sources) {
    this(1, sources);
  }

  GeneratingProcessor(int round, Map<String, String> sources) {
    this.roundsToWait = round;
    this.sources = sources;
  }

  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of("*");
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    if (--roundsToWait == 0) {
      sources.forEach(this::write);
    }
    return false;
  }

  /**
   * Writes a source by the filer, and PTX under its path, since filers refuse to read their own
   * files.
   */
  private void write(String name, String text) {
    try (Writer writer =
        name.endsWith(".ptx")
            ? Files.newBufferedWriter(Path.of(name))
            : processingEnv.getFiler().createSourceFile(name).openWriter()) {
      writer.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
