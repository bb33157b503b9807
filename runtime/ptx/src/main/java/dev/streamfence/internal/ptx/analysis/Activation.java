package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
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
 * A function in one calling context. A function that is called from several places has several
 * activations, so that the arguments of one caller do not mix with those of another; {@link
 * Activations} bounds their number.
 */
final class Activation {
  /** The number of changes of one slot after which every further join is widened. */
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

  /** Calls to evaluate again when a result in a register changes. */
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

  /** Returns the activation of a function among this one and its callers. */
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

  /**
   * Marks this activation as waiting in the worklist; returns whether it was not waiting before.
   */
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

  /** Returns the activations that a call instruction enters, one for each function it may call. */
  List<Activation> callees(int instruction) {
    return callees.computeIfAbsent(instruction, i -> new ArrayList<>());
  }

  Provenance slot(int slot) {
    return slots[slot];
  }

  /** Joins a value into a slot; returns whether the slot changed. */
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
