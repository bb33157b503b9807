package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which elements of its arrays a kernel touches, as far as its code shows that before a launch.
 * Immutable; {@link #launches} computes the numbers of a launch.
 */
public final class KernelBounds {
  private static final int MAX_INSTRUCTIONS = 20_000;

  private final List<ArrayBounds> arrays;
  private final LaunchBounds launches;

  private KernelBounds(List<ArrayBounds> arrays, LaunchBounds launches) {
    this.arrays = List.copyOf(arrays);
    this.launches = launches;
  }

  /**
   * Analyses a kernel. Throws nothing for any module; where its code is too long or too involved,
   * the bounds of all arrays are unknown.
   *
   * @param module a module with 64-bit addresses; with others, all bounds are unknown
   * @param entry one of its entries
   * @param arrays the arrays that the kernel takes
   */
  public static KernelBounds of(PtxModule module, PtxEntry entry, List<ArrayPlace> arrays) {
    return of(module, entry, arrays, List.of());
  }

  /**
   * Analyses a kernel that takes tables of arrays as well.
   *
   * @param tables where the kernel receives the tables, whose arrays have no bounds
   */
  public static KernelBounds of(
      PtxModule module, PtxEntry entry, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
    try {
      if (module.addressSize() != Long.SIZE) {
        throw new TooComplexException("it has no 64-bit addresses");
      }
      return new Analysis(module, entry, arrays, tables).bounds();
    } catch (TooComplexException | StackOverflowError e) {
      String reason =
          e instanceof TooComplexException
              ? String.valueOf(e.getMessage())
              : "its addresses are too long a formula";
      List<ArrayBounds> unknown =
          arrays.stream().map(place -> ArrayBounds.unknown(place, null, reason)).toList();
      LaunchBounds.Reach nothing = new LaunchBounds.Reach(false, List.of(), List.of());
      return new KernelBounds(
          unknown,
          new LaunchBounds(
              List.of(), Collections.nCopies(arrays.size(), nothing), new RangeProgram(), null));
    }
  }

  /** The bounds of each array, in the order in which the arrays were given. */
  public List<ArrayBounds> arrays() {
    return arrays;
  }

  /** What it takes to compute the numbers of each launch. */
  public LaunchBounds launches() {
    return launches;
  }

  /** One analysis. Confined to one thread, used once. */
  private static final class Analysis implements ArgumentLookup {
    private final PtxModule module;
    private final PtxFunction function;
    private final List<ArrayPlace> arrays;
    private final List<ArrayPlace> tables;
    private final List<NumberPlace> arguments = new ArrayList<>();
    private final NodeGraph nodes = new NodeGraph();

    Analysis(PtxModule module, PtxEntry entry, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
      this.tables = tables;
      this.module = module;
      this.function = entry.function();
      this.arrays = arrays;
    }

    KernelBounds bounds() {
      if (function.instructions().size() > MAX_INSTRUCTIONS) {
        throw new TooComplexException("it has more than " + MAX_INSTRUCTIONS + " instructions");
      }
      FunctionFlow flow = new FunctionFlow(function);
      ControlGraph graph = ControlGraph.of(flow, new CallEnds(module, false));
      KernelValues values = new KernelValues(flow, graph, nodes, this);
      values.evaluate();
      Formulas formulas = new Formulas(nodes, graph);
      Guards guards = new Guards(graph, values);
      Ranges ranges = new Ranges(nodes, graph, guards, formulas);
      Certainty certainty = new Certainty(graph, guards, formulas);
      Dependences dependences = new Dependences(nodes, arrays.size());
      List<ArrayBounds> found = new ArrayList<>();
      for (int i = 0; i < arrays.size(); i++) {
        found.add(
            new ArrayAnalysis(i, arrays.get(i), values, formulas, ranges, dependences, certainty)
                .bounds());
      }
      WitnessPlanner planner = new WitnessPlanner(nodes, graph, guards, formulas, dependences);
      List<LaunchBounds.Reach> reaches = new ArrayList<>();
      for (ArrayBounds array : found) {
        reaches.add(
            new LaunchBounds.Reach(
                array.isLimited(),
                array.touched(),
                array.certain().stream()
                    .map(access -> planner.followed(access, place(access.instruction())))
                    .toList()));
      }
      return new KernelBounds(
          found, new LaunchBounds(arguments, reaches, ranges.program(), planner.plan()));
    }

    private String place(Instruction instruction) {
      return module.position(instruction.source()).map(SourcePosition::inFile).orElse("");
    }

    @Override
    public @Nullable Node value(Variable variable, long offset, int bits) {
      List<PtxFunction.Formal> formals = function.parameters();
      for (int i = 0; i < formals.size(); i++) {
        if (!(formals.get(i) instanceof PtxFunction.Formal.InMemory formal)
            || formal.variable().id() != variable.id()) {
          continue;
        }
        int at = arrays.indexOf(new ArrayPlace(i, (int) offset));
        if (at >= 0 && bits == Long.SIZE) {
          return nodes.base(at);
        }
        if (tables.contains(new ArrayPlace(i, (int) offset)) && bits == Long.SIZE) {
          // The launch places a table after its bounds are checked.
          return nodes.unknown(bits, 0, List.of());
        }
        for (ArrayPlace array : arrays) {
          boolean overlaps =
              array.parameter() == i
                  && offset < array.offset() + Long.BYTES
                  && array.offset() < offset + bits / Byte.SIZE;
          if (overlaps) {
            int part = arrays.indexOf(array);
            return nodes.unknown(bits, 0, List.of(nodes.base(part)));
          }
        }
        return number(i, offset, bits, variable);
      }
      return null;
    }

    @Override
    public List<Node> addresses(Variable parameter, long offset, int bytes) {
      List<PtxFunction.Formal> formals = function.parameters();
      List<Node> found = new ArrayList<>();
      for (int i = 0; i < arrays.size(); i++) {
        ArrayPlace array = arrays.get(i);
        boolean isThere =
            formals.get(array.parameter()) instanceof PtxFunction.Formal.InMemory formal
                && formal.variable().id() == parameter.id();
        boolean overlaps =
            bytes == 0 || (offset < array.offset() + Long.BYTES && array.offset() < offset + bytes);
        if (isThere && overlaps) {
          found.add(nodes.base(i));
        }
      }
      return found;
    }

    private @Nullable Node number(int parameter, long offset, int bits, Variable variable) {
      if (offset < 0 || offset + bits / Byte.SIZE > variable.sizeInBytes() || bits < Byte.SIZE) {
        return null;
      }
      NumberPlace place = new NumberPlace(parameter, (int) offset, bits / Byte.SIZE);
      int index = arguments.indexOf(place);
      if (index < 0) {
        index = arguments.size();
        arguments.add(place);
      }
      return nodes.argument(index, bits);
    }
  }
}
