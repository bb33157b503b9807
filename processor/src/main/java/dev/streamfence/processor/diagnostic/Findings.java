package dev.streamfence.processor.diagnostic;

import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * The findings about one type, in the order of discovery. A finding in an inherited member is
 * attached to the type instead, because the member may have no source, or may be right for other
 * types. Confined to one thread at a time.
 */
public final class Findings {
  private final TypeElement subject;
  private final List<Finding> findings = new ArrayList<>();

  /** Creates an empty list of findings about {@code subject}. */
  public Findings(TypeElement subject) {
    this.subject = subject;
  }

  /** Adds a finding; the arguments fill the problem's text in order. */
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

  /** The findings so far. */
  public List<Finding> all() {
    return List.copyOf(findings);
  }

  /** Whether at least one finding is an error. */
  public boolean hasErrors() {
    return findings.stream().anyMatch(finding -> finding.problem().kind() == Diagnostic.Kind.ERROR);
  }

  /** The number of findings so far. */
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
