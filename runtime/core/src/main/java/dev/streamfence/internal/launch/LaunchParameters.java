package dev.streamfence.internal.launch;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
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
  private final KernelParameter[] parameters;
  private final String[] names;
  private final int[] offsets;

  /** Where the numbers lie, once a graph has asked. */
  private final Map<String, NodeNumbers.Place> numbers = new LinkedHashMap<>(0);

  LaunchParameters(KernelSignature signature, ArgumentFrame frame) {
    this.signature = signature;
    List<KernelParameter> all = new ArrayList<>();
    List<String> called = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    int passed = 0;
    for (KernelParameter parameter : signature.parameters()) {
      int offset = parameter instanceof KernelParameter.Passed ? frame.offset(passed++) : 0;
      all.add(parameter);
      called.add(parameter.name());
      places.add(offset);
      if (parameter instanceof KernelParameter.Struct struct) {
        StructLayout layout = struct.layout();
        for (int i = 0; i < struct.fields().size(); i++) {
          all.add(struct.fields().get(i));
          called.add(struct.name(struct.fields().get(i)));
          places.add(offset + layout.offset(i));
        }
      }
    }
    this.parameters = all.toArray(new KernelParameter[0]);
    this.names = called.toArray(new String[0]);
    this.offsets = places.stream().mapToInt(Integer::intValue).toArray();
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
