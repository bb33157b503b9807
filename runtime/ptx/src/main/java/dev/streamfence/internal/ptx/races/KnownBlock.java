package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import dev.streamfence.internal.ptx.symbolic.ThreadEvaluation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a block whose shape is the same in all launches. Where they touch memory is
 * compared thread by thread, whatever they compute their places by: no formula shows that places
 * whose bits are exchanged lie apart. Confined to one thread.
 */
final class KnownBlock {
  /** Where a thread touches memory, apart from what is the same in all threads of the block. */
  private record Touched(int thread, long begin) {}

  /** The values that the place in the block decides. */
  private static final class Member extends ThreadEvaluation {
    private final LaunchSpace space;
    private int number;

    Member(NodeGraph nodes, Dependences dependences, LaunchSpace space) {
      super(nodes, dependences);
      this.space = space;
    }

    void become(int next) {
      number = next;
      begin();
    }

    @Override
    protected long special(Special special) {
      if (special.isBlock || special.countsBlocks) {
        return fail();
      }
      int size = space.threads(special.dimension);
      if (!special.isThread) {
        return size;
      }
      int before = 1;
      for (int i = 0; i < special.dimension; i++) {
        before *= space.threads(i);
      }
      return number / before % size;
    }
  }

  private final NodeGraph nodes;
  private final Dependences dependences;
  private final LaunchSpace space;
  private final Budget budget;
  private final int size;

  KnownBlock(NodeGraph nodes, Dependences dependences, LaunchSpace space, Budget budget) {
    this.nodes = nodes;
    this.dependences = dependences;
    this.space = space;
    this.budget = budget;
    long threads = 1;
    for (int i = 0; i < 3; i++) {
      threads = Math.min(threads * space.threads(i), LaunchLimits.MAX_BLOCK + 1);
    }
    size = threads <= LaunchLimits.MAX_BLOCK ? (int) threads : 0;
  }

  /**
   * Whether two different threads of a block never touch a byte of both places.
   *
   * @param pair what is the same in both
   */
  boolean areApart(PairProof.Place one, PairProof.Place other, ThreadPair pair) {
    if (size == 0) {
      return false;
    }
    Member thread = new Member(nodes, dependences, space);
    Polynomial rest = rest(one.offset(), pair, thread);
    if (rest == null || !rest.equals(rest(other.offset(), pair, thread))) {
      return false;
    }
    List<Touched> left = touched(one, rest, thread);
    List<Touched> right = one.equals(other) ? left : touched(other, rest, thread);
    budget.take(1 + (int) (thread.work() / 8));
    return left != null && right != null && areApart(left, one.width(), right, other.width());
  }

  /** What of an offset the place in the block does not decide; null if it may differ in a block. */
  private @Nullable Polynomial rest(Polynomial offset, ThreadPair pair, Member thread) {
    thread.become(0);
    Polynomial rest = Polynomial.ZERO;
    for (Term term : offset.terms()) {
      boolean isOwn = true;
      boolean isSame = true;
      for (int id : term.product().nodes()) {
        isOwn &= isKnown(id, thread);
        isSame &= pair.isSame(nodes.node(id));
      }
      Polynomial part = Polynomial.term(term.product(), isOwn ? 0 : term.coefficient());
      rest = rest == null || (!isOwn && !isSame) ? null : rest.plus(part);
    }
    return rest;
  }

  private boolean isKnown(int id, Member thread) {
    return thread.known(nodes.node(id)).isPresent();
  }

  /** Where each thread touches memory that may be there, in order; null if that is not known. */
  private @Nullable List<Touched> touched(PairProof.Place place, Polynomial rest, Member thread) {
    Polynomial own = place.offset().minus(rest);
    List<Touched> found = new ArrayList<>();
    for (int number = 0; own != null && number < size; number++) {
      thread.become(number);
      OptionalLong begin = value(own, thread);
      if (begin.isEmpty()) {
        return null;
      }
      if (mayBeAt(place.known(), thread)) {
        found.add(new Touched(number, begin.getAsLong()));
      }
    }
    found.sort(Comparator.comparingLong(Touched::begin));
    return own == null ? null : found;
  }

  private boolean mayBeAt(PathFacts.Known known, Member thread) {
    return known.natural().stream().allMatch(each -> value(each, thread).orElse(0) >= 0)
        && known.zero().stream().allMatch(each -> value(each, thread).orElse(0) == 0)
        && known.unequal().stream().allMatch(each -> value(each, thread).orElse(1) != 0);
  }

  /** What a polynomial comes to in a thread; empty if that is unknown, or may wrap around. */
  private OptionalLong value(Polynomial polynomial, Member thread) {
    long sum = 0;
    long size = 0;
    for (Term term : polynomial.terms()) {
      long product = term.coefficient();
      for (int id : term.product().nodes()) {
        OptionalLong factor = thread.known(nodes.node(id));
        if (factor.isEmpty() || !isSmall(factor.getAsLong()) || !isSmall(product)) {
          return OptionalLong.empty();
        }
        product *= factor.getAsLong();
      }
      if (!isSmall(product)) {
        return OptionalLong.empty();
      }
      size += Math.abs(product);
      sum += product;
    }
    return isSmall(size) ? OptionalLong.of(sum) : OptionalLong.empty();
  }

  private static boolean isSmall(long number) {
    return number == (int) number;
  }

  private static boolean areApart(
      List<Touched> left, long leftWidth, List<Touched> right, long rightWidth) {
    int from = 0;
    for (Touched each : left) {
      while (from < right.size() && right.get(from).begin() + rightWidth <= each.begin()) {
        from++;
      }
      for (int i = from; i < right.size() && right.get(i).begin() < each.begin() + leftWidth; i++) {
        if (right.get(i).thread() != each.thread()) {
          return false;
        }
      }
    }
    return true;
  }
}
