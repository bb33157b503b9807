package dev.streamfence.processor.diagnostic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * The mistakes about one type, in the order of discovery. A mistake in an inherited member is
 * attached to the type instead, because the member may have no source, or may be right for other
 * types. Confined to one thread at a time.
 */
public final class Mistakes {
  private final TypeElement subject;
  private final List<Mistake> mistakes = new ArrayList<>();
  private final Map<TypeElement, Set<Class<?>>> covered = new HashMap<>();

  /** Creates an empty list of mistakes about {@code subject}. */
  public Mistakes(TypeElement subject) {
    this.subject = subject;
  }

  /** Adds a mistake; the arguments fill the problem's text in order. */
  public void report(Problem problem, Culprit culprit, Object... arguments) {
    String message = problem.message(arguments);
    if (isWithinSubject(culprit.element())) {
      mistakes.add(new Mistake(problem, message, culprit));
    } else {
      TypeElement owner = culprit.enclosingType();
      String inherited = message + " (inherited from " + owner.getSimpleName() + ")";
      mistakes.add(new Mistake(problem, inherited, Culprit.of(subject)));
    }
  }

  /**
   * Reads another type, for example a parameter's record, unless the mistakes that the same class
   * found in it are among these already; empty after a mistake.
   */
  public <T> Optional<T> once(TypeElement type, Class<?> by, Supplier<Optional<T>> reader) {
    if (covered.getOrDefault(type, Set.of()).contains(by)) {
      return Optional.empty();
    }
    int before = errors();
    Optional<T> read = reader.get();
    if (errors() == before) {
      return read;
    }
    covered.computeIfAbsent(type, key -> new HashSet<>()).add(by);
    return Optional.empty();
  }

  /** The types whose own mistakes are among these. */
  public Set<TypeElement> covered() {
    return Set.copyOf(covered.keySet());
  }

  /** The mistakes so far. */
  public List<Mistake> all() {
    return List.copyOf(mistakes);
  }

  /** Whether at least one mistake is an error. */
  public boolean hasErrors() {
    return errors() > 0;
  }

  /** The number of errors so far; nothing is built from what has one. */
  public int errors() {
    return (int)
        mistakes.stream()
            .filter(mistake -> mistake.problem().kind() == Diagnostic.Kind.ERROR)
            .count();
  }

  private boolean isWithinSubject(Element element) {
    // Eclipse loses what encloses a parameter once another processor has generated its type.
    return Culprit.typeAround(element).isEmpty() || encloses(element);
  }

  private boolean encloses(Element element) {
    for (Element e = element; e != null; e = e.getEnclosingElement()) {
      if (e.equals(subject)) {
        return true;
      }
    }
    return false;
  }
}
