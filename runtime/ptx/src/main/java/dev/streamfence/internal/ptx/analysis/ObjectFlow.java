package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.AddressJudge;
import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The data flow through memory objects: loads from and stores to those that an address may lie in.
 */
final class ObjectFlow {
  /**
   * Larger than any object, and so small that a sum of two offsets is less than what 32 bits hold:
   * an address in a narrow register wraps around beyond that.
   */
  private static final long MAX_OFFSET = 1L << 30;

  private final AccessAnalysis analysis;
  private final AbstractMemory memory;

  ObjectFlow(AccessAnalysis analysis, AbstractMemory memory) {
    this.analysis = analysis;
    this.memory = memory;
  }

  Provenance load(Step step, Provenance address, StateSpace space, long offset, int width) {
    Provenance found = Provenance.BOTTOM;
    for (Derivation alternative : address.alternatives()) {
      found = found.join(load(step, alternative, space, offset, width));
    }
    return found;
  }

  Provenance loadAnywhere(Step step, Provenance address, StateSpace space, int width) {
    Provenance somewhere = address.map(Derivation::unbounded);
    return load(step, somewhere, space, 0, width);
  }

  private Provenance load(Step step, Derivation address, StateSpace space, long offset, int width) {
    List<MemoryObject> targets = targets(address);
    Provenance found = Provenance.BOTTOM;
    boolean isOutside = targets.isEmpty() ? !isOwn(space) : mayBeOutside(address);
    if (targets.isEmpty() && !isOutside) {
      analysis.worklist().charge(memory.objects().size() / 8);
      found = memory.loadUnresolved(space, width, step);
      isOutside = memory.unresolved(space).isEscaped();
    }
    for (MemoryObject target : targets) {
      target.dependents().add(step);
      analysis.escapes().meet(target);
      if (!target.isTracked()) {
        isOutside = true;
        continue;
      }
      found =
          found.join(
              isBounded(address, offset)
                  ? bounded(target, address.offset() + offset, address.span(), width)
                  : anywhere(target, width));
      MemoryObject unresolved = memory.unresolved(target.space());
      unresolved.dependents().add(step);
      found = found.join(unresolved.loadAnywhere(width));
      isOutside |= target.isEscaped();
    }
    return isOutside ? found.join(outside(step, address, width)) : found;
  }

  /** Returns the value that a load finds in memory that is no object. */
  private Provenance outside(Step step, Derivation address, int width) {
    Provenance unknown =
        width >= analysis.pointerBytes()
            ? Provenance.FOREIGN
            : Provenance.loaded(width * Byte.SIZE);
    unknown = withSource(unknown, address);
    if (!hasTable(address)) {
      return unknown;
    }
    boolean isAddress = width == analysis.pointerBytes() && !step.instruction().isFloat();
    AddressJudge judge = AddressJudge.of(Provenance.of(address));
    Provenance found = judge.isDefinite() ? Provenance.BOTTOM : unknown;
    for (int origin : judge.touched()) {
      if (Origin.isTable(origin)) {
        Provenance content = analysis.ledger().contentOf(origin, isAddress);
        found = found.join(width < analysis.pointerBytes() ? BitArithmetic.part(content) : content);
      }
    }
    return found.isBottom() ? unknown : found;
  }

  /** Returns what a load finds, marked with the parameter whose memory the address leads to. */
  private Provenance withSource(Provenance found, Derivation address) {
    int source = address.source().orElse(-1);
    if (address.size() > 0) {
      Set<Integer> touched = AddressJudge.of(Provenance.of(address)).touched();
      if (touched.size() == 1) {
        source = Origin.index(touched.iterator().next());
      }
    }
    int known = source;
    if (known < 0) {
      return found;
    }
    analysis.ledger().addSource(known);
    return found.map(each -> each.withSource(known));
  }

  private static boolean hasTable(Derivation address) {
    for (int i = 0; i < address.size(); i++) {
      if (Origin.isTable(address.origin(i))) {
        return true;
      }
    }
    return false;
  }

  private Provenance bounded(MemoryObject target, long offset, int span, int width) {
    analysis.worklist().charge(span > 0 ? Math.min(span, target.size()) : target.ranges());
    return target.load(offset, span, width);
  }

  private Provenance anywhere(MemoryObject target, int width) {
    analysis.worklist().charge(target.size() / 8);
    return target.loadAnywhere(width);
  }

  void store(
      Step step, Provenance address, StateSpace space, long offset, int width, Provenance value) {
    for (Derivation alternative : address.alternatives()) {
      store(step, alternative, space, offset, width, value);
    }
  }

  void storeAnywhere(Step step, Provenance address, StateSpace space, int width, Provenance value) {
    store(step, address.map(Derivation::unbounded), space, 0, width, value);
  }

  private void store(
      Step step, Derivation address, StateSpace space, long offset, int width, Provenance value) {
    List<MemoryObject> targets = targets(address);
    if (targets.isEmpty() && isOwn(space)) {
      MemoryObject unresolved = memory.unresolved(space);
      if (unresolved.isEscaped()) {
        analysis.escapes().handOut(step, value, "it is stored where other code may find it");
      }
      if (unresolved.storeAnywhere(width, value)) {
        analysis.changed(unresolved);
      }
      return;
    }
    if (targets.isEmpty() || mayBeOutside(address)) {
      analysis.escapes().handOut(step, value, "it is stored where other code may find it");
    }
    for (MemoryObject target : targets) {
      analysis.escapes().meet(target);
      if (!target.isTracked() || target.isEscaped()) {
        analysis.escapes().handOut(step, value, "it is stored where other code may find it");
      }
      if (target.isTracked()) {
        boolean changed =
            isBounded(address, offset)
                ? target.store(address.offset() + offset, address.span(), width, value)
                : target.storeAnywhere(width, value);
        if (changed) {
          analysis.changed(target);
        }
      }
    }
  }

  /** Records that an instruction copies the memory behind an address to an untracked place. */
  void expose(Step step, Provenance address, StateSpace space) {
    for (Derivation alternative : address.alternatives()) {
      List<MemoryObject> targets = targets(alternative);
      targets.forEach(target -> analysis.escapes().escape(step, target));
      if (hasTable(alternative)) {
        for (int origin : AddressJudge.of(Provenance.of(alternative)).touched()) {
          if (Origin.isTable(origin)) {
            analysis
                .escapes()
                .handOut(step, analysis.ledger().contentOf(origin, true), "its address is copied");
          }
        }
      }
      if (targets.isEmpty() && isOwn(space)) {
        analysis.escapes().open(step, space);
      }
    }
  }

  private static boolean isOwn(StateSpace space) {
    return space == StateSpace.SHARED || space == StateSpace.LOCAL || space == StateSpace.PARAM;
  }

  private static boolean isBounded(Derivation address, long offset) {
    return address.isPlace()
        && Math.abs(address.offset()) < MAX_OFFSET
        && Math.abs(offset) < MAX_OFFSET;
  }

  /**
   * Returns whether the address may also lie in memory that is no object, such as that behind a
   * parameter.
   */
  private static boolean mayBeOutside(Derivation address) {
    boolean outside = address.isForeign();
    for (int i = 0; i < address.size(); i++) {
      int origin = address.origin(i);
      outside |=
          !Origin.isObject(origin)
              && !Origin.is(origin, ParameterRole.NUMBER)
              && address.multiple(i).mayBeAddress();
    }
    return outside;
  }

  /**
   * Returns the objects whose address is in the sum; only those that may be the base, if there are
   * any.
   */
  private List<MemoryObject> targets(Derivation address) {
    List<MemoryObject> likely = new ArrayList<>();
    List<MemoryObject> all = new ArrayList<>();
    for (int i = address.size() - 1; i >= 0 && Origin.isObject(address.origin(i)); i--) {
      MemoryObject object = memory.object(address.origin(i));
      all.add(object);
      if (address.multiple(i).mayBeAddress()) {
        likely.add(object);
      }
    }
    return likely.isEmpty() ? all : likely;
  }
}
