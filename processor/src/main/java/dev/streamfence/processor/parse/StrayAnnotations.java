package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.List;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;

/**
 * Finds our annotations where they would silently have no effect. Kernels and abstract methods of
 * an annotated interface are left to that interface's parser. Stateless.
 */
public final class StrayAnnotations {
  /** The parameter annotations that are checked. */
  public static final List<KernelAnnotation> ON_PARAMETERS =
      List.of(
          KernelAnnotation.READS,
          KernelAnnotation.WRITES,
          KernelAnnotation.READ_WRITES,
          KernelAnnotation.TRUSTED,
          KernelAnnotation.OPTIONAL,
          KernelAnnotation.THREAD_COUNT,
          KernelAnnotation.DYNAMIC_SHARED_BYTES);

  private StrayAnnotations() {}

  /** Reports strays on the methods and constructors of one type, not of nested types. */
  public static void check(TypeElement type, Mistakes mistakes) {
    boolean isModule = Mirrors.has(type, KernelAnnotation.KERNEL_MODULE);
    boolean isInterface = type.getKind() == ElementKind.INTERFACE;
    boolean hasKernels = false;
    for (Element member : type.getEnclosedElements()) {
      if (!(member instanceof ExecutableElement method)) {
        continue;
      }
      boolean isAbstract = method.getModifiers().contains(Modifier.ABSTRACT);
      if (!isModule) {
        checkSymbol(method, type, isInterface, isAbstract, mistakes);
      }
      if (Mirrors.has(method, KernelAnnotation.KERNEL)) {
        hasKernels |= isAbstract;
        if (!isModule) {
          checkKernel(method, type, isInterface, isAbstract, mistakes);
        }
      } else if (!(isModule && isAbstract)) {
        checkParameters(method, mistakes);
      }
    }
    if (hasKernels && isInterface && !isModule) {
      mistakes.report(Problem.KERNEL_WITHOUT_LAUNCHER, Culprit.of(type), type.getSimpleName());
    }
  }

  private static void checkSymbol(
      ExecutableElement method,
      TypeElement type,
      boolean isInterface,
      boolean isAbstract,
      Mistakes mistakes) {
    Optional<AnnotationMirror> symbol = Mirrors.find(method, KernelAnnotation.SYMBOL);
    if (symbol.isPresent() && !isInterface) {
      mistakes.report(
          Problem.SYMBOL_OUTSIDE_MODULE,
          Culprit.of(method, symbol.get()),
          method.getSimpleName(),
          type.getSimpleName());
    } else if (!isAbstract) {
      SymbolMethodParser.checkNoSymbol(method, mistakes);
    }
  }

  private static void checkKernel(
      ExecutableElement method,
      TypeElement type,
      boolean isInterface,
      boolean isAbstract,
      Mistakes mistakes) {
    if (!isInterface) {
      AnnotationMirror mirror = Mirrors.find(method, KernelAnnotation.KERNEL).orElseThrow();
      mistakes.report(
          Problem.KERNEL_OUTSIDE_MODULE,
          Culprit.of(method, mirror),
          method.getSimpleName(),
          type.getSimpleName());
    } else if (!isAbstract) {
      InterfaceRules.checkNoKernel(method, mistakes);
    }
  }

  private static void checkParameters(ExecutableElement method, Mistakes mistakes) {
    boolean isConstructor = method.getKind() == ElementKind.CONSTRUCTOR;
    Element described = isConstructor ? Culprit.of(method).enclosingType() : method;
    for (Element parameter : method.getParameters()) {
      for (AnnotationMirror mirror : Mirrors.all(parameter, ON_PARAMETERS)) {
        if (isConstructor && isOfComponent(described, parameter, mirror)) {
          continue;
        }
        mistakes.report(
            Problem.STRAY_ANNOTATION,
            Culprit.of(parameter, mirror),
            Mirrors.name(mirror),
            parameter.getSimpleName(),
            described.getSimpleName(),
            isConstructor ? "remove it" : "remove it or add @Kernel");
      }
    }
  }

  /** Whether a component can have annotations; another processor may still generate its type. */
  private static boolean mayBeTracked(TypeMirror type) {
    return ArrayParser.isTracked(type) || UnresolvedTypes.find(type).isPresent();
  }

  /**
   * Whether a compiler has copied the annotation from a record's component, which a kernel may
   * take.
   */
  private static boolean isOfComponent(
      Element type, Element parameter, AnnotationMirror annotation) {
    return ((TypeElement) type)
        .getRecordComponents().stream()
            .filter(component -> component.getSimpleName().equals(parameter.getSimpleName()))
            .filter(component -> mayBeTracked(component.asType()))
            .flatMap(component -> Mirrors.all(component, ArrayParser.ON_COMPONENTS).stream())
            .anyMatch(mirror -> Mirrors.name(mirror).equals(Mirrors.name(annotation)));
  }
}
