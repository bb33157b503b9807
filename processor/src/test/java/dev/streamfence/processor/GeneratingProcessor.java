package dev.streamfence.processor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;

/** Another processor, which generates its files in the first round. */
final class GeneratingProcessor extends AbstractProcessor {
  private final Map<String, String> sources;
  private boolean isDone;

  GeneratingProcessor(Map<String, String> sources) {
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
    if (!isDone) {
      sources.forEach(this::write);
      isDone = true;
    }
    return false;
  }

  private void write(String name, String text) {
    try (Writer writer = processingEnv.getFiler().createSourceFile(name).openWriter()) {
      writer.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
