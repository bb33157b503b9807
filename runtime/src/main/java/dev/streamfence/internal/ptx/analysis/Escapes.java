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

/** Follows what gets out of sight: whatever an address that others have leads to. */
final class Escapes {
  private final AbstractMemory memory;
  private final Worklist worklist;
  private final AccessLedger ledger;

  /** Objects that others may look into, and what let them. */
  private final Map<MemoryObject, Step> escaped = new LinkedHashMap<>();

  /** Spaces that others may look into as a whole, and what let them. */
  private final Map<StateSpace, Step> opened = new EnumMap<>(StateSpace.class);

  Escapes(AbstractMemory memory, Worklist worklist, AccessLedger ledger) {
    this.memory = memory;
    this.worklist = worklist;
    this.ledger = ledger;
  }

  /** Notes that a value escapes: it is passed to an untracked place. */
  void handOut(Step step, Provenance value, String reason) {
    ledger.handOut(step, value, reason);
    forEachObject(value, object -> escape(step, object));
  }

  /** Notes that something unknown is done with a value, be it an address or not. */
  void unknown(Step step, Provenance value, String reason) {
    ledger.unknown(step, value, reason);
    forEachObject(value, object -> escape(step, object));
  }

  /** Notes that others may look into an object and change it. */
  void escape(Step step, MemoryObject object) {
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

  /** Notes that others may look into every object of a space, now and later. */
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

  /** Lets an object escape that may be younger than what opened its space. */
  void meet(MemoryObject object) {
    Step opening = opened.get(object.space());
    if (opening != null) {
      escape(opening, object);
    }
  }

  private void changed(MemoryObject object) {
    memory.readers(object).forEach(worklist::addAll);
  }

  /** Notes that a value, and what it points to, is looked at by what keeps nothing of it. */
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

  /** Notes what in the end lies in objects that others may look into. */
  void report() {
    escaped.forEach(
        (object, step) ->
            object
                .contents()
                .forEach(
                    value ->
                        ledger.handOut(step, value, "it lies in a variable that others may find")));
  }
}
