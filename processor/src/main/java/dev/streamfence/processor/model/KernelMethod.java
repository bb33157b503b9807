package dev.streamfence.processor.model;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A method that launches one kernel. Invariant: exactly one parameter sets the number of threads.
 * Immutable.
 *
 * @param name the method's name
 * @param signature the kernel's entry point, its parameters in the method's order, and its launches
 * @param records the record of each structure, by the parameter's name, and the records that arrays
 *     consist of, by {@link #arrayOf}
 * @param handles the type of each parameter that is an array, and of the arrays of each table, by
 *     the parameter's name
 * @param tables the type of each parameter that is a table, by the parameter's name
 * @param nullMarks the annotation of each optional array that has one, by the parameter's name
 * @param refusesRaces whether it must be proved that no threads of a launch conflict
 * @param tellsCompletion whether it returns a completion instead of nothing
 * @param deprecation how strongly its use is discouraged
 */
public record KernelMethod(
    String name,
    KernelSignature signature,
    Map<String, RecordType> records,
    Map<String, HandleType> handles,
    Map<String, TableType> tables,
    Map<String, NullMark> nullMarks,
    boolean refusesRaces,
    boolean tellsCompletion,
    Deprecation deprecation) {
  public KernelMethod {
    records = Map.copyOf(records);
    handles = Map.copyOf(handles);
    tables = Map.copyOf(tables);
    nullMarks = Map.copyOf(nullMarks);
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

  /**
   * The record that an array consists of.
   *
   * @param element its canonical name
   */
  public RecordType recordOf(String element) {
    return Objects.requireNonNull(records.get(arrayOf(element)), element);
  }

  /** The name of an array of records, {@code demo.Point[]}: that of no parameter. */
  public static String arrayOf(String element) {
    return element + "[]";
  }

  /** The declared type of an array, or of the arrays of a table. */
  public HandleType handleOf(KernelParameter.Tracked parameter) {
    return Objects.requireNonNull(handles.get(parameter.name()), parameter::name);
  }

  /** The annotation that says that an array may be null, if it has one. */
  public Optional<NullMark> nullMarkOf(KernelParameter parameter) {
    return Optional.ofNullable(nullMarks.get(parameter.name()));
  }

  /** The declared type of a table. */
  public TableType typeOf(KernelParameter.Table parameter) {
    return Objects.requireNonNull(tables.get(parameter.name()), parameter::name);
  }
}
