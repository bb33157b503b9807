package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The objects that escape: other threads, other kernels or unknown code may read and change them.
 */
final class Escapes {
  private final AbstractMemory memory;
  private final Worklist worklist;
  private final AccessLedger ledger;

  /** Escaped objects, each with the instruction that let it escape. */
  private final Map<MemoryObject, Step> escaped = new LinkedHashMap<>();

  /** State spaces that escaped as a whole, each with the instruction that let it escape. */
  private final Map<StateSpace, Step> opened = new EnumMap<>(StateSpace.class);

  Escapes(AbstractMemory memory, Worklist worklist, AccessLedger ledger) {
    this.memory = memory;
    this.worklist = worklist;
    this.ledger = ledger;
  }

  /** Records that a value escapes to an untracked place. */
  void handOut(Step step, Provenance value, String reason) {
    ledger.handOut(step, value, reason);
    forEachObject(value, object -> escape(step, object));
  }

  /**
   * Records that an instruction has an unknown effect on the memory behind a value, even if the
   * value is no address.
   */
  void unknown(Step step, Provenance value, String reason) {
    ledger.unknown(step, value, reason);
    forEachObject(value, object -> escape(step, object));
  }

  /** Lets an object escape, and every object that its content leads to. */
  void escape(Step step, MemoryObject object) {
    // Most have escaped before, and need no queue.
    if (!object.isTracked() || object.isEscaped()) {
      return;
    }
    Deque<MemoryObject> open = new ArrayDeque<>(List.of(object));
    while (!open.isEmpty()) {
      MemoryObject next = open.remove();
      if (next.isTracked() && next.escape()) {
        escaped.put(next, step);
        next.contents().forEach(value -> forEachObject(value, open::add));
        changed(next);
      }
    }
  }

  /** Lets every object of a space escape, including those that are found later. */
  void open(Step step, StateSpace space) {
    if (opened.putIfAbsent(space, step) == null) {
      worklist.charge(memory.objects().size());
      for (MemoryObject object : memory.objects()) {
        if (object.space() == space) {
          escape(step, object);
        }
      }
    }
  }

  /** Lets an object escape if its space escaped before the object was found. */
  void meet(MemoryObject object) {
    Step opening = opened.get(object.space());
    if (opening != null) {
      escape(opening, object);
    }
  }

  private void changed(MemoryObject object) {
    memory.readers(object).forEach(worklist::addAll);
  }

  /** Records that an instruction may read the memory behind a value, and keeps no address. */
  void show(Step step, Provenance value, String reason) {
    ledger.mayRead(step, value, reason);
    for (Derivation alternative : value.alternatives()) {
      forEachObject(
          Provenance.of(alternative),
          object -> {
            object.dependents().add(step);
            List<Provenance> shown =
                alternative.isFixed() ? object.run(alternative.offset()) : object.contents();
            shown.forEach(each -> ledger.mayRead(step, each, reason));
          });
    }
  }

  private void forEachObject(Provenance value, Consumer<MemoryObject> visitor) {
    for (Derivation alternative : value.alternatives()) {
      for (int i = alternative.size() - 1; i >= 0 && Origin.isObject(alternative.origin(i)); i--) {
        visitor.accept(memory.object(alternative.origin(i)));
      }
    }
  }

  /** Records the values that escaped objects hold at the fixpoint. */
  void report() {
    escaped.forEach(
        (object, step) ->
            object
                .contents()
                .forEach(
                    value ->
                        ledger.handOut(
                            step, value, "it is in a variable that other code may find")));
  }
}
