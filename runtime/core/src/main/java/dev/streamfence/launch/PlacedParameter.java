package dev.streamfence.launch;

/**
 * A parameter of a kernel, or a field of a structure, and where the kernel receives it. Immutable.
 *
 * @param index its index among the parameters of the interface; for a field, that of the structure
 * @param name its name in errors, {@code column.rows} for a field
 * @param parameter its declaration
 * @param passed the index of the argument that has it among those that the kernel receives; of no
 *     meaning if it receives none
 * @param offset its first byte in that argument, not 0 in a structure only
 */
public record PlacedParameter(
    int index, String name, KernelParameter parameter, int passed, int offset) {
  /** The name of another parameter, seen from here: another field of a structure. */
  String beside(String other) {
    return name.substring(0, name.length() - parameter.name().length()) + other;
  }
}
