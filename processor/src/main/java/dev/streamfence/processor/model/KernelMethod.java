package dev.streamfence.processor.model;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A method that launches one kernel. Invariant: exactly one parameter sets the number of threads.
 * Immutable.
 *
 * @param name the method's name
 * @param signature the kernel's entry point, its parameters in the method's order, and its launches
 * @param records the record of each structure, by the parameter's name
 * @param tellsCompletion whether it returns a completion instead of nothing
 * @param deprecation how strongly its use is discouraged
 */
public record KernelMethod(
    String name,
    KernelSignature signature,
    Map<String, RecordType> records,
    boolean tellsCompletion,
    Deprecation deprecation) {
  public KernelMethod {
    records = Map.copyOf(records);
    signature.requireComplete();
  }

  /** Its parameters in order. */
  public List<KernelParameter> parameters() {
    return signature.parameters();
  }

  /** The record of a structure. */
  public RecordType recordOf(KernelParameter.Struct parameter) {
    return Objects.requireNonNull(records.get(parameter.name()), parameter::name);
  }
}
