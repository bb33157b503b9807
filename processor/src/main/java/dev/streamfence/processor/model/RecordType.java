package dev.streamfence.processor.model;

import java.util.List;

/**
 * The record that a structure is read from. Immutable.
 *
 * @param name its name
 * @param components their names, in the order of the structure's fields
 * @param deprecation of the record, an enclosing type, or a component
 */
public record RecordType(QualifiedName name, List<String> components, Deprecation deprecation) {
  public RecordType {
    components = List.copyOf(components);
  }
}
