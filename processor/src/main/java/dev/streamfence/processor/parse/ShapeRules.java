package dev.streamfence.processor.parse;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.List;
import java.util.Objects;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.VariableElement;

/**
 * Checks that a kernel method sets the number of threads exactly once, and dynamic shared memory at
 * most once. Confined to one thread at a time, like its mistakes.
 */
final class ShapeRules {
  private final Mistakes mistakes;

  ShapeRules(Mistakes mistakes) {
    this.mistakes = mistakes;
  }

  /**
   * Reports a missing thread count, and sizes that are set twice or in two ways.
   *
   * @param shapes the method's {@code LaunchShape} parameters
   */
  void check(ExecutableElement method, List<VariableElement> shapes) {
    List<VariableElement> counts = annotated(method, KernelAnnotation.THREAD_COUNT);
    List<VariableElement> bytes = annotated(method, KernelAnnotation.DYNAMIC_SHARED_BYTES);
    checkOnce(Problem.SECOND_THREAD_COUNT, method, counts, KernelAnnotation.THREAD_COUNT);
    checkOnce(Problem.SECOND_SHARED_BYTES, method, bytes, KernelAnnotation.DYNAMIC_SHARED_BYTES);
    if (shapes.size() > 1) {
      mistakes.report(
          Problem.SECOND_LAUNCH_SHAPE,
          Culprit.of(shapes.get(1)),
          shapes.get(0).getSimpleName(),
          shapes.get(1).getSimpleName(),
          method.getSimpleName());
    }
    if (counts.isEmpty() && shapes.isEmpty()) {
      mistakes.report(Problem.MISSING_SHAPE, Culprit.of(method), method.getSimpleName());
    }
    if (!shapes.isEmpty()) {
      checkBesideShape(method, shapes.get(0), counts, bytes);
    }
    if (shapes.isEmpty() && !bytes.isEmpty()) {
      checkNotAutomatic(method, bytes.get(0));
    }
  }

  /** Reports a block size that would be chosen without knowing the dynamic shared memory. */
  private void checkNotAutomatic(ExecutableElement method, VariableElement bytes) {
    AnnotationMirror kernel = Mirrors.find(method, KernelAnnotation.KERNEL).orElseThrow();
    Mirrors.attribute(kernel, KernelAttributes.BLOCK_SIZE)
        .filter(value -> Objects.equals(value.getValue(), KernelParameter.Threads.AUTO))
        .ifPresent(
            value ->
                mistakes.report(
                    Problem.AUTO_SHARED_BYTES,
                    Culprit.of(method, kernel, value),
                    method.getSimpleName(),
                    bytes.getSimpleName()));
  }

  private void checkOnce(
      Problem problem,
      ExecutableElement method,
      List<VariableElement> parameters,
      KernelAnnotation role) {
    if (parameters.size() > 1) {
      mistakes.report(
          problem,
          onAnnotation(parameters.get(1), role),
          parameters.get(0).getSimpleName(),
          parameters.get(1).getSimpleName(),
          method.getSimpleName());
    }
  }

  private void checkBesideShape(
      ExecutableElement method,
      VariableElement shape,
      List<VariableElement> counts,
      List<VariableElement> bytes) {
    if (!counts.isEmpty() && !counts.get(0).equals(shape)) {
      VariableElement count = counts.get(0);
      List<? extends VariableElement> all = method.getParameters();
      mistakes.report(
          Problem.CONFLICTING_SHAPE,
          all.indexOf(count) > all.indexOf(shape)
              ? onAnnotation(count, KernelAnnotation.THREAD_COUNT)
              : Culprit.of(shape),
          method.getSimpleName(),
          count.getSimpleName(),
          shape.getSimpleName());
    }
    if (!bytes.isEmpty() && !bytes.get(0).equals(shape)) {
      mistakes.report(
          Problem.SHARED_BYTES_WITH_SHAPE,
          onAnnotation(bytes.get(0), KernelAnnotation.DYNAMIC_SHARED_BYTES),
          shape.getSimpleName(),
          method.getSimpleName(),
          bytes.get(0).getSimpleName());
    }
  }

  private static List<VariableElement> annotated(ExecutableElement method, KernelAnnotation type) {
    return method.getParameters().stream()
        .filter(parameter -> Mirrors.has(parameter, type))
        .map(VariableElement.class::cast)
        .toList();
  }

  private static Culprit onAnnotation(VariableElement parameter, KernelAnnotation type) {
    AnnotationMirror mirror = Mirrors.find(parameter, type).orElseThrow();
    return Culprit.of(parameter, mirror);
  }
}
