package dev.streamfence.processor.parse;

import dev.streamfence.annotation.DynamicSharedBytes;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Findings;
import dev.streamfence.processor.diagnostic.Problem;
import java.lang.annotation.Annotation;
import java.util.List;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;

/**
 * Finds our annotations where they would silently have no effect. What stands within an annotated
 * interface is left to that interface's parser. Immutable.
 */
public final class StrayAnnotations {
  /** The annotations whose place on a parameter is checked. */
  public static final List<Class<? extends Annotation>> ON_PARAMETERS =
      List.of(
          Reads.class,
          Writes.class,
          ReadWrites.class,
          Trusted.class,
          ThreadCount.class,
          DynamicSharedBytes.class);

  private StrayAnnotations() {}

  /** Reports the strays among the methods and constructors of one type, not of nested ones. */
  public static void check(TypeElement type, Findings findings) {
    boolean isModule = Mirrors.has(type, KernelModule.class);
    boolean isInterface = type.getKind() == ElementKind.INTERFACE;
    boolean hasKernels = false;
    for (Element member : type.getEnclosedElements()) {
      if (!(member instanceof ExecutableElement method)) {
        continue;
      }
      boolean isAbstract = method.getModifiers().contains(Modifier.ABSTRACT);
      if (Mirrors.has(method, Kernel.class)) {
        hasKernels |= isAbstract;
        if (!isModule) {
          checkKernel(method, type, isInterface, isAbstract, findings);
        }
      } else if (!(isModule && isAbstract)) {
        checkParameters(method, findings);
      }
    }
    if (hasKernels && isInterface && !isModule) {
      findings.report(Problem.KERNEL_WITHOUT_LAUNCHER, Culprit.of(type), type.getSimpleName());
    }
  }

  private static void checkKernel(
      ExecutableElement method,
      TypeElement type,
      boolean isInterface,
      boolean isAbstract,
      Findings findings) {
    if (!isInterface) {
      AnnotationMirror mirror = Mirrors.find(method, Kernel.class).orElseThrow();
      findings.report(
          Problem.KERNEL_OUTSIDE_MODULE,
          Culprit.of(method, mirror),
          method.getSimpleName(),
          type.getSimpleName());
    } else if (!isAbstract) {
      InterfaceRules.checkNoKernel(method, findings);
    }
  }

  private static void checkParameters(ExecutableElement method, Findings findings) {
    boolean isConstructor = method.getKind() == ElementKind.CONSTRUCTOR;
    Element described = isConstructor ? Culprit.of(method).enclosingType() : method;
    for (Element parameter : method.getParameters()) {
      for (AnnotationMirror mirror : Mirrors.all(parameter, ON_PARAMETERS)) {
        findings.report(
            Problem.STRAY_ANNOTATION,
            Culprit.of(parameter, mirror),
            Mirrors.name(mirror),
            parameter.getSimpleName(),
            described.getSimpleName());
      }
    }
  }
}
