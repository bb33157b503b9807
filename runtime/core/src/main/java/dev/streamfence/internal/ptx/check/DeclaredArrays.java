package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The arrays that a kernel's interface declares, other than those in tables. Immutable. */
public final class DeclaredArrays {
  private final List<ArrayPlace> places = new ArrayList<>();
  private final List<ArrayPlace> tables = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<Boolean> trusted = new ArrayList<>();
  private final Map<Integer, Integer> distinct = new HashMap<>();
  private final List<Integer> indexes = new ArrayList<>();

  private DeclaredArrays() {}

  /** The arrays of a signature, in order. */
  public static DeclaredArrays of(KernelSignature signature) {
    DeclaredArrays arrays = new DeclaredArrays();
    int passed = 0;
    for (KernelParameter parameter : signature.parameters()) {
      arrays.add(parameter, parameter.name(), passed, 0);
      if (parameter instanceof KernelParameter.Struct struct) {
        StructLayout layout = struct.layout();
        for (int i = 0; i < struct.fields().size(); i++) {
          KernelParameter.Field field = struct.fields().get(i);
          arrays.add(field, struct.name(field), passed, layout.offset(i));
        }
      }
      passed += parameter instanceof KernelParameter.Passed ? 1 : 0;
    }
    return arrays;
  }

  private void add(KernelParameter parameter, String name, int passed, int offset) {
    boolean isArray = parameter instanceof KernelParameter.Array;
    indexes.add(isArray ? places.size() : -1);
    if (parameter instanceof KernelParameter.Table) {
      tables.add(new ArrayPlace(passed, offset));
    }
    if (parameter instanceof KernelParameter.Array array && array.distinct()) {
      distinct.put(places.size(), array.elementType().sizeInBytes());
    }
    if (isArray) {
      places.add(new ArrayPlace(passed, offset));
      names.add(name);
      trusted.add(((KernelParameter.Array) parameter).trusted());
    }
  }

  /** Where the kernel receives each array. */
  public List<ArrayPlace> places() {
    return List.copyOf(places);
  }

  /** Where the kernel receives each table of arrays. */
  public List<ArrayPlace> tables() {
    return List.copyOf(tables);
  }

  /** The name of an array's parameter, {@code column.values} for a field of a structure. */
  public String name(int array) {
    return names.get(array);
  }

  /** The size of the elements of each array whose elements are declared to be distinct. */
  Map<Integer, Integer> distinct() {
    return Map.copyOf(distinct);
  }

  /** Whether the declaration vouches for an array. */
  boolean isTrusted(int array) {
    return trusted.get(array);
  }

  /**
   * The index of an array.
   *
   * @param position its parameter, counted with the fields of structures in their place
   * @return the index; negative if the parameter is no array
   */
  public int indexAt(int position) {
    return indexes.get(position);
  }
}
