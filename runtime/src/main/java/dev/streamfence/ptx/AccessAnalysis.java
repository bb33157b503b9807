package dev.streamfence.ptx;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where every value of an entry comes from, by passing provenances on until nothing
 * changes; then notes what is accessed. The order of instructions does not matter to it: whatever
 * is assigned to a register or stored in a variable anywhere may be found there everywhere. Works
 * without recursion. Confined to one thread, used once.
 */
final class AccessAnalysis {
  /** Instructions looked at, counted again each time; some seconds of work. */
  private static final long MAX_WORK = 20_000_000;

  /** Instructions of all copies of functions, after which functions are copied no more. */
  private static final long MAX_COPIED = 400_000;

  /** How deep calls nest before functions are copied no more. */
  private static final int MAX_DEPTH = 48;

  private final PtxModule module;
  private final AccessLedger ledger;
  private final AbstractMemory memory = new AbstractMemory();
  private final Map<String, FunctionFlow> flows = new HashMap<>();
  private final Map<String, Activation> plain = new HashMap<>();
  private final Map<String, Activation> merged = new HashMap<>();
  private final Set<Activation> activations = new LinkedHashSet<>();
  private final Deque<Activation> waiting = new ArrayDeque<>();
  private final Map<MemoryObject, Step> escapes = new LinkedHashMap<>();
  private final ValueFlow values = new ValueFlow(this);
  private final ComputeFlow computing = new ComputeFlow(this, values);
  private final MemoryFlow accessing = new MemoryFlow(this, values, new ObjectFlow(this, memory));
  private final CallFlow calling = new CallFlow(this, values);
  private boolean recording;
  private long work;
  private long copied;

  AccessAnalysis(PtxModule module, AccessLedger ledger) {
    this.module = module;
    this.ledger = ledger;
  }

  /** Runs to the end, and fills the ledger. */
  void run(Function entry, EntryParameters parameters) {
    try {
      Activation root = activate(entry, null);
      parameters.store(variable -> object(root, variable));
      solve();
      while (settle()) {
        solve();
      }
      record(root);
    } catch (TooLargeException e) {
      ledger.giveUp(entry, "the kernel is too large to analyse");
    }
  }

  private void solve() {
    while (!waiting.isEmpty()) {
      Activation activation = waiting.remove();
      activation.stopWaiting();
      int next = activation.pending().nextSetBit(0);
      while (next >= 0) {
        activation.pending().clear(next);
        evaluate(new Step(activation, next));
        next = activation.pending().nextSetBit(next + 1);
      }
      if (!activation.pending().isEmpty()) {
        wake(activation);
      }
    }
  }

  /** Gives registers that nothing was ever assigned to a value; returns whether there were any. */
  private boolean settle() {
    boolean found = false;
    for (Activation activation : List.copyOf(activations)) {
      for (int i = 0; i < activation.slots(); i++) {
        if (activation.slot(i).isNothing()) {
          assign(activation, i, Provenance.ZERO);
          found = true;
        }
      }
    }
    return found;
  }

  private void evaluate(Step step) {
    if (++work > MAX_WORK) {
      throw new TooLargeException();
    }
    OpcodeRule rule = step.activation().flow().rule(step.index());
    switch (rule.effect()) {
      case CALLS -> calling.evaluate(step);
      case COMPUTES -> computing.evaluate(step, rule.flow());
      case UNKNOWN -> {
        if (rule.operands().isEmpty()) {
          unknown(step);
        } else {
          accessing.evaluate(step, rule);
        }
      }
      default -> accessing.evaluate(step, rule);
    }
  }

  /** Handles an opcode that is not in the table: any register may get anything of the others. */
  private void unknown(Step step) {
    Provenance mixed = Provenance.FOREIGN;
    for (Operand operand : step.instruction().operands()) {
      Provenance value = values.value(step, operand);
      String opcode = Lexer.shortened(step.instruction().mnemonic());
      handOut(step, value, "the analysis does not know '" + opcode + "'", true);
      if (!value.isNothing()) {
        mixed = mixed.or(ProvenanceArithmetic.mix(mixed, value));
      }
    }
    for (Operand operand : step.instruction().operands()) {
      values.assign(step, operand, mixed);
    }
  }

  private void record(Activation root) {
    recording = true;
    ledger.open();
    Set<Activation> reached = new LinkedHashSet<>();
    Deque<Activation> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      Activation activation = open.remove();
      if (!reached.add(activation)) {
        continue;
      }
      for (int i = 0; i < activation.flow().size(); i++) {
        if (!activation.flow().isReachable(i)) {
          continue;
        }
        evaluate(new Step(activation, i));
        if (activation.flow().rule(i).effect() == OpcodeRule.Effect.CALLS) {
          open.addAll(activation.callees(i));
        }
      }
    }
    escapes.forEach(
        (object, step) ->
            object
                .contents()
                .forEach(
                    value ->
                        ledger.handOut(step, value, "it lies in a variable that others may find")));
  }

  AccessLedger ledger() {
    return ledger;
  }

  int pointerBytes() {
    return module.addressSize() / 8;
  }

  int pointerBits() {
    return module.addressSize();
  }

  void assign(Activation activation, int slot, Provenance value) {
    if (!activation.assign(slot, value)) {
      return;
    }
    work += value.alternatives().size();
    for (int user : activation.flow().users(slot)) {
      again(activation, user);
    }
    activation.calls().forEach(call -> again(call.activation(), call.index()));
  }

  void changed(MemoryObject object) {
    for (Set<Step> readers : memory.readers(object)) {
      work += readers.size() / 16;
      readers.forEach(step -> again(step.activation(), step.index()));
    }
  }

  /** Counts work that does not show in the number of instructions. */
  void charge(int units) {
    work += units;
  }

  private void again(Activation activation, int instruction) {
    if (!recording) {
      activation.pending().set(instruction);
      wake(activation);
    }
  }

  private void wake(Activation activation) {
    if (activation.await()) {
      waiting.add(activation);
    }
  }

  void copy(MemoryObject from, MemoryObject to) {
    work += from.contents().size();
    if (to.storeAll(from)) {
      changed(to);
    }
  }

  /** Returns the object of a variable as one copy of a function sees it. */
  MemoryObject object(Activation activation, Variable variable) {
    if (variable.space() == StateSpace.LOCAL || variable.space() == StateSpace.PARAM) {
      return activation
          .variables()
          .computeIfAbsent(variable.id(), id -> memory.create(variable.space(), true));
    }
    return memory.variable(variable);
  }

  /** Returns the memory that an instruction allocates, the same each time. */
  MemoryObject allocation(Step step) {
    return step.activation()
        .variables()
        .computeIfAbsent(-1 - step.index(), id -> memory.create(StateSpace.LOCAL, true));
  }

  /** Returns what a name of the module stands for. */
  MemoryObject named(String name) {
    return module.function(name).map(memory::function).orElse(memory.elsewhere());
  }

  /** Returns the function whose address this is, or null. */
  @Nullable Function functionAt(Derivation address) {
    boolean plainAddress =
        address.size() == 1
            && address.hasObject()
            && address.isFixed()
            && address.offset() == 0
            && address.multiple(0) == Multiple.ONE;
    return plainAddress ? memory.object(address.origin(0)).function() : null;
  }

  /** Notes that a value gets out of sight, with all that it leads to. */
  void handOut(Step step, Provenance value, String reason, boolean whatever) {
    if (whatever) {
      ledger.unknown(step, value, reason);
    } else {
      ledger.handOut(step, value, reason);
    }
    for (Derivation alternative : value.alternatives()) {
      for (int i = alternative.size() - 1; i >= 0 && Origin.isObject(alternative.origin(i)); i--) {
        escape(step, memory.object(alternative.origin(i)));
      }
    }
  }

  /** Notes that others may look into an object and change it. */
  void escape(Step step, MemoryObject object) {
    if (!object.isTracked() || !object.escape()) {
      return;
    }
    escapes.put(object, step);
    object.contents().forEach(value -> handOut(step, value, "", false));
    changed(object);
  }

  /** Notes that a value, and what it points to, is looked at by what keeps nothing of it. */
  void showTo(Step step, Provenance value, String reason) {
    ledger.mayRead(step, value, reason);
    for (Derivation alternative : value.alternatives()) {
      for (int i = alternative.size() - 1; i >= 0 && Origin.isObject(alternative.origin(i)); i--) {
        MemoryObject object = memory.object(alternative.origin(i));
        object.dependents().add(step);
        List<Provenance> shown =
            alternative.isFixed() ? object.run(alternative.offset()) : object.contents();
        shown.forEach(each -> ledger.mayRead(step, each, reason));
      }
    }
  }

  /**
   * Returns the copy of a function that a call enters.
   *
   * @param withoutOrigin whether nothing is passed that leads to any memory; one copy serves all
   *     such calls
   */
  Activation callee(Step call, int ordinal, Function function, boolean withoutOrigin) {
    List<Activation> known = call.activation().callees(call.index());
    while (known.size() <= ordinal) {
      known.add(call.activation());
    }
    Activation now = known.get(ordinal);
    boolean settled =
        now.flow().isOf(function)
            && now != call.activation()
            && (withoutOrigin || now != plain.get(function.name()));
    if (settled) {
      return now;
    }
    Activation chosen;
    if (withoutOrigin) {
      chosen = plain.computeIfAbsent(function.name(), f -> activate(function, null));
    } else {
      chosen = call.activation().enclosing(function).orElse(null);
      if (chosen == null) {
        boolean crowded = copied > MAX_COPIED || call.activation().depth() >= MAX_DEPTH;
        chosen =
            crowded
                ? merged.computeIfAbsent(function.name(), f -> activate(function, null))
                : activate(function, call.activation());
      }
    }
    known.set(ordinal, chosen);
    return chosen;
  }

  private Activation activate(Function function, @Nullable Activation caller) {
    FunctionFlow flow = flows.computeIfAbsent(function.name(), name -> new FunctionFlow(function));
    copied += flow.size();
    Activation activation = new Activation(flow, caller);
    activations.add(activation);
    wake(activation);
    return activation;
  }
}
