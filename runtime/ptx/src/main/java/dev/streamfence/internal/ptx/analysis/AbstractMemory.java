package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The abstract memory of one analysis: all memory objects that it has found. */
final class AbstractMemory {
  private final List<MemoryObject> objects = new ArrayList<>();
  private final Map<Integer, MemoryObject> moduleVariables = new HashMap<>();
  private final Map<String, MemoryObject> functions = new HashMap<>();
  private final Map<String, MemoryObject> lanes = new HashMap<>();
  private final MemoryObject dynamicShared = create(StateSpace.SHARED, true);
  private final Map<StateSpace, MemoryObject> unresolved = new HashMap<>();
  private final Map<StateSpace, Set<Step>> unresolvedReaders = new HashMap<>();
  private final MemoryObject elsewhere = create(StateSpace.GLOBAL, false);

  AbstractMemory() {
    for (StateSpace space : StateSpace.values()) {
      unresolved.put(space, create(space, true));
    }
  }

  MemoryObject create(StateSpace space, boolean tracked) {
    return create(space, tracked, 1);
  }

  MemoryObject create(StateSpace space, boolean tracked, int alignment) {
    return add(new MemoryObject(nextOrigin(), space, tracked, alignment, null));
  }

  private int nextOrigin() {
    if (objects.size() >= Origin.MAX_INDEX) {
      throw new TooLargeException(TooLargeException.KERNEL);
    }
    return Origin.object(objects.size());
  }

  private MemoryObject add(MemoryObject object) {
    objects.add(object);
    return object;
  }

  List<MemoryObject> objects() {
    return objects;
  }

  MemoryObject object(int origin) {
    return objects.get(Origin.index(origin));
  }

  /** Returns the object that stands for every name outside the module. */
  MemoryObject elsewhere() {
    return elsewhere;
  }

  MemoryObject function(PtxFunction function) {
    return functions.computeIfAbsent(
        function.name(),
        name -> add(new MemoryObject(nextOrigin(), StateSpace.GENERIC, false, 1, function)));
  }

  /** Returns the object that stands for what lanes exchange by instructions of one kind. */
  MemoryObject lanes(String mnemonic) {
    return lanes.computeIfAbsent(mnemonic, kind -> create(StateSpace.REG, true));
  }

  /** Returns the object of a module or shared variable, which is the same for all calls. */
  MemoryObject variable(Variable variable) {
    if (variable.space() == StateSpace.SHARED && variable.isOpenArray()) {
      // All arrays of open length start at the same address.
      return dynamicShared;
    }
    // Other kernels and the host read and write global memory.
    boolean tracked = variable.space() == StateSpace.SHARED;
    return moduleVariables.computeIfAbsent(
        variable.id(), id -> create(variable.space(), tracked, variable.alignment()));
  }

  /** Returns the object for stores to a space whose address is in no known object. */
  MemoryObject unresolved(StateSpace space) {
    return Objects.requireNonNull(unresolved.get(space));
  }

  /** Returns the join of all values that a load from an unknown address in a space may find. */
  Provenance loadUnresolved(StateSpace space, int width, Step reader) {
    Provenance found = Provenance.BOTTOM;
    for (MemoryObject object : objects) {
      if (object.space() == space && object.isTracked()) {
        found = found.join(object.loadAnywhere(width));
      }
    }
    unresolvedReaders(space).add(reader);
    return found;
  }

  private Set<Step> unresolvedReaders(StateSpace space) {
    return unresolvedReaders.computeIfAbsent(space, s -> new LinkedHashSet<>());
  }

  /** Returns the instructions whose results depend on the content of an object. */
  List<Set<Step>> readers(MemoryObject changed) {
    return List.of(changed.dependents(), unresolvedReaders(changed.space()));
  }
}
