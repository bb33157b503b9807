package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A kernel of a module: its signature and its requirements for a launch. Immutable. */
public final class PtxEntry {
  /** More than any device takes (32764), and small enough for the sum to fit an int. */
  private static final long MAX_PARAMETER_BYTES = 1 << 20;

  private final PtxFunction function;
  private final List<PtxParameter> parameters;
  private final long staticSharedBytes;

  PtxEntry(PtxFunction function, long staticSharedBytes) {
    this.function = function;
    this.staticSharedBytes = staticSharedBytes;
    List<PtxParameter> described = new ArrayList<>();
    long total = 0;
    for (PtxFunction.Formal formal : function.parameters()) {
      if (!(formal instanceof PtxFunction.Formal.InMemory memory)) {
        throw new PtxException(
            function.line(), "entry '" + function.name() + "' takes a parameter in a register");
      }
      Variable variable = memory.variable();
      total += Math.min(MAX_PARAMETER_BYTES + 1, variable.sizeInBytes() + variable.alignment());
      if (total > MAX_PARAMETER_BYTES) {
        throw new PtxException(
            variable.line(),
            "entry '" + function.name() + "' takes more parameters than any device allows");
      }
      described.add(
          new PtxParameter(
              variable.name(), kind(variable), (int) variable.sizeInBytes(), variable.alignment()));
    }
    parameters = List.copyOf(described);
  }

  private static PtxParameter.ParameterKind kind(Variable variable) {
    if (variable.pointsTo() != null) {
      boolean global =
          variable.pointsTo() == StateSpace.GLOBAL || variable.pointsTo() == StateSpace.GENERIC;
      return global ? PtxParameter.ParameterKind.POINTER : PtxParameter.ParameterKind.OFFSET;
    }
    if (variable.array() || variable.vectorLength() > 1) {
      return PtxParameter.ParameterKind.STRUCT;
    }
    return switch (variable.type().kind) {
      case UNSIGNED, SIGNED, OPAQUE -> PtxParameter.ParameterKind.INTEGER;
      case FLOAT -> PtxParameter.ParameterKind.FLOAT;
      case BITS, PREDICATE -> PtxParameter.ParameterKind.BITS;
    };
  }

  /**
   * Returns the name under which a driver finds it.
   *
   * @return the name as written in the PTX text, mangled if its source was C++
   */
  public String name() {
    return function.name();
  }

  /**
   * Returns where it is declared.
   *
   * @return the line in the PTX text, counted from 1
   */
  public int line() {
    return function.line();
  }

  /**
   * Returns its formal parameters.
   *
   * @return the parameters in order; unmodifiable
   */
  public List<PtxParameter> parameters() {
    return parameters;
  }

  /**
   * Returns the block sizes that it allows.
   *
   * @return the last {@code .maxntid} or {@code .reqntid}, or empty when neither is given
   */
  public Optional<BlockLimit> blockLimit() {
    return Optional.ofNullable(function.blockLimit());
  }

  /**
   * Returns the static shared memory of a block: the variables of the entry itself, of the module,
   * and of all functions of the module.
   *
   * @return the size in bytes
   */
  public long staticSharedBytes() {
    return staticSharedBytes;
  }

  public PtxFunction function() {
    return function;
  }
}
