// Long because the blocks are evaluated in one pass that carries the registers from one to the
// next.
package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the code of a kernel symbolically, block by block in reverse postorder, and collects
 * its accesses to memory. Registers become values in static single assignment: where several blocks
 * lead into one, a register that differs between them becomes a phi, or a choice if one branch
 * decides between them. Confined to one thread, used once.
 *
 * <p>Cytron and others, "Efficiently Computing Static Single Assignment Form and the Control
 * Dependence Graph", 1991; phis with a gate: Ottenstein, Ballance, MacCabe, "The Program Dependence
 * Web", 1990.
 */
public final class KernelValues {
  /** Registers times blocks: the most memory that the evaluation takes. */
  private static final long MAX_STATES = 8_000_000;

  /** An address that is the sum of more has no array that is known. */
  private static final int MOST_SUMMANDS = 64;

  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final InstructionValues instructions;
  private final NodeGraph nodes;
  private final ArgumentLookup arguments;

  /** The places in the thread's own memory, which follow the registers. */
  private final LocalCells cells;

  /**
   * The registers that are live at the beginning of a block, in ascending order. Only these are
   * joined: Briggs and others, "Practical Improvements to the Construction and Destruction of
   * Static Single Assignment Form", 1998.
   */
  private final int[] live;

  /** The registers and places that a block may assign, once a loop around it has asked. */
  private final Map<Integer, BitSet> assignedIn = new HashMap<>();

  /** What each block leaves in the live registers. */
  private final @Nullable Node[][] leaving;

  private final @Nullable Node[] conditions;
  private final List<MemoryAccess> accesses = new ArrayList<>();

  /** The values of which each is what one access loads, and nothing else. */
  private final Map<Node, MemoryAccess> loads = new HashMap<>();

  /** See {@link #isExchanged(Node)}. */
  private final BitSet exchanged = new BitSet();

  /** The values that plain stores store. */
  private final IdentityHashMap<MemoryAccess, List<Node>> stored = new IdentityHashMap<>();

  /** Values that code outside of the kernel, or memory, receives. */
  private final Set<Node> escaping = new LinkedHashSet<>();

  /** The phis of the loops' headers, by live register, until their latches are evaluated. */
  private final @Nullable Node[][] headers;

  public KernelValues(
      FunctionFlow flow, ControlGraph graph, NodeGraph nodes, ArgumentLookup arguments) {
    this(flow, graph, nodes, arguments, LocalCells.NONE);
  }

  /**
   * Prepares the values of a function.
   *
   * @param cells the places in the thread's own memory whose values are followed
   */
  KernelValues(
      FunctionFlow flow,
      ControlGraph graph,
      NodeGraph nodes,
      ArgumentLookup arguments,
      LocalCells cells) {
    this.cells = cells;
    this.flow = flow;
    this.graph = graph;
    this.nodes = nodes;
    this.arguments = arguments;
    if ((long) states() * graph.size() > MAX_STATES) {
      throw new TooComplexException("it has too many registers and blocks");
    }
    this.live = live();
    this.leaving = new Node[graph.size()][];
    this.headers = new Node[graph.size()][];
    this.conditions = new Node[graph.size()];
    this.instructions = new InstructionValues(nodes, arguments);
  }

  /** The registers, and the places after them. */
  private int states() {
    return flow.function().registers() + cells.count();
  }

  /** The registers that a block reads before it assigns them, or keeps where a guard fails. */
  private int[] live() {
    BitSet found = new BitSet();
    for (int block = 0; block < graph.size(); block++) {
      BitSet own = new BitSet();
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        Instruction.GuardPredicate guard = flow.instruction(i).guard();
        List<Operand> operands = flow.instruction(i).operands();
        for (int operand = 0; operand < operands.size(); operand++) {
          if (guard != null || flow.rule(i).isSource(operand)) {
            for (int register : operands.get(operand).registerIndexes()) {
              read(register, own, found);
            }
          }
        }
        if (guard != null) {
          read(guard.predicate().index(), own, found);
        }
        for (int register : flow.assigned(i)) {
          own.set(register);
        }
      }
    }
    found.set(flow.function().registers(), states());
    return found.stream().toArray();
  }

  private static void read(int register, BitSet own, BitSet found) {
    if (!own.get(register)) {
      found.set(register);
    }
  }

  /** Evaluates the kernel. */
  public void evaluate() {
    // Of the registers that are not live, a block reads none that an earlier one has left.
    @Nullable Node[] state = new Node[states()];
    for (int block = 0; block < graph.size(); block++) {
      @Nullable Node[] entering = entering(block);
      for (int i = 0; i < live.length; i++) {
        state[live[i]] = entering[i];
      }
      Block code = graph.block(block);
      for (int i = code.first(); i < code.end(); i++) {
        evaluate(i, block, state);
      }
      if (code.branch() != null) {
        conditions[block] = guard(code.branch(), block, state);
      }
      for (int i = 0; i < live.length; i++) {
        entering[i] = state[live[i]];
      }
      leaving[block] = entering;
    }
    for (Loop loop : graph.loops()) {
      complete(loop);
    }
  }

  private @Nullable Node[] entering(int block) {
    List<Integer> before = graph.block(block).predecessors();
    if (before.isEmpty()) {
      return new Node[live.length];
    }
    Loop loop = graph.loop(block);
    if (loop != null && loop.header == block) {
      return header(block, loop);
    }
    @Nullable Node[] first = state(before.get(0));
    @Nullable Node[] state = first.clone();
    BitSet differing = differing(before);
    for (int i = differing.nextSetBit(0); i >= 0; i = differing.nextSetBit(i + 1)) {
      state[i] = joined(block, before, i);
    }
    return state;
  }

  /** The live registers in which some blocks leave different values, by their place. */
  private BitSet differing(List<Integer> blocks) {
    BitSet found = new BitSet();
    for (int i = 1; i < blocks.size(); i++) {
      @Nullable Node[] first = state(blocks.get(0));
      @Nullable Node[] other = state(blocks.get(i));
      for (int register = 0; register < first.length; register++) {
        if (first[register] != other[register]) {
          found.set(register);
        }
      }
    }
    return found;
  }

  public Instruction instruction(int index) {
    return flow.instruction(index);
  }

  /** What a block leaves in the live registers. */
  private @Nullable Node[] state(int block) {
    @Nullable Node[] state = leaving[block];
    if (state == null) {
      throw new TooComplexException("it has a loop with two entries");
    }
    return state;
  }

  private Node joined(int block, List<Integer> before, int register) {
    List<Node> inputs = new ArrayList<>();
    int bits = 0;
    for (int predecessor : before) {
      Node value = state(predecessor)[register];
      if (value != null) {
        inputs.add(value);
        bits = Math.max(bits, value.bits);
      }
    }
    boolean isWhole = inputs.size() == before.size();
    for (Node input : inputs) {
      isWhole &= input.bits == bits;
    }
    if (!isWhole) {
      // It has no value on one of the ways, after which it may have any.
      return nodes.unknown(bits, block, inputs);
    }
    int chooser = graph.dominator(block);
    Node condition = before.size() == 2 ? conditions[chooser] : null;
    int first = condition == null ? 0 : way(chooser, before.get(0), block);
    if (condition != null && first * way(chooser, before.get(1), block) < 0) {
      Node gate = first > 0 ? condition : nodes.of(Operator.NOT, 1, condition);
      if (bits == 1) {
        return nodes.of(Operator.SELECT, 1, gate, inputs.get(0), inputs.get(1));
      }
      Node quotient = SplitDivision.joined(nodes, gate, inputs.get(0), inputs.get(1));
      if (quotient != null) {
        return quotient;
      }
      Node phi = phi(bits, block, inputs);
      phi.gate = gate;
      return phi;
    }
    return phi(bits, block, inputs);
  }

  private Node phi(int bits, int block, List<Node> inputs) {
    Node phi = nodes.phi(bits, block);
    phi.inputs = List.copyOf(inputs);
    return phi;
  }

  /**
   * Which side of a branch leads to a block by way of a predecessor: 1 where the branch is taken,
   * -1 where it is not, 0 if that is not known.
   */
  private int way(int chooser, int predecessor, int block) {
    Block branch = graph.block(chooser);
    if (branch.taken() == branch.fallen()) {
      return 0;
    }
    if (predecessor == chooser) {
      return branch.taken() == block ? 1 : -1;
    }
    if (onlyFrom(branch.taken(), chooser, predecessor)) {
      return 1;
    }
    return onlyFrom(branch.fallen(), chooser, predecessor) ? -1 : 0;
  }

  private boolean onlyFrom(int side, int chooser, int predecessor) {
    return side >= 0
        && graph.block(side).predecessors().size() == 1
        && graph.block(side).predecessors().get(0) == chooser
        && graph.dominates(side, predecessor);
  }

  /** The registers at the header of a loop: those that the loop assigns become phis. */
  private @Nullable Node[] header(int block, Loop loop) {
    List<Integer> outside =
        graph.block(block).predecessors().stream().filter(each -> !loop.body.get(each)).toList();
    @Nullable Node[] state = new Node[live.length];
    int[] widths = assignedBits(loop);
    @Nullable Node[] phis = new Node[live.length];
    BitSet differing = differing(outside);
    for (int i = 0; i < live.length; i++) {
      @Nullable Node value = outside.isEmpty() ? null : state(outside.get(0))[i];
      if (differing.get(i)) {
        value = joined(block, outside, i);
      }
      int bits = widths[live[i]];
      if (bits > 0) {
        if (value == null) {
          value = nodes.unknown(bits, block, List.of());
        }
        Node phi = nodes.phi(value.bits, block);
        phi.inputs = List.of(value);
        phi.isCarried = true;
        phis[i] = phi;
        value = phi;
      }
      state[i] = value;
    }
    headers[block] = phis;
    return state;
  }

  /** The widths of the registers that a loop assigns; 0 for the others. */
  private int[] assignedBits(Loop loop) {
    int registers = flow.function().registers();
    int[] widths = new int[states()];
    for (int block = loop.body.nextSetBit(0); block >= 0; block = loop.body.nextSetBit(block + 1)) {
      BitSet assigned = assignedIn.computeIfAbsent(block, this::assignedIn);
      for (int at = assigned.nextSetBit(0); at >= 0; at = assigned.nextSetBit(at + 1)) {
        widths[at] = at < registers ? flow.bits(at) : cells.bits(at - registers);
      }
    }
    return widths;
  }

  private BitSet assignedIn(int block) {
    int registers = flow.function().registers();
    BitSet all = new BitSet(states());
    for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
      for (int register : flow.assigned(i)) {
        all.set(register);
      }
      changed(i).forEach(cell -> all.set(registers + cell));
    }
    return all;
  }

  /** The places that an instruction may store to. */
  private List<Integer> changed(int index) {
    List<Integer> own = cells.of(index);
    boolean stores = own != null && flow.instruction(index).opcode().equals("st");
    return cells.changesAny(index)
        ? IntStream.range(0, cells.count()).boxed().toList()
        : stores && own != null ? own : List.of();
  }

  /** Adds to the phis of a header what the loop leaves in the registers. */
  private void complete(Loop loop) {
    @Nullable Node[] phis = headers[loop.header];
    for (int i = 0; phis != null && i < phis.length; i++) {
      Node phi = phis[i];
      if (phi == null) {
        continue;
      }
      List<Node> inputs = new ArrayList<>(phi.inputs);
      for (int latch : loop.latches) {
        Node value = state(latch)[i];
        inputs.add(
            value == null || value.bits != phi.bits
                ? nodes.unknown(phi.bits, latch, value == null ? List.of() : List.of(value))
                : value);
      }
      phi.inputs = List.copyOf(inputs);
    }
  }

  private @Nullable Node guard(Instruction instruction, int block, @Nullable Node[] state) {
    Instruction.GuardPredicate guard = instruction.guard();
    if (guard == null) {
      return null;
    }
    Node value = state[guard.predicate().index()];
    if (value == null || value.bits != 1) {
      value = nodes.unknown(1, block, List.of());
    }
    return guard.negated() ? nodes.of(Operator.NOT, 1, value) : value;
  }

  private void evaluate(int index, int block, @Nullable Node[] state) {
    Instruction instruction = flow.instruction(index);
    Opcode rule = flow.rule(index);
    Node guard = guard(instruction, block, state);
    int before = accesses.size();
    addAccesses(index, rule, block, guard, state);
    MemoryAccess access = accesses.size() == before + 1 ? accesses.get(before) : null;
    int[] results = flow.assigned(index);
    Node result = null;
    if (results.length == 1) {
      result =
          instructions.value(
              instruction, flow.computation(index), flow.bits(results[0]), block, state);
      result = result == null ? null : decided(result, block);
    }
    // A result that comes from memory does not depend on the address.
    boolean fromMemory =
        switch (rule.effect()) {
          case READS, WRITES, ATOMIC, COPIES, NO_ACCESS -> true;
          default -> false;
        };
    List<Node> parameters = parameters(instruction);
    List<Node> sources =
        results.length == 0 || fromMemory || result != null
            ? parameters
            : sources(instruction, rule, state);
    if (cells.readsAny(index)) {
      sources = kept(state);
    }
    if (!fromMemory) {
      // The address of a parameter, through which the code may read it unseen.
      escaping.addAll(parameters);
    }
    List<Integer> own = cells.of(index);
    for (int i = 0; i < results.length; i++) {
      int at = results[i];
      int bits = flow.bits(at);
      Node kept = own == null ? null : kept(instruction, bits, state[place(own, i)]);
      Node value =
          kept != null
              ? kept
              : result == null ? loaded(instruction, access, bits, block, sources) : result;
      if (fromMemory && access != null && kept == null) {
        loads.put(value, access);
      }
      if (!fromMemory && result == null && isExchanged(instruction, rule)) {
        exchanged.set(value.id);
      }
      if (guard != null) {
        Node other = held(at, value.bits, block, state);
        value =
            other.bits == value.bits
                ? nodes.of(Operator.SELECT, value.bits, guard, value, other)
                : nodes.unknown(bits, block, List.of(value, other));
      }
      state[at] = value;
    }
    store(index, block, guard, state);
  }

  private static boolean isExchanged(Instruction instruction, Opcode rule) {
    // What lanes above or below have differs from lane to lane.
    return !rule.transfer().isPerThread() && !instruction.has("down") && !instruction.has("up");
  }

  /** What a register or a place has; where nothing was assigned, that may be anything. */
  private Node held(int at, int bits, int block, @Nullable Node[] state) {
    Node held = state[at];
    return held == null ? nodes.unknown(bits, block, List.of()) : held;
  }

  private int place(List<Integer> accessed, int element) {
    return flow.function().registers() + accessed.get(element);
  }

  /** What a load gives of the value in a place; null if the register has less bits. */
  private @Nullable Node kept(Instruction load, int bits, @Nullable Node value) {
    ScalarType type = load.type();
    return value == null || type == null || type.bits > bits
        ? null
        : nodes.of(type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND, bits, value);
  }

  /** The values in all places. */
  private List<Node> kept(@Nullable Node[] state) {
    List<Node> found = new ArrayList<>();
    for (int i = flow.function().registers(); i < state.length; i++) {
      Node value = state[i];
      if (value != null) {
        found.add(value);
      }
    }
    return found;
  }

  /** What a plain store stores, for each of its elements. */
  private List<Node> stored(Instruction store, int block, @Nullable Node[] state) {
    int bits = Math.max(Byte.SIZE, Widths.element(store) * Byte.SIZE);
    List<Node> found = new ArrayList<>();
    for (Operand part : store.operands().get(store.operands().size() - 1).parts()) {
      int[] registers = part.registerIndexes();
      if (part instanceof Operand.IntegerLiteral literal) {
        found.add(nodes.constant(literal.value(), bits));
      } else if (registers.length == 1) {
        found.add(held(registers[0], bits, block, state));
      } else {
        found.add(nodes.unknown(bits, block, List.of()));
      }
    }
    return found;
  }

  /** Leaves what an instruction stores in the places that it may store to. */
  private void store(int index, int block, @Nullable Node guard, @Nullable Node[] state) {
    List<Integer> changed = changed(index);
    if (changed.isEmpty()) {
      return;
    }
    List<Operand> operands = flow.instruction(index).operands();
    List<Operand> values =
        operands.get(operands.size() - 1) instanceof Operand.Vector vector
            ? vector.elements()
            : List.of(operands.get(operands.size() - 1));
    for (int i = 0; i < changed.size(); i++) {
      int cell = changed.get(i);
      Node value =
          cells.changesAny(index) || i >= values.size()
              ? null
              : instructions.stored(values.get(i), cells.bits(cell), state);
      int at = place(changed, i);
      Node held = state[at];
      // What was there may still be there, for example the address of an array.
      List<Node> sources = held == null ? List.of() : List.of(held);
      Node stored = value == null ? nodes.unknown(cells.bits(cell), block, sources) : value;
      if (guard != null) {
        Node other = held(at, stored.bits, block, state);
        stored = nodes.of(Operator.SELECT, stored.bits, guard, stored, other);
      }
      state[at] = stored;
    }
  }

  /** What the branches on the way to a block leave of a value. */
  private Node decided(Node value, int block) {
    return switch (value.operation) {
      case MAX, MAX_UNSIGNED, MIN, MIN_UNSIGNED -> {
        Node operand = new Guards(graph, nodes, this).decided(value, block);
        yield operand == null ? value : operand;
      }
      default -> value;
    };
  }

  /** What an instruction leaves in a register that no rule describes further. */
  private Node loaded(
      Instruction instruction,
      @Nullable MemoryAccess access,
      int bits,
      int block,
      List<Node> sources) {
    ScalarType type = instruction.type();
    boolean loads = instruction.opcode().equals("ld") || instruction.opcode().equals("ldu");
    if (loads
        && access != null
        && type != null
        && arguments.isNatural(access.address(), type.bytes())) {
      return nodes.unknown(bits, 0, type.mask() >>> 1, block, sources);
    }
    if (loads && type != null && type.isInteger() && type.bits < bits) {
      long all = type.mask();
      return type.isSigned()
          ? nodes.unknown(bits, -(all >> 1) - 1, all >> 1, block, sources)
          : nodes.unknown(bits, 0, all, block, sources);
    }
    long most = Widths.countsAtMost(instruction);
    return most > 0
        ? nodes.unknown(bits, Widths.countsAtLeast(instruction), most, block, sources)
        : nodes.unknown(bits, block, sources);
  }

  /**
   * The address of an array to which a value adds numbers; null if there is none or another. Unlike
   * that of a formula, it is known while the code is evaluated, but what is added may depend on
   * another address.
   */
  public static @Nullable Node base(Node value) {
    Node found = null;
    Deque<Node> open = new ArrayDeque<>(List.of(value));
    for (int steps = 0; !open.isEmpty() && steps < MOST_SUMMANDS; steps++) {
      Node next = open.pop();
      if (next.is(Operator.BASE)) {
        if (found != null) {
          return null;
        }
        found = next;
      } else if (next.is(Operator.ADD)) {
        next.inputs.forEach(open::push);
      }
    }
    return open.isEmpty() ? found : null;
  }

  /** The arrays' addresses, if an instruction reads parameters in a way that is not followed. */
  private List<Node> parameters(Instruction instruction) {
    List<Node> found = List.of();
    for (int i = 0; i < instruction.operands().size(); i++) {
      Operand operand = instruction.operands().get(i);
      Operand base = operand instanceof Operand.Memory memory ? memory.base() : operand;
      if (base instanceof Operand.VariableAddress address) {
        long offset =
            address.offset() + (operand instanceof Operand.Memory memory ? memory.offset() : 0);
        int bytes = operand == base ? 0 : Widths.access(instruction);
        List<Node> more = arguments.addresses(address.variable(), offset, bytes);
        if (found.isEmpty()) {
          found = more;
        } else {
          found = Stream.concat(found.stream(), more.stream()).toList();
        }
      }
    }
    return found;
  }

  private static List<Node> sources(Instruction instruction, Opcode rule, @Nullable Node[] state) {
    List<Node> sources = new ArrayList<>(instruction.operands().size());
    for (int i = 0; i < instruction.operands().size(); i++) {
      if (rule.isSource(i)) {
        collect(instruction.operands().get(i), state, sources);
      }
    }
    return sources;
  }

  private static void collect(Operand operand, @Nullable Node[] state, Collection<Node> found) {
    for (int register : operand.registerIndexes()) {
      Node value = state[register];
      if (value != null && !found.contains(value)) {
        found.add(value);
      }
    }
  }

  /** Notes the accesses of an instruction, and the values that it hands to memory or other code. */
  private void addAccesses(
      int index, Opcode rule, int block, @Nullable Node guard, @Nullable Node[] state) {
    Instruction instruction = flow.instruction(index);
    List<Operand> operands = instruction.operands();
    for (int i = 0; i < operands.size(); i++) {
      Operand operand = operands.get(i);
      char letter = rule.letter(i);
      if (rule.handsOn(i)) {
        if (letter != 'v' || cells.of(index) == null) {
          collect(operand, state, escaping);
        }
      } else if (rule.isAddress(i) && operand instanceof Operand.Memory memory) {
        Node address = instructions.address(memory, block, state);
        MemoryAccess access =
            new MemoryAccess(
                instruction,
                index,
                block,
                address,
                guard,
                letter != 'r',
                Widths.access(instruction));
        accesses.add(access);
        if (instruction.opcode().equals("st")) {
          stored.put(access, stored(instruction, block, state));
        }
      }
    }
  }

  public List<MemoryAccess> accesses() {
    return accesses;
  }

  /** The access that a value is loaded by, alone or in a vector; null if it is no such value. */
  public @Nullable MemoryAccess load(Node value) {
    return loads.get(value);
  }

  /**
   * Whether a value comes from an instruction by which several threads may receive the same,
   * whatever each of them has: a vote, a sum of a warp, the value of one lane, and what no rule
   * describes.
   */
  public boolean isExchanged(Node value) {
    return exchanged.get(value.id);
  }

  /** The values that a plain store stores, one for each element; none for other accesses. */
  public List<Node> stored(MemoryAccess store) {
    return stored.getOrDefault(store, List.of());
  }

  public Collection<Node> escaping() {
    return escaping;
  }

  /** The condition under which a block's branch is taken; null if it has no guarded branch. */
  public @Nullable Node condition(int block) {
    return conditions[block];
  }
}
