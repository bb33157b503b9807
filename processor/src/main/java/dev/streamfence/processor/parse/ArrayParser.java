package dev.streamfence.processor.parse;

import dev.streamfence.launch.Access;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementLimit;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.HandleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.TypeMirror;

/**
 * Reads the declaration of an array, a column or a table of these: a parameter of a kernel method,
 * or a component of a record. Confined to one thread at a time, like its mistakes.
 */
final class ArrayParser {
  static final List<KernelAnnotation> ACCESS =
      List.of(KernelAnnotation.READS, KernelAnnotation.WRITES, KernelAnnotation.READ_WRITES);

  /** The annotations that a record's component can have. */
  static final List<KernelAnnotation> ON_COMPONENTS =
      List.of(
          KernelAnnotation.READS,
          KernelAnnotation.WRITES,
          KernelAnnotation.READ_WRITES,
          KernelAnnotation.TRUSTED,
          KernelAnnotation.OPTIONAL);

  /** Hangul fillers, which Unicode counts as letters. */
  private static final String INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0";

  private final ExecutableElement method;
  private final ElementParser elements;
  private final Mistakes mistakes;

  ArrayParser(ExecutableElement method, ElementParser elements, Mistakes mistakes) {
    this.method = method;
    this.elements = elements;
    this.mistakes = mistakes;
  }

  /**
   * What a mistake is about.
   *
   * @param annotated the parameter or component
   * @param place the parameter itself, or the one whose type has the component
   * @param shown its name in messages
   */
  record Declared(Element annotated, Element place, String shown) {
    /** A parameter. */
    static Declared parameter(Element parameter) {
      return new Declared(parameter, parameter, parameter.getSimpleName().toString());
    }

    Culprit culprit() {
      return Culprit.of(place);
    }

    /** An annotation; for a component, which may be in a class file, the parameter. */
    Culprit culprit(AnnotationMirror mirror) {
      return annotated.equals(place) ? Culprit.of(place, mirror) : culprit();
    }

    /** An attribute that the source gives a value; for a component, the parameter. */
    Culprit culprit(AnnotationMirror mirror, String attribute) {
      return annotated.equals(place) ? Mirrors.culprit(place, mirror, attribute) : culprit();
    }
  }

  /** Whether it is a type that this reads. */
  static boolean isTracked(TypeMirror type) {
    return TypeKinds.isHandle(type) || TypeKinds.isTable(type);
  }

  /**
   * Returns the array or table; empty after a mistake.
   *
   * @param name its name in the launcher
   * @param hint the access in the kernel's code
   */
  Optional<KernelParameter.Tracked> parse(
      Declared declared, String name, TypeMirror type, Supplier<Optional<Access>> hint) {
    TypeMirror array = TypeKinds.arrayIn(type);
    boolean isTable = TypeKinds.isTable(type);
    Optional<ArrayElement> element = elements.parse(declared, type, array);
    // The columns of a DeviceTable may be read-only one by one, which the launch checks.
    HandleType handle = TypeKinds.handleType(array).orElse(HandleType.DEVICE_COLUMN);
    boolean isAny = isTable && TypeKinds.isOfAnyElement(array);
    boolean hasElement = element.isPresent() || isAny;
    if (!hasElement && TypeKinds.recordIn(array).isEmpty() && !TypeKinds.namesTypeVariable(array)) {
      mistakes.report(
          Problem.BUFFER_ELEMENT,
          declared.culprit(),
          declared.shown(),
          Descriptions.describe(type),
          TypeKinds.recordAsElement(array)
              .map(record -> "records, " + handle.type().nameInPackage() + "<" + record + "[]>")
              .orElse("primitives, such as " + handle.type().nameInPackage() + "<float[]>"));
    }
    Optional<AnnotationMirror> annotation = parseAccess(declared, hint);
    boolean isTrusted = isTrusted(declared);
    boolean isMisplaced =
        isTable
            && reportOptional(
                declared, "a table, in which an empty array passes the address 0", mistakes);
    if (!hasElement || annotation.isEmpty() || isMisplaced) {
      return Optional.empty();
    }
    Access access = access(annotation.get());
    if (access.writes() && isReadOnly(declared, type, handle, annotation.get())) {
      return Optional.empty();
    }
    boolean isDistinct = isTrue(annotation.get(), "distinct");
    boolean isPeer = isTrue(annotation.get(), "peer");
    List<ElementLimit> limits = new ArrayList<>();
    long least = Mirrors.value(annotation.get(), "least", Long.class).orElse(0L);
    Mirrors.texts(annotation.get(), "below")
        .forEach(limit -> limits.add(new ElementLimit(limit, true)));
    Mirrors.texts(annotation.get(), "atMost")
        .forEach(limit -> limits.add(new ElementLimit(limit, false)));
    if (least != 0 && limits.isEmpty()) {
      mistakes.report(
          Problem.NEEDLESS_LEAST, declared.culprit(annotation.get(), "least"), declared.shown());
    }
    boolean areWhole = !isTable && KernelParameter.Array.areWhole(element.get());
    if (!areWhole && (isDistinct || !limits.isEmpty())) {
      String attribute = isDistinct ? "distinct" : limits.get(0).isBelow() ? "below" : "atMost";
      mistakes.report(
          Problem.NOT_WHOLE,
          declared.culprit(annotation.get(), attribute),
          declared.shown(),
          Descriptions.describe(type),
          attribute);
      return Optional.empty();
    }
    if (!limits.isEmpty() && least > greatest(element.get(), limits.get(0))) {
      mistakes.report(
          Problem.LEAST_TOO_LARGE,
          declared.culprit(annotation.get(), "least"),
          declared.shown(),
          least,
          element.get().typeName(),
          limits.get(0).inWords());
      return Optional.empty();
    }
    return Optional.of(
        isTable
            ? new KernelParameter.Table(name, element.orElse(null), access, isTrusted, isPeer)
            : new KernelParameter.Array(
                name,
                element.get(),
                access,
                isTrusted,
                Mirrors.has(declared.annotated(), KernelAnnotation.OPTIONAL),
                isDistinct,
                isPeer,
                limits,
                limits.isEmpty() ? 0 : least));
  }

  /** The greatest whole number of a type that a limit can admit. */
  private static long greatest(ArrayElement element, ElementLimit limit) {
    long ofElement = Long.MAX_VALUE >> (Long.SIZE - Byte.SIZE * element.sizeInBytes());
    return Math.min(ofElement, limit.isBelow() ? Long.MAX_VALUE - 1 : Long.MAX_VALUE);
  }

  private static boolean isTrue(AnnotationMirror annotation, String attribute) {
    return Mirrors.value(annotation, attribute, Boolean.class).orElse(false);
  }

  /**
   * Reports {@code @Optional} on what is no array; returns whether it is there.
   *
   * @param actual what it is, in words
   */
  static boolean reportOptional(Declared declared, String actual, Mistakes mistakes) {
    Optional<AnnotationMirror> optional =
        Mirrors.find(declared.annotated(), KernelAnnotation.OPTIONAL);
    optional.ifPresent(
        mirror ->
            mistakes.report(
                Problem.NOT_OPTIONAL, declared.culprit(mirror), declared.shown(), actual));
    return optional.isPresent();
  }

  /** Whether the type of an array, or of the arrays of a table, excludes writes; reports that. */
  private boolean isReadOnly(
      Declared declared, TypeMirror type, HandleType handle, AnnotationMirror access) {
    if (handle == handle.writable()) {
      return false;
    }
    String shown = Descriptions.describe(type);
    mistakes.report(
        Problem.READ_ONLY_TYPE,
        declared.culprit(access),
        declared.shown(),
        shown,
        shown.replace(handle.type().nameInPackage(), handle.writable().type().nameInPackage()));
    return true;
  }

  /** The access that an array is declared with; empty after a mistake. */
  private Optional<AnnotationMirror> parseAccess(
      Declared declared, Supplier<Optional<Access>> hint) {
    List<AnnotationMirror> accesses = Mirrors.all(declared.annotated(), ACCESS);
    if (accesses.isEmpty()) {
      mistakes.report(
          Problem.MISSING_ACCESS,
          declared.culprit(),
          declared.shown(),
          method.getSimpleName(),
          hint.get()
              .map(access -> "; its code says " + KernelParameter.annotation(access))
              .orElse(""));
      return Optional.empty();
    }
    AnnotationMirror first = accesses.get(0);
    // The compiler refuses an annotation that is there twice.
    Optional<AnnotationMirror> other =
        accesses.stream()
            .filter(each -> !Mirrors.name(each).equals(Mirrors.name(first)))
            .findFirst();
    other.ifPresent(
        second ->
            mistakes.report(
                Problem.CONFLICTING_ACCESS,
                declared.culprit(second),
                Mirrors.name(second),
                Mirrors.name(first),
                declared.shown()));
    return other.isPresent() ? Optional.empty() : Optional.of(first);
  }

  private boolean isTrusted(Declared declared) {
    Optional<AnnotationMirror> trusted =
        Mirrors.find(declared.annotated(), KernelAnnotation.TRUSTED);
    trusted
        .filter(mirror -> isBlank(mirror))
        .ifPresent(
            mirror ->
                mistakes.report(
                    Problem.TRUSTED_WITHOUT_REASON,
                    declared.culprit(mirror, "value"),
                    declared.shown()));
    return trusted.isPresent();
  }

  private static boolean isBlank(AnnotationMirror trusted) {
    return Mirrors.attribute(trusted, "value")
        .map(value -> value.getValue() instanceof String reason && !saysSomething(reason))
        .orElse(false);
  }

  /** Whether there is a visible letter or a digit, which excludes most texts that look blank. */
  private static boolean saysSomething(String reason) {
    return reason
        .codePoints()
        .anyMatch(c -> Character.isLetterOrDigit(c) && INVISIBLE_LETTERS.indexOf(c) < 0);
  }

  private static Access access(AnnotationMirror mirror) {
    if (Mirrors.isA(mirror, KernelAnnotation.READS)) {
      return Access.READ;
    }
    return Mirrors.isA(mirror, KernelAnnotation.WRITES) ? Access.WRITE : Access.READ_WRITE;
  }
}
