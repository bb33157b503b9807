package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;

/**
 * The declared roles of a kernel's parameters. A parameter that is too narrow for a pointer, or
 * that the PTX text declares as a floating-point number, is a {@link ParameterRole#NUMBER}
 * regardless of its declared role.
 */
@FunctionalInterface
public interface ParameterRoles {
  /** No declared roles: every parameter of a pointer's width may be a pointer. */
  ParameterRoles UNDECLARED = (parameter, offset) -> ParameterRole.EITHER;

  /**
   * Returns the role of a parameter, or of a field in a structure that is passed by value.
   *
   * @param parameter counted from 0
   * @param offset the offset of the field's first byte, a multiple of a pointer's width; 0 unless
   *     the parameter is a structure
   * @return the role
   */
  ParameterRole role(int parameter, int offset);
}
