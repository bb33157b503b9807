package dev.streamfence.internal.recording;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.WorkFacts;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A launch, copy, fill or condition that the body of a graph has made. Its addresses are translated
 * by the bindings of the graph whenever a driver reads them. Confined to the holder of the graph's
 * lock.
 */
public final class RecordedNode implements GraphNode {
  /** Makes the call of a node. */
  @FunctionalInterface
  interface Call {
    void put(Sink sink, StreamHandle stream);
  }

  /**
   * Where a node is. Immutable.
   *
   * @param index its place among all nodes
   * @param parent the index of the condition that decides about it; -1 if there is none
   * @param place its place among the nodes of that condition, or of the graph
   */
  record Position(int index, int parent, int place) {}

  /** The numbers among the arguments of a launch, or the value of a fill. */
  public interface Numbers {
    /** The numbers of later runs, by their names. */
    Map<String, Object> all();

    /**
     * Changes a number of later runs.
     *
     * @param parameter the kernel's parameter, or {@code value}
     * @param value a boxed number of the parameter's type
     * @throws IllegalArgumentException if the kernel takes no such number, or a launch with it
     *     would be refused; nothing has changed then
     * @return whether it was another number before
     */
    boolean set(String parameter, Object value);
  }

  /**
   * Memory that a node uses. Immutable.
   *
   * @param slot where the address lies among the arguments of a launch, or one of the constants
   * @param address as it was recorded
   */
  public record Range(int slot, long address, long bytes, boolean writes) {
    /** An address that the call of the node looks up itself. */
    static final int IN_CALL = -1;

    /** An address in a table, in the kernel's own code, on the host or of a condition: it stays. */
    public static final int FIXED = -2;
  }

  private final Position position;
  private final WorkFacts facts;
  private final String purpose;
  private final Timeline timeline;
  private final int[] after;
  private final List<Range> ranges;
  private final List<LaunchObserver.Use> declared;
  private final GraphBindings bindings;
  private final @Nullable Numbers numbers;
  private final @Nullable GraphCondition condition;
  private final @Nullable Call call;

  RecordedNode(
      Position position,
      WorkFacts facts,
      String purpose,
      Timeline timeline,
      int[] after,
      List<Range> ranges,
      List<LaunchObserver.Use> declared,
      GraphBindings bindings,
      @Nullable Numbers numbers,
      @Nullable GraphCondition condition,
      @Nullable Call call) {
    this.position = position;
    this.facts = facts;
    this.purpose = purpose;
    this.timeline = timeline;
    this.after = after;
    this.ranges = ranges;
    this.declared = declared;
    this.bindings = bindings;
    this.numbers = numbers;
    this.condition = condition;
    this.call = call;
  }

  /** Its place among the nodes of the graph. */
  public int index() {
    return position.index();
  }

  /** The index of the condition that repeats it or leaves it out; -1 if there is none. */
  public int parent() {
    return position.parent();
  }

  /** Its place among the nodes of its condition, or of the graph if it has none. */
  int place() {
    return position.place();
  }

  /** What it is. */
  public WorkFacts facts() {
    return facts;
  }

  /** Its numbers; null if it is neither a launch nor a fill of one value. */
  public @Nullable Numbers numbers() {
    return numbers;
  }

  /** The stream that the body has named. */
  public Timeline timeline() {
    return timeline;
  }

  /** The memory that it uses, by the addresses that were recorded. */
  public List<Range> ranges() {
    return ranges;
  }

  @Override
  public int[] after() {
    return after;
  }

  @Override
  public @Nullable GraphCondition condition() {
    return condition;
  }

  @Override
  public void put(Sink sink, StreamHandle stream) {
    requireNonNull(call, "a condition makes no call").put(sink, stream);
  }

  @Override
  public String purpose() {
    return purpose;
  }

  @Override
  public List<LaunchObserver.Use> uses() {
    return declared.stream().map(this::translated).toList();
  }

  private LaunchObserver.Use translated(LaunchObserver.Use use) {
    return new LaunchObserver.Use(
        use.parameter(),
        bindings.translate(use.address()),
        use.bytes(),
        use.reads(),
        use.writes(),
        bindings.describe(use.address(), use.argument()),
        use.elementBytes(),
        use.distinct(),
        use.least(),
        use.most());
  }

  @Override
  public String toString() {
    return purpose;
  }
}
