package dev.streamfence.processor.parse;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.Deprecation;
import dev.streamfence.processor.model.RecordType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;

/** Reads the records that a kernel takes by value. Confined to one thread at a time. */
final class StructParser {
  private final Elements elements;
  private final PackageElement home;
  private final Mistakes mistakes;
  private final Map<String, RecordType> records = new HashMap<>();

  /**
   * Creates a parser of records.
   *
   * @param owner the interface whose launcher has to name the records
   */
  StructParser(Elements elements, TypeElement owner, Mistakes mistakes) {
    this.elements = elements;
    this.home = elements.getPackageOf(owner);
    this.mistakes = mistakes;
  }

  /** Whether a type is a record. */
  static boolean isRecord(TypeMirror type) {
    return type instanceof DeclaredType declared
        && declared.asElement().getKind() == ElementKind.RECORD;
  }

  /** The records of the parameters read so far, by the parameters' names. */
  Map<String, RecordType> records() {
    return Map.copyOf(records);
  }

  /**
   * Returns the parameter; empty after a mistake.
   *
   * @param name its name in the launcher
   * @param arrays reads its components that are arrays
   */
  Optional<KernelParameter> parse(
      VariableElement parameter, String name, DeclaredType type, ArrayParser arrays) {
    TypeElement record = (TypeElement) type.asElement();
    List<AnnotationMirror> annotations = Mirrors.all(parameter, StrayAnnotations.ON_PARAMETERS);
    if (!annotations.isEmpty()) {
      mistakes.report(
          Problem.ANNOTATION_ON_STRUCT,
          Culprit.of(parameter, annotations.get(0)),
          parameter.getSimpleName(),
          Descriptions.describe(type),
          Mirrors.name(annotations.get(0)));
      return Optional.empty();
    }
    return mistakes.once(
        record, StructParser.class, () -> parseRecord(parameter, name, type, arrays));
  }

  /** The parameter, which may have mistakes as well; empty if it cannot be read. */
  private Optional<KernelParameter> parseRecord(
      VariableElement parameter, String name, DeclaredType type, ArrayParser arrays) {
    TypeElement record = (TypeElement) type.asElement();
    if (isRefused(record)) {
      return Optional.empty();
    }
    if (!record.getTypeParameters().isEmpty()) {
      mistakes.report(
          Problem.GENERIC,
          Culprit.of(parameter),
          record.getSimpleName(),
          record.getTypeParameters().get(0).getSimpleName());
      return Optional.empty();
    }
    if (isHidden(record)) {
      mistakes.report(
          Problem.HIDDEN_STRUCT,
          Culprit.of(parameter),
          parameter.getSimpleName(),
          Descriptions.describe(type));
      return Optional.empty();
    }
    if (!JavaNames.isWritable(record)) {
      reportName(parameter, QualifiedNames.of(record).canonical(), "name");
      return Optional.empty();
    }
    List<KernelParameter.Field> fields = new ArrayList<>();
    List<String> components = new ArrayList<>();
    Deprecation deprecation = Deprecations.around(record, elements);
    for (RecordComponentElement component : record.getRecordComponents()) {
      if (!JavaNames.isWritable(component)) {
        reportName(parameter, component.getSimpleName().toString(), "read");
        return Optional.empty();
      }
      parseField(parameter, type, component, arrays).ifPresent(fields::add);
      components.add(component.getSimpleName().toString());
      deprecation = deprecation.or(Deprecations.of(component.getAccessor(), elements));
    }
    if (fields.size() < components.size()) {
      return Optional.empty();
    }
    if (!StructLayout.canHold(fields.size())) {
      mistakes.report(
          Problem.STRUCT_SIZE,
          Culprit.of(parameter),
          parameter.getSimpleName(),
          Descriptions.describe(type),
          fields.size(),
          StructLayout.MAX_FIELDS);
      return Optional.empty();
    }
    records.put(name, new RecordType(QualifiedNames.of(record), components, deprecation));
    return Optional.of(new KernelParameter.Struct(name, fields));
  }

  /**
   * Whether a component lacks the public accessor that the launcher calls: the compiler refuses
   * such a record, and reports that.
   */
  private static boolean isRefused(TypeElement record) {
    return !record.getRecordComponents().stream()
        .map(RecordComponentElement::getAccessor)
        .allMatch(
            accessor -> accessor != null && accessor.getModifiers().contains(Modifier.PUBLIC));
  }

  /** A component of a record; empty after a mistake. */
  private Optional<KernelParameter.Field> parseField(
      VariableElement parameter,
      DeclaredType record,
      RecordComponentElement component,
      ArrayParser arrays) {
    TypeMirror type = component.asType();
    String name = component.getSimpleName().toString();
    ArrayParser.Declared declared =
        new ArrayParser.Declared(component, parameter, parameter.getSimpleName() + "." + name);
    if (ArrayParser.isTracked(type)) {
      return arrays
          .parse(declared, name, type, Optional::empty)
          .map(KernelParameter.Field.class::cast);
    }
    if (!type.getKind().isPrimitive()) {
      mistakes.report(
          Problem.STRUCT_FIELD,
          declared.culprit(),
          parameter.getSimpleName(),
          Descriptions.describe(record),
          name,
          Descriptions.describe(type),
          UntrackedTypes.known(type)
              .orElse(
                  "a structure holds primitives, DeviceArrays, DeviceColumns and tables of them"));
      return Optional.empty();
    }
    List<AnnotationMirror> accesses = Mirrors.all(component, ArrayParser.ACCESS);
    if (!accesses.isEmpty()) {
      mistakes.report(
          Problem.ACCESS_ON_SCALAR,
          declared.culprit(accesses.get(0)),
          declared.shown(),
          Descriptions.withArticle(type),
          Mirrors.name(accesses.get(0)));
      return Optional.empty();
    }
    Optional<AnnotationMirror> trusted = Mirrors.find(component, KernelAnnotation.TRUSTED);
    trusted.ifPresent(
        mirror ->
            mistakes.report(
                Problem.TRUSTED_SCALAR,
                declared.culprit(mirror),
                declared.shown(),
                Descriptions.withArticle(type)));
    boolean isOptional =
        ArrayParser.reportOptional(
            declared, Descriptions.withArticle(type) + ", not an array", mistakes);
    if (trusted.isPresent() || isOptional) {
      return Optional.empty();
    }
    return Optional.of(new KernelParameter.Value(name, TypeKinds.primitive(type)));
  }

  private void reportName(VariableElement parameter, String name, String use) {
    mistakes.report(Problem.NO_JAVA_NAME, Culprit.of(parameter), Descriptions.quote(name), use);
  }

  /** Whether the launcher cannot access the record. */
  boolean isHidden(TypeElement record) {
    return isHidden(record, home);
  }

  /** Whether a class in this package cannot access a type. */
  static boolean isHidden(TypeElement type, PackageElement home) {
    Element e = type;
    boolean isPublic = true;
    for (; e instanceof TypeElement; e = e.getEnclosingElement()) {
      if (e.getModifiers().contains(Modifier.PRIVATE)) {
        return true;
      }
      isPublic &= e.getModifiers().contains(Modifier.PUBLIC);
    }
    return !isPublic && !home.equals(e);
  }
}
