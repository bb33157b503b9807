package dev.streamfence.processor.model;

/**
 * A component of a record that a structure is read from. Immutable.
 *
 * @param name of the component and its accessor
 * @param isOfColumns whether it is a column or a table of columns
 */
public record RecordComponent(String name, boolean isOfColumns) {}
