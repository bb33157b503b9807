package dev.streamfence.processor;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Finding;
import dev.streamfence.processor.diagnostic.Findings;
import java.util.Arrays;
import javax.annotation.processing.Messager;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;

/** Prints complaints where the compiler prints its own. Confined to one thread at a time. */
final class FindingPrinter {
  private final Messager messager;

  FindingPrinter(Messager messager) {
    this.messager = messager;
  }

  void print(Findings findings) {
    findings.all().stream().filter(finding -> !isSuppressed(finding)).forEach(this::print);
  }

  private void print(Finding finding) {
    Diagnostic.Kind kind = finding.problem().kind();
    Culprit culprit = finding.culprit();
    String message = finding.message();
    if (culprit instanceof Culprit.Attribute on) {
      messager.printMessage(kind, message, on.element(), on.mirror(), on.value());
    } else if (culprit instanceof Culprit.Annotation on) {
      messager.printMessage(kind, message, on.element(), on.mirror());
    } else {
      messager.printMessage(kind, message, culprit.element());
    }
  }

  private static boolean isSuppressed(Finding finding) {
    if (finding.problem().kind() != Diagnostic.Kind.WARNING) {
      return false;
    }
    for (Element e = finding.culprit().element(); e != null; e = e.getEnclosingElement()) {
      SuppressWarnings suppressed = e.getAnnotation(SuppressWarnings.class);
      if (suppressed != null
          && Arrays.asList(suppressed.value()).contains(finding.problem().suppression())) {
        return true;
      }
    }
    return false;
  }
}
