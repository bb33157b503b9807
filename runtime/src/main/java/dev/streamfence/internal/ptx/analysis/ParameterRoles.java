package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;

/**
 * Tells what a kernel's parameters were declared to be. What is too narrow for a pointer, and what
 * the PTX text itself declares a floating-point number, is a {@link ParameterRole#NUMBER} whatever
 * is said here.
 */
@FunctionalInterface
public interface ParameterRoles {
  /** Nothing is known: every parameter of a pointer's width may be one. */
  ParameterRoles UNDECLARED = (parameter, offset) -> ParameterRole.EITHER;

  /**
   * Returns the role of a parameter, or of a field in a structure that is passed by value.
   *
   * @param parameter counted from 0
   * @param offset of the field's first byte, a multiple of a pointer's width; 0 for anything but a
   *     structure
   * @return the role
   */
  ParameterRole role(int parameter, int offset);
}
