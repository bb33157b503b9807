package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.ThreadValues.Definitions;
import dev.streamfence.internal.ptx.analysis.ThreadValues.KnownValue;
import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An access of a thread to shared memory outside of the variable that its address comes from.
 * Immutable.
 *
 * <p>Only what happens in every launch with blocks of that shape is found: the thread's place and
 * the block's shape decide the address, and lead to the access on every way through the kernel.
 *
 * @param site the access
 * @param tile the variable
 * @param x the thread's number in x
 * @param y the thread's number in y
 * @param z the thread's number in z
 * @param offset the first byte of the access, counted from the variable's start; it may be negative
 */
public record TileOverrun(AccessSite site, Variable tile, int x, int y, int z, long offset) {
  private static final Set<String> ACCESSES = Set.of("ld", "st", "atom", "red");

  /** The most threads that are looked at for all accesses of a kernel together. */
  private static final int MOST_THREADS = 1 << 16;

  /** The most ways through a kernel that are looked at. */
  private static final int MOST_WAYS = 64;

  /**
   * Returns the first such access of a kernel; empty if there is none, it is not certain, or the
   * kernel is too large.
   *
   * @param block the shape of its blocks
   */
  public static Optional<TileOverrun> of(
      ModuleAnalysis analysis, PtxEntry entry, BlockLimit block) {
    if (entry.staticSharedBytes() == 0) {
      return Optional.empty();
    }
    try {
      ReachedCode code = new ReachedCode(analysis, entry.function());
      return new Search(analysis, code, block).find();
    } catch (TooLargeException e) {
      return Optional.empty();
    }
  }

  /** One search; confined to one thread. */
  private static final class Search {
    private final ModuleAnalysis analysis;
    private final ReachedCode code;
    private final FunctionFlow flow;
    private final Definitions definitions;
    private final BlockLimit block;
    private final CertainWay ways;
    private int waysLeft = MOST_WAYS;

    Search(ModuleAnalysis analysis, ReachedCode code, BlockLimit block) {
      this.analysis = analysis;
      this.code = code;
      this.flow = code.flows().get(0);
      this.definitions = new Definitions(flow);
      this.block = block;
      this.ways = new CertainWay(analysis, flow);
    }

    Optional<TileOverrun> find() {
      List<Integer> accesses = accesses();
      if (accesses.isEmpty()) {
        return Optional.empty();
      }
      int last = block.threads() - 1;
      int step = Math.max(1, (int) ((long) accesses.size() * block.threads() / MOST_THREADS));
      for (int thread = 0; thread <= last && waysLeft > 0; thread += step) {
        Optional<TileOverrun> found = find(accesses, thread);
        if (found.isPresent()) {
          return found;
        }
      }
      return last % step == 0 ? Optional.empty() : find(accesses, last);
    }

    private Optional<TileOverrun> find(List<Integer> accesses, int thread) {
      int x = thread % block.x();
      int y = thread / block.x() % block.y();
      int z = thread / block.x() / block.y();
      ThreadValues values = values(x, y, z);
      for (int at : accesses) {
        Instruction instruction = flow.instruction(at);
        Optional<KnownValue> address = values.address(place(instruction));
        if (address.isEmpty() || address.get().tile() == null) {
          continue;
        }
        Variable tile = address.get().tile();
        long offset = address.get().bits();
        boolean outside = offset < 0 || offset + Widths.access(instruction) > tile.sizeInBytes();
        if (outside && isKnown(tile) && waysLeft-- > 0 && ways.leadsTo(at, values)) {
          return Optional.of(new TileOverrun(code.site(flow, at, ""), tile, x, y, z, offset));
        }
      }
      analysis.charge(values.size() + accesses.size());
      return Optional.empty();
    }

    private ThreadValues values(int x, int y, int z) {
      return new ThreadValues(definitions, block, x, y, z);
    }

    private static boolean isKnown(Variable tile) {
      return !tile.external() && !tile.isOpenArray();
    }

    /** The accesses whose addresses the first thread shows to lie in a variable. */
    private List<Integer> accesses() {
      List<Integer> accesses = new ArrayList<>();
      ThreadValues first = values(0, 0, 0);
      for (int at = 0; at < flow.size(); at++) {
        Instruction instruction = flow.instruction(at);
        if (flow.isReachable(at)
            && isShared(instruction)
            && instruction.operands().stream().anyMatch(Operand.Memory.class::isInstance)
            && first.address(place(instruction)).map(KnownValue::tile).isPresent()) {
          accesses.add(at);
        }
      }
      return accesses;
    }

    private static boolean isShared(Instruction instruction) {
      return ACCESSES.contains(instruction.opcode())
          && !instruction.has("shared::cluster")
          && instruction.spaces().stream().allMatch(space -> space == StateSpace.SHARED);
    }

    private static Operand.Memory place(Instruction instruction) {
      return instruction.operands().stream()
          .filter(Operand.Memory.class::isInstance)
          .map(Operand.Memory.class::cast)
          .findFirst()
          .orElseThrow();
    }
  }
}
