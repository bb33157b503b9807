package dev.streamfence.processor.parse;

import dev.streamfence.launch.Access;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Reads one parameter of a kernel method. Confined to one thread at a time, like its mistakes. */
final class ParameterParser {
  private static final List<KernelAnnotation> ROLES =
      List.of(KernelAnnotation.THREAD_COUNT, KernelAnnotation.DYNAMIC_SHARED_BYTES);

  private final ExecutableElement method;
  private final List<String> names;
  private final int blockSize;
  private final ArrayParser arrays;
  private final StructParser structs;
  private final Mistakes mistakes;

  /**
   * Creates a parser of a method's parameters.
   *
   * @param blockSize threads per block if one of them counts threads
   */
  ParameterParser(
      ExecutableElement method,
      int blockSize,
      StructParser structs,
      ElementParser elements,
      Mistakes mistakes) {
    this.method = method;
    this.names = JavaNames.ofParameters(method);
    this.blockSize = blockSize;
    this.arrays = new ArrayParser(method, elements, mistakes);
    this.structs = structs;
    this.mistakes = mistakes;
  }

  /** Whether the kernel itself receives a parameter, assuming that it is correct. */
  static boolean isPassed(VariableElement parameter, TypeMirror type) {
    return !TypeKinds.isLaunchShape(type)
        && !Mirrors.has(parameter, KernelAnnotation.DYNAMIC_SHARED_BYTES);
  }

  /**
   * The parameter with its type as a member of the interface; empty after a mistake.
   *
   * @param hint the access in the kernel's code
   */
  Optional<KernelParameter> parse(
      VariableElement parameter, TypeMirror type, Supplier<Optional<Access>> hint) {
    if (type.getKind() == TypeKind.TYPEVAR) {
      // The declaration of the type parameter has been reported.
      return Optional.empty();
    }
    if (type.getKind().isPrimitive()) {
      return parsePrimitive(parameter, type).filter(parsed -> isPlain(parameter, type));
    }
    if (ArrayParser.isTracked(type)) {
      boolean hasWrongRole = hasWrongRole(parameter, type, Mirrors.all(parameter, ROLES));
      return arrays
          .parse(ArrayParser.Declared.parameter(parameter), nameOf(parameter), type, hint)
          .filter(parsed -> !hasWrongRole)
          .map(KernelParameter.class::cast);
    }
    if (TypeKinds.isLaunchShape(type)) {
      return parseShape(parameter, type).filter(parsed -> isPlain(parameter, type));
    }
    if (StructParser.isRecord(type)) {
      return structs.parse(parameter, nameOf(parameter), (DeclaredType) type, arrays);
    }
    mistakes.report(
        Problem.UNSUPPORTED_TYPE,
        Culprit.of(parameter),
        parameter.getSimpleName(),
        Descriptions.describe(type),
        UntrackedTypes.remedy(type));
    return Optional.empty();
  }

  /** Reports {@code @Trusted} and {@code @Optional} on a parameter that is not a buffer. */
  private boolean isPlain(VariableElement parameter, TypeMirror type) {
    Optional<AnnotationMirror> trusted = Mirrors.find(parameter, KernelAnnotation.TRUSTED);
    trusted.ifPresent(
        mirror ->
            mistakes.report(
                Problem.TRUSTED_SCALAR,
                Culprit.of(parameter, mirror),
                parameter.getSimpleName(),
                Descriptions.withArticle(type)));
    boolean isOptional =
        ArrayParser.reportOptional(
            ArrayParser.Declared.parameter(parameter),
            Descriptions.withArticle(type) + ", not an array",
            mistakes);
    return trusted.isEmpty() && !isOptional;
  }

  private Optional<KernelParameter> parsePrimitive(VariableElement parameter, TypeMirror type) {
    List<AnnotationMirror> accesses = Mirrors.all(parameter, ArrayParser.ACCESS);
    List<AnnotationMirror> roles = Mirrors.all(parameter, ROLES);
    if (!accesses.isEmpty()) {
      reportAccess(parameter, type, accesses.get(0), roles.isEmpty());
      return Optional.empty();
    }
    if (roles.size() > 1) {
      mistakes.report(
          Problem.CONFLICTING_ROLES,
          Culprit.of(parameter, roles.get(1)),
          parameter.getSimpleName(),
          Mirrors.name(roles.get(1)),
          Mirrors.name(roles.get(0)));
      return Optional.empty();
    }
    String name = nameOf(parameter);
    ElementType primitive = TypeKinds.primitive(type);
    if (roles.isEmpty()) {
      return Optional.of(new KernelParameter.Value(name, primitive));
    }
    if (hasWrongRole(parameter, type, roles)) {
      return Optional.empty();
    }
    return Optional.of(
        Mirrors.isA(roles.get(0), KernelAnnotation.THREAD_COUNT)
            ? new KernelParameter.Threads(name, primitive, blockSize)
            : new KernelParameter.SharedBytes(name));
  }

  private Optional<KernelParameter> parseShape(VariableElement parameter, TypeMirror type) {
    List<AnnotationMirror> accesses = Mirrors.all(parameter, ArrayParser.ACCESS);
    if (!accesses.isEmpty()) {
      mistakes.report(
          Problem.ACCESS_ON_LAUNCH_SHAPE,
          Culprit.of(parameter, accesses.get(0)),
          parameter.getSimpleName(),
          Mirrors.name(accesses.get(0)));
    }
    boolean hasWrongRole = hasWrongRole(parameter, type, Mirrors.all(parameter, ROLES));
    return accesses.isEmpty() && !hasWrongRole
        ? Optional.of(new KernelParameter.Shape(nameOf(parameter)))
        : Optional.empty();
  }

  private void reportAccess(
      VariableElement parameter, TypeMirror type, AnnotationMirror access, boolean hasNoRole) {
    if (type.getKind() == TypeKind.LONG && hasNoRole) {
      // A long with an access annotation is probably an address taken from an array.
      mistakes.report(
          Problem.UNSUPPORTED_TYPE,
          Culprit.of(parameter, access),
          parameter.getSimpleName(),
          Descriptions.describe(type),
          "an address is not tracked: adopt its memory with gpu.memory().adopt and take the"
              + " DeviceArray, or remove @"
              + Mirrors.name(access));
    } else {
      mistakes.report(
          Problem.ACCESS_ON_SCALAR,
          Culprit.of(parameter, access),
          parameter.getSimpleName(),
          Descriptions.withArticle(type),
          Mirrors.name(access));
    }
  }

  private boolean hasWrongRole(
      VariableElement parameter, TypeMirror type, List<AnnotationMirror> roles) {
    boolean isWrong = false;
    for (AnnotationMirror role : roles) {
      boolean isCount = Mirrors.isA(role, KernelAnnotation.THREAD_COUNT);
      boolean fits =
          isCount
              ? type.getKind().isPrimitive()
                  && KernelParameter.Threads.canCount(TypeKinds.primitive(type))
              : type.getKind() == TypeKind.INT;
      if (!fits) {
        mistakes.report(
            isCount ? Problem.THREAD_COUNT_TYPE : Problem.SHARED_BYTES_TYPE,
            Culprit.of(parameter, role),
            parameter.getSimpleName(),
            Descriptions.describe(type));
        isWrong = true;
      }
    }
    return isWrong;
  }

  private String nameOf(VariableElement parameter) {
    return names.get(method.getParameters().indexOf(parameter));
  }
}
