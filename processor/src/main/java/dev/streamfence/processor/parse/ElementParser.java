package dev.streamfence.processor.parse;

import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.QualifiedName;
import dev.streamfence.processor.model.RecordType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;

/** Reads what arrays consist of. Confined to one thread at a time, like its mistakes. */
final class ElementParser {
  private final Elements elements;
  private final StructParser structs;
  private final Mistakes mistakes;
  private final Map<String, RecordType> records = new HashMap<>();

  /**
   * Creates a parser of elements.
   *
   * @param structs knows which records the launcher can name
   */
  ElementParser(Elements elements, StructParser structs, Mistakes mistakes) {
    this.elements = elements;
    this.structs = structs;
    this.mistakes = mistakes;
  }

  /** The records that arrays consist of, by the names of their arrays. */
  Map<String, RecordType> records() {
    return Map.copyOf(records);
  }

  /**
   * Returns the elements of an array; empty if its type names none, or after a mistake.
   *
   * @param type the declared type, for messages
   * @param handle the type of the array itself
   */
  Optional<ArrayElement> parse(ArrayParser.Declared declared, TypeMirror type, TypeMirror handle) {
    Optional<TypeElement> record = TypeKinds.recordIn(handle);
    if (record.isEmpty()) {
      return TypeKinds.elementOf(handle).map(ArrayElement.class::cast);
    }
    return mistakes
        .once(record.get(), ElementParser.class, () -> record(declared, type, record.get()))
        .map(ArrayElement.class::cast);
  }

  private Optional<RecordElement> record(
      ArrayParser.Declared declared, TypeMirror type, TypeElement record) {
    String name = record.getSimpleName().toString();
    if (!JavaNames.isWritable(record)) {
      mistakes.report(
          Problem.NO_JAVA_NAME,
          declared.culprit(),
          Descriptions.quote(QualifiedNames.of(record).canonical()),
          "name");
      return Optional.empty();
    }
    if (!record.getTypeParameters().isEmpty()) {
      return refuse(
          declared,
          type,
          name
              + " has the type parameter "
              + record.getTypeParameters().get(0).getSimpleName()
              + "; kernels are compiled for fixed types, so remove it");
    }
    if (structs.isHidden(record)) {
      return refuse(
          declared,
          type,
          "the launcher cannot access "
              + name
              + "; make it and its enclosing types accessible to the launcher");
    }
    List<ElementType> fields = new ArrayList<>();
    for (RecordComponentElement component : record.getRecordComponents()) {
      if (!component.asType().getKind().isPrimitive()) {
        return refuse(
            declared,
            type,
            component.getSimpleName()
                + " of "
                + name
                + " has type "
                + Descriptions.describe(component.asType())
                + "; all components of such a record are primitives");
      }
      fields.add(TypeKinds.primitive(component.asType()));
    }
    if (!RecordElement.canHave(fields.size())) {
      return refuse(
          declared,
          type,
          name
              + " has "
              + fields.size()
              + " components; such a record has 1 to "
              + RecordElement.MAX_FIELDS);
    }
    QualifiedName qualified = QualifiedNames.of(record);
    RecordElement element = new RecordElement(qualified.canonical(), fields);
    records.put(
        KernelMethod.arrayOf(element.name()),
        new RecordType(qualified, List.of(), Deprecations.around(record, elements)));
    return Optional.of(element);
  }

  private Optional<RecordElement> refuse(
      ArrayParser.Declared declared, TypeMirror type, String reason) {
    mistakes.report(
        Problem.RECORD_ELEMENT,
        declared.culprit(),
        declared.shown(),
        Descriptions.describe(type),
        reason);
    return Optional.empty();
  }
}
