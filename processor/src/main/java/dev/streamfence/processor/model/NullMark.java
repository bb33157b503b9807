package dev.streamfence.processor.model;

/**
 * The annotation by which an interface says that a parameter may be null. Immutable.
 *
 * @param annotation its type
 * @param isOnType whether it is part of the parameter's type, and not of its declaration
 * @param deprecation that of its type
 */
public record NullMark(QualifiedName annotation, boolean isOnType, Deprecation deprecation) {}
