package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Check;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.End;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Followed;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Growth;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Target;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@link LaunchBoundsWriter} has written. Confined to one thread, used once. */
public final class LaunchBoundsReader {
  private static final int DIMENSIONS = 3;

  private final NumberReader in;
  private List<Node> nodes = List.of();
  private List<Witness.Choice> choices = List.of();
  private List<List<Target>> targets = List.of();
  private int arguments;
  private int loops;

  private LaunchBoundsReader(NumberReader in) {
    this.in = in;
  }

  /**
   * Reads bounds. They tell what launches certainly touch, not what they may touch.
   *
   * @param arrays how many arrays the kernel takes
   * @throws IllegalArgumentException if the bytes are not the bounds of such a kernel
   */
  public static LaunchBounds read(NumberReader in, int arrays) {
    return new LaunchBoundsReader(in).bounds(arrays);
  }

  private LaunchBounds bounds(int arrays) {
    List<NumberPlace> places = in.list(this::place);
    arguments = places.size();
    List<LaunchBounds.Reach> reaches = new ArrayList<>();
    WitnessPlan plan = in.truth() ? plan() : null;
    if (plan != null) {
      targets = in.list(() -> in.list(this::target));
    }
    int written = plan == null ? 0 : in.count();
    if (plan != null && written != arrays) {
      throw new IllegalArgumentException("bounds of " + written + " arrays, not of " + arrays);
    }
    for (int i = 0; i < arrays; i++) {
      List<Followed> followed = plan == null ? List.of() : in.list(this::followed);
      reaches.add(new LaunchBounds.Reach(false, List.of(), followed));
    }
    return new LaunchBounds(places, reaches, new RangeProgram(), plan);
  }

  private NumberPlace place() {
    return new NumberPlace(in.integer(), in.integer(), in.integer());
  }

  private WitnessPlan plan() {
    List<Operator> operators = in.list(() -> Operator.valueOf(in.text()));
    choices = in.list(() -> Witness.Choice.valueOf(in.text()));
    int count = in.count();
    List<Node> read = new ArrayList<>();
    List<int[]> inputs = new ArrayList<>();
    int[] gates = new int[count];
    int[] loopOf = new int[count];
    BitSet addresses = new BitSet();
    @Nullable Growth[] growths = new Growth[count];
    for (int i = 0; i < count; i++) {
      Operator operator = operators.get(in.index(operators.size()));
      int bits = in.index(Long.SIZE) + 1;
      read.add(new Node(i, operator, bits, in.number(), 0, -1, List.of()));
      inputs.add(in.list(() -> in.index(count)).stream().mapToInt(Integer::intValue).toArray());
      int more = in.index(LaunchBoundsWriter.ANY_PART + 1);
      gates[i] = (more & LaunchBoundsWriter.HAS_GATE) == 0 ? -1 : in.index(count);
      loopOf[i] = (more & LaunchBoundsWriter.IN_LOOP) == 0 ? -1 : in.index(Integer.MAX_VALUE);
      addresses.set(i, (more & LaunchBoundsWriter.HAS_ADDRESS) != 0);
      growths[i] =
          (more & LaunchBoundsWriter.GROWS) == 0 ? null : new Growth(sum(count), checks(count));
    }
    for (Node node : read) {
      node.inputs = Arrays.stream(inputs.get(node.id)).mapToObj(read::get).toList();
      node.gate = gates[node.id] < 0 ? null : read.get(gates[node.id]);
    }
    nodes = read;
    @Nullable End[] ends = new End[in.count()];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = in.optional(() -> new End(sum(count), sum(count), in.truth(), checks(count)));
    }
    loops = ends.length;
    for (Node node : nodes) {
      require(loopOf[node.id] < loops);
      switch (node.operation) {
        case ARGUMENT -> require(node.constant >= 0 && node.constant < arguments);
        case SPECIAL -> require(node.constant >= 0 && node.constant < Node.Special.ALL.size());
        case ITERATION -> require(node.constant >= 0 && node.constant < loops);
        case CONSTANT, BASE, UNKNOWN -> {
          // Without inputs that are looked at.
        }
        case PHI -> require(node.inputs.size() > (node.gate == null ? 0 : 1));
        case SELECT -> require(node.inputs.size() > 2);
        default -> require(!node.inputs.isEmpty());
      }
    }
    return new WitnessPlan(nodes, loopOf, addresses, growths, ends);
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException("a value refers to none that there is");
    }
  }

  private CompiledSum sum(int values) {
    int terms = in.count();
    long[] coefficients = new long[terms];
    int[][] factors = new int[terms][];
    for (int i = 0; i < terms; i++) {
      coefficients[i] = in.number();
      factors[i] = new int[in.count()];
      for (int k = 0; k < factors[i].length; k++) {
        factors[i][k] = in.index(values);
      }
    }
    return new CompiledSum(coefficients, factors);
  }

  private List<Check> checks(int values) {
    return in.list(() -> new Check(sum(values), in.number(), in.number()));
  }

  private Node node() {
    return nodes.get(in.index(nodes.size()));
  }

  private Followed followed() {
    ReachedAccess access =
        new ReachedAccess(in.integer(), in.text(), in.truth(), in.list(() -> in.index(arguments)));
    return new Followed(
        access,
        in.integer(),
        in.list(() -> new Way(node(), in.truth())),
        in.list(() -> in.index(loops)),
        node(),
        targets.get(in.index(targets.size())),
        in.list(() -> choices.get(in.index(choices.size()))));
  }

  private Target target() {
    int values = nodes.size();
    return new Target(
        in.index(DIMENSIONS),
        sum(values),
        sum(values),
        sum(values),
        in.optional(() -> sum(values)));
  }
}
