package dev.streamfence.internal.launch;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.launch.ElementLimit;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.PlacedParameter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a kernel in the order in which a launch passes them, a structure followed by
 * its fields: what each is called, and where its argument lies in the frame. Confined to the thread
 * that holds the submission lock.
 */
final class LaunchParameters {
  private final KernelSignature signature;
  private final ArgumentFrame frame;
  private final List<PlacedParameter> placed;
  private final KernelParameter[] parameters;
  private final String[] names;
  private final int[] offsets;

  /** Where the numbers lie, once a graph has asked. */
  private final Map<String, NodeNumbers.Place> numbers = new LinkedHashMap<>(0);

  LaunchParameters(KernelSignature signature, ArgumentFrame frame) {
    this.signature = signature;
    this.frame = frame;
    this.placed = signature.placed();
    this.parameters =
        placed.stream().map(PlacedParameter::parameter).toArray(KernelParameter[]::new);
    this.names = placed.stream().map(PlacedParameter::name).toArray(String[]::new);
    this.offsets =
        placed.stream()
            .mapToInt(
                each ->
                    each.parameter() instanceof KernelParameter.Passed
                        ? frame.offset(each.passed()) + each.offset()
                        : 0)
            .toArray();
  }

  /** All of them; not to be changed. */
  KernelParameter[] all() {
    return parameters;
  }

  /** The offsets of all arguments, 0 for those that are not in the frame; not to be changed. */
  int[] offsets() {
    return offsets;
  }

  /** The access to the arrays of a parameter. */
  KernelParameter.Tracked tracked(int position) {
    return (KernelParameter.Tracked) parameters[position];
  }

  /** The least of the numbers in an array that a launch declares. */
  long least(int position) {
    return parameters[position] instanceof KernelParameter.Array array && !array.limits().isEmpty()
        ? array.least()
        : Long.MIN_VALUE;
  }

  private List<ElementLimit> limits(int position) {
    return parameters[position] instanceof KernelParameter.Array array ? array.limits() : List.of();
  }

  /**
   * The greatest of the numbers in an array that a launch declares.
   *
   * @param position the array's parameter
   * @param isFixed whether the numbers that the launch passes stay the same
   */
  long most(int position, ArrayArguments arrays, boolean isFixed) {
    long most = Long.MAX_VALUE;
    PlacedParameter array = placed.get(position);
    for (ElementLimit limit : limits(position)) {
      int other = placed.indexOf(signature.limiting(array, limit).orElseThrow());
      KernelParameter parameter = parameters[other];
      long end = Long.MAX_VALUE;
      if (parameter instanceof KernelParameter.Array) {
        end = arrays.length(other);
      } else if (isFixed) {
        end = frame.number(offsets[other], ((KernelParameter.Passed) parameter).sizeInBytes());
      }
      most = Math.min(most, limit.isBelow() && end != Long.MAX_VALUE ? end - 1 : end);
    }
    return most;
  }

  /** The name of the kernel. */
  String kernel() {
    return signature.entry();
  }

  /** The name of a parameter, with the index of an array in its table. */
  String name(int position, int index) {
    String name = names[position];
    return index == ArrayArguments.IN_NO_TABLE ? name : KernelParameter.Table.entry(name, index);
  }

  /** A parameter, for errors. */
  AttemptedUse use(int position) {
    return use(position, ArrayArguments.IN_NO_TABLE);
  }

  /** An array, for errors: its parameter, with its index in a table. */
  AttemptedUse use(int position, int index) {
    return AttemptedUse.ofParameter(signature.entry(), name(position, index));
  }

  /** Where the numbers lie that a graph can change, by their parameters. */
  Map<String, NodeNumbers.Place> numbers() {
    if (numbers.isEmpty()) {
      for (int i = 0; i < parameters.length; i++) {
        if (parameters[i] instanceof KernelParameter.Value number) {
          numbers.put(names[i], new NodeNumbers.Place(number.type(), false, offsets[i]));
        } else if (parameters[i] instanceof KernelParameter.Threads count) {
          numbers.put(names[i], new NodeNumbers.Place(count.type(), true, offsets[i]));
        }
      }
    }
    return numbers;
  }
}
