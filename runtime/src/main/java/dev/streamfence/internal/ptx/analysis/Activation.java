package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.controlflow.FunctionFlow;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One analysed copy of a function. A function called from several places has several, as long as
 * they do not become too many, so that what one caller passes is not taken for another's.
 */
final class Activation {
  /** After so many changes of one slot, its alternatives become one. */
  private static final int WIDENING_DELAY = 24;

  private final FunctionFlow flow;
  private final @Nullable Activation caller;
  private final int depth;
  private final Provenance[] slots;
  private final byte[] changes;
  private final BitSet pending = new BitSet();
  private boolean waiting;
  private final Map<Integer, MemoryObject> variables = new HashMap<>();
  private final Map<Integer, List<Activation>> callees = new HashMap<>();

  /** Calls that must be looked at again when a result in a register changes. */
  private final Set<Step> calls = new LinkedHashSet<>();

  Activation(FunctionFlow flow, @Nullable Activation caller) {
    this.flow = flow;
    this.caller = caller;
    depth = caller == null ? 0 : caller.depth + 1;
    slots = new Provenance[flow.slots().size()];
    Arrays.fill(slots, Provenance.BOTTOM);
    changes = new byte[slots.length];
    for (int i = 0; i < flow.size(); i++) {
      pending.set(i, flow.isReachable(i));
    }
  }

  FunctionFlow flow() {
    return flow;
  }

  int depth() {
    return depth;
  }

  /** Returns the copy that runs a function here or further up. */
  Optional<Activation> enclosing(PtxFunction function) {
    for (Activation at = this; at != null; at = at.caller) {
      if (at.flow.isOf(function)) {
        return Optional.of(at);
      }
    }
    return Optional.empty();
  }

  BitSet pending() {
    return pending;
  }

  /** Says that it waits to be looked at; returns whether it did not wait before. */
  boolean await() {
    boolean news = !waiting;
    waiting = true;
    return news;
  }

  void stopWaiting() {
    waiting = false;
  }

  Map<Integer, MemoryObject> variables() {
    return variables;
  }

  Set<Step> calls() {
    return calls;
  }

  /** Returns the copies that an instruction has called, the last one first. */
  List<Activation> callees(int instruction) {
    return callees.computeIfAbsent(instruction, i -> new ArrayList<>());
  }

  Provenance slot(int slot) {
    return slots[slot];
  }

  /** Adds to what a slot may hold; returns whether this changes anything. */
  boolean assign(int slot, Provenance value) {
    Provenance old = slots[slot];
    Provenance joined = old.join(value);
    if (joined.equals(old)) {
      return false;
    }
    if (changes[slot] > WIDENING_DELAY) {
      joined = joined.widened();
      if (joined.equals(old)) {
        return false;
      }
    } else {
      changes[slot]++;
    }
    slots[slot] = joined;
    return true;
  }
}
