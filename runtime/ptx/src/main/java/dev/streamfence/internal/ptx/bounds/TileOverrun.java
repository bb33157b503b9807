package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadPaths;
import dev.streamfence.internal.ptx.symbolic.VariableLookup;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An access of a thread to shared memory outside of the variable that its address comes from.
 * Immutable.
 *
 * <p>Only what happens in every launch with blocks of that shape is found: the thread's place and
 * the block's shape decide the address, and lead to the access on every way through the kernel, in
 * a loop in its first iteration.
 *
 * @param instruction the access
 * @param tile the variable
 * @param x the thread's number in x
 * @param y the thread's number in y
 * @param z the thread's number in z
 * @param offset the first byte of the access, counted from the variable's start; it may be negative
 */
public record TileOverrun(
    Instruction instruction, Variable tile, int x, int y, int z, long offset) {
  /** The most threads that are looked at for all accesses of a kernel together. */
  private static final int MOST_THREADS = 1 << 16;

  /** The most values that are computed for a kernel. */
  private static final int MOST_VALUES = 1 << 22;

  /** The most threads whose way to one access is looked at. */
  private static final int MOST_WAYS = 64;

  /** What looking at a way costs for each block of the code, counted as values. */
  private static final int COST_OF_A_BLOCK = 16;

  /**
   * Returns the first such access of a kernel; empty if there is none, it is not certain, or the
   * kernel is too large.
   *
   * @param block the shape of its blocks
   */
  public static Optional<TileOverrun> of(PtxModule module, PtxEntry entry, BlockLimit block) {
    if (entry.staticSharedBytes() == 0) {
      return Optional.empty();
    }
    try {
      return new Search(module, entry, block).find();
    } catch (TooComplexException | StackOverflowError e) {
      return Optional.empty();
    }
  }

  /** One search; confined to one thread. */
  private static final class Search {
    private final BlockLimit block;
    private final NodeGraph nodes = new NodeGraph();
    private final VariableLookup tiles = new VariableLookup(nodes, StateSpace.SHARED);
    private final ControlGraph graph;
    private final KernelValues values;
    private final ThreadPaths paths;
    private final Dependences dependences;

    /** How often the way to an access was looked at, by the access's index. */
    private final Map<Integer, Integer> ways = new HashMap<>();

    private int valuesLeft = MOST_VALUES;

    Search(PtxModule module, PtxEntry entry, BlockLimit block) {
      this.block = block;
      CallEnds ends = new CallEnds(module, true);
      FunctionFlow flow = new FunctionFlow(entry.function());
      graph = ControlGraph.of(flow, ends);
      values = new KernelValues(flow, graph, nodes, tiles);
      values.evaluate();
      paths = new ThreadPaths(flow, graph, values, ends);
      dependences = new Dependences(nodes);
    }

    Optional<TileOverrun> find() {
      List<MemoryAccess> accesses = new ArrayList<>();
      BlockThread first = thread(0);
      for (MemoryAccess access : values.accesses()) {
        if (isShared(access.instruction())
            && tile(access) != null
            && offset(access, first).isPresent()) {
          accesses.add(access);
        }
      }
      if (accesses.isEmpty()) {
        return Optional.empty();
      }
      int last = block.threads() - 1;
      int step = Math.max(1, (int) ((long) accesses.size() * block.threads() / MOST_THREADS));
      for (int thread = 0; thread <= last && valuesLeft > 0; thread += step) {
        Optional<TileOverrun> found = find(accesses, thread);
        if (found.isPresent()) {
          return found;
        }
      }
      return last % step == 0 ? Optional.empty() : find(accesses, last);
    }

    private Optional<TileOverrun> find(List<MemoryAccess> accesses, int number) {
      BlockThread thread = thread(number);
      for (MemoryAccess access : accesses) {
        Variable tile = tile(access);
        OptionalLong offset = offset(access, thread);
        if (tile == null || offset.isEmpty()) {
          continue;
        }
        long at = offset.getAsLong();
        boolean outside = at < 0 || at + access.width() > tile.sizeInBytes();
        if (outside
            && mayLookAtAWay(access)
            && paths.areThrough(
                access, thread, paths.certain(thread, graph.headersAround(access.block())))) {
          return Optional.of(
              new TileOverrun(access.instruction(), tile, thread.x, thread.y, thread.z, at));
        }
      }
      valuesLeft -= (int) thread.work() + accesses.size();
      return Optional.empty();
    }

    /** Each access has its own, so that one that no such thread gets to hides no other. */
    private boolean mayLookAtAWay(MemoryAccess access) {
      if (ways.merge(access.index(), 1, Integer::sum) > MOST_WAYS) {
        return false;
      }
      valuesLeft -= COST_OF_A_BLOCK * graph.size();
      return valuesLeft > 0;
    }

    /** Where an access begins in the first iteration of the loops around it, if that is known. */
    private OptionalLong offset(MemoryAccess access, BlockThread thread) {
      thread.enter(graph.headersAround(access.block()));
      return thread.known(access.address());
    }

    private BlockThread thread(int number) {
      return new BlockThread(
          nodes,
          dependences,
          block,
          number % block.x(),
          number / block.x() % block.y(),
          number / block.x() / block.y());
    }

    /** The variable from which alone an address is computed, if its size is known. */
    private @Nullable Variable tile(MemoryAccess access) {
      Variable found = null;
      for (int i = 0; i < tiles.variables().size(); i++) {
        if (dependences.dependsOn(access.address(), i)) {
          Variable tile = tiles.variables().get(i);
          if (found != null || tile.external() || tile.isOpenArray()) {
            return null;
          }
          found = tile;
        }
      }
      return found;
    }

    private static boolean isShared(Instruction instruction) {
      return Widths.isPlain(instruction)
          && !instruction.has("shared::cluster")
          && instruction.spaces().stream().allMatch(space -> space == StateSpace.SHARED);
    }
  }
}
