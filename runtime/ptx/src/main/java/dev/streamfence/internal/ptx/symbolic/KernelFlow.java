package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.InlinedCalls;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The code of one kernel, with the calls that can be followed inlined, its flow of control, and the
 * places in a thread's own memory. Each is found when the first analysis of the kernel needs it.
 * Confined to one thread.
 */
public final class KernelFlow {
  private final PtxModule module;
  private final PtxEntry entry;
  private final Function<PtxFunction, FunctionFlow> flows;
  private final CallEnds ends;
  private @Nullable PtxFunction function;
  private @Nullable FunctionFlow flow;
  private @Nullable ControlGraph graph;
  private @Nullable LocalCells cells;

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

  /** How many instructions have been prepared. */
  public int size() {
    return function == null ? 0 : function.instructions().size();
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
   * Its blocks. A trap ends the run, and not the thread.
   *
   * @throws TooComplexException if they are no flow of control that can be followed
   */
  public ControlGraph graph() {
    ControlGraph found = graph == null ? ControlGraph.of(flow(), ends) : graph;
    graph = found;
    return found;
  }

  /** The places in a thread's own memory whose values can be followed. */
  LocalCells cells() {
    LocalCells found = cells == null ? LocalCells.of(flow(), graph()) : cells;
    cells = found;
    return found;
  }

  /** The calls that may end the thread. */
  public CallEnds ends() {
    return ends;
  }
}
