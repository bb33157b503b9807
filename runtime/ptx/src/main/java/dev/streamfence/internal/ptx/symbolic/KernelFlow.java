package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.InlinedCalls;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The code of one kernel, with the calls that can be followed inlined, its flow of control, and the
 * places in a thread's own memory. Each is found when the first analysis of the kernel needs it.
 * Confined to one thread.
 */
public final class KernelFlow {
  /** Most analyses look at no longer functions. */
  public static final int MOST_INSTRUCTIONS = 20_000;

  /** The dimensions that blocks of any shape have. */
  public static final int MOST_DIMENSIONS = 3;

  private final PtxModule module;
  private final PtxEntry entry;
  private final Function<PtxFunction, FunctionFlow> flows;
  private final CallEnds ends;
  private @Nullable PtxFunction function;
  private @Nullable FunctionFlow flow;
  private @Nullable ControlGraph graph;
  private @Nullable Set<String> registers;

  /** The last values, and what they are those for. */
  private @Nullable EvaluatedKernel evaluated;

  private @Nullable KernelInputs inputs;

  /** Prepares a kernel of a module. */
  public KernelFlow(PtxModule module, PtxEntry entry) {
    this(module, entry, FunctionFlow::new);
  }

  /**
   * Prepares a kernel of a module.
   *
   * @param flows where functions of the module are prepared
   */
  public KernelFlow(PtxModule module, PtxEntry entry, Function<PtxFunction, FunctionFlow> flows) {
    this.module = module;
    this.entry = entry;
    this.flows = flows;
    this.ends = new CallEnds(module, false);
  }

  public PtxModule module() {
    return module;
  }

  public PtxEntry entry() {
    return entry;
  }

  /**
   * The function, with the calls that can be followed inlined.
   *
   * @throws TooComplexException if it has too many instructions
   */
  public PtxFunction function(int mostInstructions) {
    PtxFunction found = function == null ? InlinedCalls.in(module, entry.function()) : function;
    function = found;
    if (found.instructions().size() > mostInstructions) {
      throw new TooComplexException("it has more than " + mostInstructions + " instructions");
    }
    return found;
  }

  /** The same function, prepared. */
  @SuppressWarnings("ReferenceEquality") // Without calls to inline, it is the entry's own.
  public FunctionFlow flow() {
    FunctionFlow found = flow;
    if (found == null) {
      PtxFunction code = function(Integer.MAX_VALUE);
      found = code == entry.function() ? flows.apply(code) : new FunctionFlow(code);
      flow = found;
    }
    return found;
  }

  /**
   * The predefined registers with a meaning that the code reads, and the indices of threads and
   * blocks in the dimensions in which it shows in other ways that there are several.
   */
  public Set<Special> shown() {
    Set<Special> found = EnumSet.noneOf(Special.class);
    for (Special special : Special.ALL) {
      if (registers().contains(special.register)) {
        found.add(special);
        // Code that reads how many there are is written for several.
        found.add(
            special.isBlock || special.countsBlocks
                ? Special.block(special.dimension)
                : Special.thread(special.dimension));
      }
    }
    List<Integer> clusters = flow().function().clusters();
    for (int i = 0; i < Math.min(clusters.size(), MOST_DIMENSIONS); i++) {
      if (clusters.get(i) > 1) {
        found.add(Special.block(i));
      }
    }
    for (String register : registers()) {
      addSeveral(register, found);
    }
    if (Special.ALL.stream().noneMatch(each -> each.isThread && found.contains(each))
        && threadsMeet()) {
      found.add(Special.TID_X);
    }
    return found;
  }

  /** Adds the index of the dimension in which a register of warps or clusters tells several. */
  private static void addSeveral(String register, Set<Special> found) {
    if (register.equals("%laneid")
        || register.startsWith("%lanemask")
        || register.equals("%warpid")
        || register.equals("%nwarpid")) {
      found.add(Special.TID_X);
    } else if (register.contains("cluster") && !register.equals("%is_explicit_cluster")) {
      int dimension = "xyz".indexOf(register.charAt(register.length() - 1));
      boolean isOfDimension = register.contains(".") && dimension >= 0;
      found.add(Special.block(isOfDimension ? dimension : 0));
    }
  }

  /** Whether threads of a block wait for each other, or exchange values in a warp. */
  private boolean threadsMeet() {
    FunctionFlow code = flow();
    for (int i = 0; i < code.size(); i++) {
      String opcode = code.instruction(i).opcode();
      Opcode.Transfer transfer = code.rule(i).transfer();
      if (opcode.equals("bar")
          || opcode.equals("barrier")
          || transfer.reachesLanes()
          || transfer == Opcode.Transfer.LANES
          || transfer == Opcode.Transfer.MATRIX) {
        return true;
      }
    }
    return false;
  }

  /** Whether the code reads the number of a thread in its warp. */
  private boolean readsLane() {
    return registers().contains("%laneid");
  }

  private Set<String> registers() {
    Set<String> found = registers;
    if (found == null) {
      found = new HashSet<>();
      for (Instruction instruction : flow().function().instructions()) {
        for (Operand operand : instruction.operands()) {
          if (operand instanceof Operand.SpecialRegister special) {
            found.add(special.name());
          }
        }
      }
      registers = found;
    }
    return found;
  }

  /**
   * Its blocks. A trap ends the run, and not the thread.
   *
   * @throws TooComplexException if they are no flow of control that can be followed
   */
  public ControlGraph graph() {
    ControlGraph found = graph == null ? ControlGraph.of(flow(), ends) : graph;
    graph = found;
    return found;
  }

  /**
   * Its values, for which the addresses of its arrays and of all variables are followed. Analyses
   * that receive the same share them; each may add to their graph.
   *
   * @param arrays where it receives arrays
   * @param tables where it receives tables of arrays
   * @param limits those of the numbers in an array, by its index
   * @param dimensions how many dimensions of its blocks may have several threads, 1 for x to 3 for
   *     z as well, which decides what the number of a thread in its warp is
   * @throws TooComplexException if it is too long or too involved
   */
  public EvaluatedKernel values(
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, NumberLimits> limits,
      int dimensions) {
    KernelInputs asked =
        new KernelInputs(
            List.copyOf(arrays),
            List.copyOf(tables),
            Map.copyOf(limits),
            Set.of(),
            dimensions < MOST_DIMENSIONS && readsLane() ? dimensions : MOST_DIMENSIONS);
    EvaluatedKernel found = evaluated;
    if (found == null || !asked.equals(inputs)) {
      found = EvaluatedKernel.of(this, asked);
      evaluated = found;
      inputs = asked;
    }
    return found;
  }

  /** The calls that may end the thread. */
  public CallEnds ends() {
    return ends;
  }
}
