package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel in one thread, by the arithmetic of the device: concrete execution of the
 * operations that a value depends on. Addresses count as 0, so that an address is the place in its
 * array; what does more with an address than to add an offset fails. Allocates nothing after its
 * construction. Confined to one thread at a time.
 */
public abstract class Evaluation {
  /**
   * How many values depend on each other one after another, through the ends of loops as well: the
   * launch path has little of a thread's stack left.
   */
  private static final int MAX_DEPTH = 500;

  private final long[] values;

  /** The time in which each value was computed; times begin at 1. Negative if it is unknown. */
  private final long[] stamps;

  private long now = 1;
  private boolean failed;

  /** Whether it failed because a chain of values is too long: a shorter one may end with them. */
  private boolean isTooDeep;

  /** The values that are being computed. */
  private int depth;

  /** How many values were computed since the construction. */
  private long work;

  public Evaluation(int nodes) {
    values = new long[nodes];
    stamps = new long[nodes];
  }

  protected abstract long special(Node.Special special);

  protected long argument(int index) {
    return fail();
  }

  protected long iteration(int loop) {
    return fail();
  }

  /** A value that was loaded, or computed in ways that are not followed. */
  protected long unknown(Node node) {
    return fail();
  }

  /** The value of a phi for which no predicate decides, such as that of a loop's header. */
  protected long carried(Node phi) {
    return fail();
  }

  /** Whether a value is computed from an array's address. */
  protected abstract boolean hasAddress(Node node);

  /** Whether an operation on an address only changes its width. */
  protected boolean keepsAddress(Node node) {
    return false;
  }

  public final void begin() {
    forget();
    resume();
  }

  /** Continues after a failure; what was found, also that values are unknown, stays. */
  final void resume() {
    failed = false;
    isTooDeep = false;
    depth = 0;
  }

  /** Begins a new time: all values are computed again. */
  public final void forget() {
    now++;
  }

  /** Notes that a value is unknown. */
  public final long fail() {
    failed = true;
    return 0;
  }

  public final boolean hasFailed() {
    return failed;
  }

  public final long work() {
    return work;
  }

  public final long value(Node node) {
    isTooDeep |= depth > MAX_DEPTH;
    if (failed || isTooDeep || stamps[node.id] == -now) {
      return fail();
    }
    if (node.is(Operator.CONSTANT)) {
      return node.constant;
    }
    if (stamps[node.id] == now) {
      return values[node.id];
    }
    depth++;
    work++;
    long value = computed(node);
    depth--;
    // The end of a loop may have been found meanwhile, which begins a new time.
    stamps[node.id] = !failed ? now : isTooDeep ? 0 : -now;
    values[node.id] = value;
    return value;
  }

  private long computed(Node node) {
    return switch (node.operation) {
      case ARGUMENT -> argument((int) node.constant);
      case BASE -> 0;
      case SPECIAL -> special(node.special());
      case ITERATION -> iteration((int) node.constant);
      case PHI -> phi(node);
      case SELECT -> value(node.input(value(node.input(0)) != 0 ? 1 : 2));
      case UNKNOWN -> unknown(node);
      default -> {
        Node first = node.input(0);
        Node second = node.inputs.size() > 1 ? node.input(1) : null;
        boolean isAddress = hasAddress(first) || (second != null && hasAddress(second));
        long a = value(first);
        if (isAddress && keepsAddress(node)) {
          yield a;
        }
        long b = second == null ? 0 : value(second);
        yield failed || isUndefined(node, b) || (isAddress && readsAddress(node, first, second))
            ? fail()
            : Machine.apply(node.operation, node.bits, first.bits, a, b);
      }
    };
  }

  /** Whether an operation with this second operand has no value. */
  protected boolean isUndefined(Node node, long second) {
    return Machine.divides(node.operation) && Machine.unsigned(second, node.bits) == 0;
  }

  /** Whether an operation does more with an address than to add an offset. */
  private boolean readsAddress(Node node, Node left, @Nullable Node right) {
    return switch (node.operation) {
      case ADD -> hasAddress(left) && right != null && hasAddress(right);
      case SUBTRACT -> right != null && hasAddress(right);
      default -> true;
    };
  }

  private long phi(Node phi) {
    Node gate = phi.gate;
    return gate == null ? carried(phi) : value(phi.input(value(gate) != 0 ? 0 : 1));
  }
}
