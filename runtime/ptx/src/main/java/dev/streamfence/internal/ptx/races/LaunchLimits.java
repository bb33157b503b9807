package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.symbolic.KernelMemory;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The dimensions in which the launches of a kernel have several threads or blocks, and the sizes
 * that a proof assumes. Confined to one thread.
 */
final class LaunchLimits {
  /** The most threads of a block on every device. */
  static final int MAX_BLOCK = 1024;

  /** Rows of blocks are whole warps, unless tiles have rows of another length. */
  private static final int WARP = 32;

  /** How many sizes of blocks are tried: each takes as many proofs as the kernel has pairs. */
  private static final int MAX_TRIES = 4;

  private final LaunchSpace space;
  private final NodeGraph nodes;
  private final Symbols symbols;
  private final KernelMemory memory;

  /** What the code shows of the dimensions of launches, see {@code KernelFlow.shown}. */
  private final Set<Special> shown;

  private final List<Restriction> limited = new ArrayList<>();

  /**
   * Creates the limits of a kernel's launches, and tells the symbols of them.
   *
   * @param shown what the code shows of the dimensions of launches
   * @param accesses the kernel's accesses to memory that several threads reach
   */
  LaunchLimits(
      LaunchSpace space,
      NodeGraph nodes,
      Symbols symbols,
      KernelMemory memory,
      Set<Special> shown,
      Collection<SharedAccess> accesses) {
    this.space = space;
    this.nodes = nodes;
    this.symbols = symbols;
    this.memory = memory;
    this.shown = shown;
    limitBlocks(accesses);
  }

  /** The indices of threads, or of blocks, that differ within the launches. */
  List<Node> places(boolean ofThreads) {
    return Special.ALL.stream()
        .filter(special -> ofThreads ? special.isThread : special.isBlock)
        .filter(special -> shown.contains(special) || hasSeveral(special))
        .map(nodes::special)
        .filter(special -> !symbols.isFlat(special))
        .toList();
  }

  private boolean hasSeveral(Special index) {
    return index.isThread
        ? space.hasSeveralThreads(index.dimension)
        : space.hasSeveralBlocks(index.dimension);
  }

  /**
   * Assumes that a block whose size the code does not read is no larger than the numbers by which
   * the code multiplies other indices.
   */
  private void limitBlocks(Collection<SharedAccess> accesses) {
    for (int dimension = 0; dimension < 3; dimension++) {
      Special place = Special.thread(dimension);
      Special size = Special.blockSize(dimension);
      if (space.threads(dimension) > 0 || !shown.contains(place) || shown.contains(size)) {
        continue;
      }
      Monomial own = new Monomial(nodes.special(place).id);
      long least = 0;
      for (SharedAccess access : accesses) {
        long unit = access.offset().coefficient(own);
        for (Special other : shown) {
          Monomial index = new Monomial(nodes.special(other).id);
          long weight = access.offset().coefficient(index);
          boolean isMultiple = unit > 0 && weight > unit && weight % unit == 0;
          if (other.differs() && isMultiple) {
            least = least == 0 ? weight / unit : Math.min(least, weight / unit);
          }
        }
      }
      if (least > 0 && least <= MAX_BLOCK) {
        limit(dimension, (int) least);
      }
    }
  }

  /**
   * The sizes of blocks in a dimension that the kernel may be written for, the largest first: by
   * these its accesses lie apart. Tiles in shared memory have a fixed size, whatever the code
   * reads; but code that reads the size of its blocks is for all that do not overflow a tile.
   */
  List<Integer> sizes(int dimension, Collection<SharedAccess> accesses) {
    Special place = Special.thread(dimension);
    if (!shown.contains(place) || space.threads(dimension) > 0) {
      return List.of();
    }
    boolean readsSize = shown.contains(Special.blockSize(dimension));
    Monomial own = new Monomial(nodes.special(place).id);
    TreeSet<Integer> found = new TreeSet<>(Comparator.reverseOrder());
    Set<Integer> distances = new HashSet<>();
    for (SharedAccess access : accesses) {
      long unit = access.offset().coefficient(own);
      if (unit <= 0 || (access.isGlobal() && readsSize)) {
        continue;
      }
      for (Term term : access.offset().terms()) {
        int[] factors = term.product().nodes();
        // The length of a row is none.
        boolean isIndex = factors.length == 1 && !nodes.node(factors[0]).is(Operator.ARGUMENT);
        add(isIndex ? term.coefficient() : 0, unit, 1, found);
      }
      for (SharedAccess other : accesses) {
        long distance =
            other.offset().coefficient(Monomial.ONE) - access.offset().coefficient(Monomial.ONE);
        boolean isTogether =
            other.memory() == access.memory()
                && (!readsSize || isMost(Math.abs(distance), access.memory()));
        add(isTogether ? Math.abs(distance) : 0, unit, dimension == 0 ? WARP : 1, distances);
      }
    }
    // Blocks of the size of two steps of an unrolled loop meet in the next step.
    distances.stream()
        .filter(size -> distances.stream().noneMatch(step -> step < size && size % step == 0))
        .forEach(found::add);
    int most = symbols.limit(dimension);
    return found.stream().filter(size -> most == 0 || size < most).limit(MAX_TRIES).toList();
  }

  /** Whether a distance is most of a variable: a tile for a block, with a little beside it. */
  private boolean isMost(long distance, int index) {
    Variable variable = memory.variable(index);
    return variable != null && !variable.isOpenArray() && 2 * distance > variable.sizeInBytes();
  }

  /**
   * Assumes that blocks have one thread in each dimension that the code reads, but not for places
   * or values: it asks for the rank of a thread in its block, and is written for blocks in x.
   * Returns whether there is such a dimension.
   *
   * @param used the registers on which a place or a value in memory depends
   */
  boolean limitToUsed(Set<Special> used) {
    boolean isLimited = false;
    for (int dimension = 1; dimension < 3; dimension++) {
      Special place = Special.thread(dimension);
      if (shown.contains(place)
          && !used.contains(place)
          && space.threads(dimension) == 0
          && symbols.limit(dimension) == 0) {
        limit(dimension, 1);
        isLimited = true;
      }
    }
    return isLimited;
  }

  private static void add(long distance, long unit, int multiple, Set<Integer> found) {
    long size = distance / unit;
    boolean isSize = size > 1 && size <= MAX_BLOCK && size % multiple == 0;
    if (isSize && distance % unit == 0) {
      found.add((int) size);
    }
  }

  /**
   * Assumes that blocks have no more threads in a dimension, in place of what was assumed before.
   */
  void limit(int dimension, int most) {
    symbols.limit(dimension, most);
    limited.removeIf(each -> each.size().equals(size(dimension)));
    if (most > 0) {
      limited.add(new Restriction(size(dimension), most, true));
    }
  }

  private static String size(int dimension) {
    return "blockDim." + "xyz".charAt(dimension);
  }

  /**
   * What a proof assumes: blocks that are not too large, and one thread or block in dimensions that
   * the code ignores.
   *
   * @param hasGlobal whether it is about memory that several blocks reach
   */
  List<Restriction> restrictions(boolean hasGlobal) {
    List<Restriction> found = new ArrayList<>(limited);
    for (Special special : Special.ALL) {
      boolean matters = special.isThread || (special.isBlock && hasGlobal);
      if (matters && !space.isFlat(special) && !hasSeveral(special) && !shown.contains(special)) {
        String size = special.isThread ? "blockDim." : "gridDim.";
        found.add(new Restriction(size + "xyz".charAt(special.dimension), 1, false));
      }
    }
    return found;
  }
}
