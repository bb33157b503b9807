package dev.streamfence.processor.diagnostic;

import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * The complaints about one type, in the order in which they were found. What is found in an
 * inherited member is re-attached to the type, since the member may have no source or be right for
 * others. Confined to one thread at a time.
 */
public final class Findings {
  private final TypeElement subject;
  private final List<Finding> findings = new ArrayList<>();

  /** No complaints yet about {@code subject}. */
  public Findings(TypeElement subject) {
    this.subject = subject;
  }

  /** Adds a complaint; the arguments fill the problem's text in its order. */
  public void report(Problem problem, Culprit culprit, Object... arguments) {
    String message = problem.message(arguments);
    if (isWithinSubject(culprit.element())) {
      findings.add(new Finding(problem, message, culprit));
    } else {
      TypeElement owner = culprit.enclosingType();
      String inherited = message + " (inherited from " + owner.getSimpleName() + ")";
      findings.add(new Finding(problem, inherited, Culprit.of(subject)));
    }
  }

  /** What has been found so far. */
  public List<Finding> all() {
    return List.copyOf(findings);
  }

  /** Whether one of them is an error. */
  public boolean hasErrors() {
    return findings.stream().anyMatch(finding -> finding.problem().kind() == Diagnostic.Kind.ERROR);
  }

  /** How many have been found so far. */
  public int size() {
    return findings.size();
  }

  private boolean isWithinSubject(Element element) {
    for (Element e = element; e != null; e = e.getEnclosingElement()) {
      if (e.equals(subject)) {
        return true;
      }
    }
    return false;
  }
}
