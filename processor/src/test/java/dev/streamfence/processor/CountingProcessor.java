package dev.streamfence.processor;

import dev.streamfence.annotation.KernelModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/** Another processor that wants the same annotation. */
final class CountingProcessor extends AbstractProcessor {
  private final List<String> interfaces = new ArrayList<>();

  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of(KernelModule.class.getName());
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    for (Element element : round.getElementsAnnotatedWith(KernelModule.class)) {
      interfaces.add(element.getSimpleName().toString());
    }
    return false;
  }

  List<String> interfaces() {
    return interfaces;
  }
}
