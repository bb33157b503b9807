package dev.streamfence.internal.recording;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.order.GraphRecording;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.KnownMemory;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Uses;
import dev.streamfence.internal.recording.RecordedNode.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The graph that a body builds: instead of being put on a stream, each piece of work becomes a node
 * behind the nodes that it depends on, see {@link NodeOrder}.
 *
 * <p>Holds all memory that is used. Confined to the thread that runs the body, and to the holder of
 * the graph's lock afterwards.
 */
public final class RecordedGraph implements GraphRecording {
  /**
   * What the whole graph does with some memory. Immutable.
   *
   * @param reads whether a node reads it that no node of the graph writes it before
   * @param use the first node that reads it so, or else that uses it, for errors
   */
  public record TotalUse(HazardState state, boolean reads, boolean writes, AttemptedUse use) {
    /** The same use of other memory. */
    public TotalUse of(HazardState other) {
      return new TotalUse(other, reads, writes, use);
    }
  }

  private final String name;
  private final GraphBindings bindings = new GraphBindings();

  /** All nodes: of a condition first itself, and then what it repeats or leaves out. */
  private final List<RecordedNode> nodes = new ArrayList<>();

  /** The order of those that no condition repeats or leaves out. */
  private final NodeOrder outermost = new NodeOrder();

  /** The order of those of each condition, by its index. */
  private final Map<Integer, NodeOrder> inner = new HashMap<>();

  /** In the order of the first uses, like the checks. */
  private final Set<HazardState> used = new LinkedHashSet<>();

  private final GraphMemory memory;
  private final Set<Runnable> checks = new LinkedHashSet<>();
  private final List<HostTransfer> transfers = new ArrayList<>();
  private long sharedBytes;

  /** Whose code runs; null outside of the code of a condition. */
  private @Nullable ConditionalNodes part;

  // Of the work that is being recorded.
  private @Nullable Submission current;
  private NodeOrder order = outermost;

  /**
   * Begins a graph without nodes.
   *
   * @param name the graph, for errors, such as {@code graph 'step'}
   */
  public RecordedGraph(String name, HostMemoryPool memory) {
    this.name = name;
    this.memory = new GraphMemory(name, memory);
  }

  /** The graph that work becomes nodes of; null if it is put on a stream. */
  public static @Nullable RecordedGraph of(Submission submission) {
    return (RecordedGraph) submission.recording();
  }

  /** The nodes, by their indices; of a condition first itself, and then its own nodes. */
  public List<RecordedNode> nodes() {
    return nodes;
  }

  /** The nodes that no condition repeats or leaves out. */
  public List<RecordedNode> outermostNodes() {
    return outermost.nodes();
  }

  /** The edges so far. */
  public List<GraphEdge> edges() {
    return outermost.edges();
  }

  /** How many edges were left out, because others imply them. */
  public int impliedEdges() {
    return outermost.impliedEdges();
  }

  /** What stands for its inputs. */
  public GraphBindings bindings() {
    return bindings;
  }

  /** What has to be asked before each run. */
  public List<Runnable> checks() {
    return List.copyOf(checks);
  }

  /** The copies between host and device, each once. */
  public List<HostTransfer> transfers() {
    return transfers;
  }

  /** What it keeps until it ends. */
  public GraphMemory memory() {
    return memory;
  }

  /** What the graph uses, in the order of the locks. */
  public List<TotalUse> totalUses() {
    List<TotalUse> all = outermost.totalUses();
    all.replaceAll(
        total -> {
          AttemptedUse use = total.use();
          return new TotalUse(
              total.state(),
              total.reads(),
              total.writes(),
              new AttemptedUse(use.kernel(), use.parameter(), name + ": " + use.inWords()));
        });
    all.sort(Comparator.comparingLong(total -> total.state().generation()));
    return all;
  }

  /** Says that its code has returned: nothing is recorded any more. */
  public void seal() {
    outermost.seal();
  }

  private void requireNotSealed(NodeOrder added, AttemptedUse use) {
    if (added.isSealed()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          use,
          " was begun in the code of "
              + (added == outermost ? name : "a condition of " + name)
              + ", which has returned; begin it again");
    }
  }

  /** Forgets what only the body needs. */
  public void end() {
    outermost.forget();
    inner.clear();
    used.clear();
  }

  /**
   * Lets memory that was closed meanwhile, and that only nodes use, share bytes where edges order
   * the uses, and frees what is not needed then.
   */
  public void shareScratch() {
    ScratchLayout layout = new ScratchLayout(nodes, outermost, inner);
    for (HazardState state : used) {
      KnownMemory scratch = state.onlyHeld();
      if (scratch != null && scratch.isReplaceable() && bindings.inputAt(scratch.address()) < 0) {
        layout.add(state, scratch);
      }
    }
    layout
        .replacements()
        .forEach(
            (given, kept) -> {
              KnownMemory freed = given.memory();
              bindings.replace(freed.address(), freed.sizeInBytes(), kept.memory().address());
              outermost.giveUp(given.state());
              sharedBytes += freed.sizeInBytes();
              memory.dismiss(given.state());
            });
  }

  /** How many bytes were freed, since others stand for them. */
  public long sharedBytes() {
    return sharedBytes;
  }

  @Override
  public StreamMisuseException refusal(AttemptedUse use) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.INSIDE_GRAPH,
        use,
        " in the body of "
            + name
            + ", which records launches, fills, copies and transfers with pinned arrays; do it"
            + " outside of the body");
  }

  @Override
  public void begin(Submission submission, Uses uses) {
    UseLabels labels = submission.labels();
    ConditionalNodes of = part;
    NodeOrder added = of == null ? outermost : of.order();
    requireNotSealed(added, labels.work());
    for (int i = 0; i < uses.count(); i++) {
      uses.get(i).requireUsable(labels, false);
    }
    for (int i = 0; i < uses.count(); i++) {
      hold(uses.get(i).state());
    }
    current = submission;
    order = added;
    order.begin(labels, uses);
  }

  /**
   * Keeps some memory, and what it is a part of, until the graph ends.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  public void hold(HazardState state) {
    if (!used.contains(state)) {
      memory.keep(state);
      used.add(state);
    }
  }

  @Override
  public void end(Uses uses) {
    if (current != null) {
      order.end(current.labels(), uses);
    }
    current = null;
  }

  @Override
  public void addTransfer(HostTransfer transfer) {
    transfers.add(transfer);
  }

  /** Begins nodes that a condition is to repeat or to leave out. */
  public ConditionalNodes beginConditional() {
    ConditionalNodes begun =
        new ConditionalNodes(
            this, part, nodes.size(), checks.size(), transfers.size(), used.size());
    part = begun;
    return begun;
  }

  void endConditional(ConditionalNodes ended) {
    part = ended.outer();
  }

  /** Takes nodes out again, of which no condition was added. Inputs that were named stay. */
  void dropConditional(ConditionalNodes dropped, Teardown teardown) {
    nodes.subList(dropped.first(), nodes.size()).clear();
    inner.keySet().removeIf(index -> index >= dropped.index());
    checks.stream().skip(dropped.checksBefore()).toList().forEach(checks::remove);
    transfers.subList(dropped.transfersBefore(), transfers.size()).clear();
    for (HazardState state : used.stream().skip(dropped.usedBefore()).toList()) {
      KnownMemory known = state.memory();
      if (known == null || bindings.inputAt(known.address()) < 0) {
        used.remove(state);
        teardown.step(() -> memory.dismiss(state));
      }
    }
  }

  /**
   * Adds a condition, for a piece of work that uses the number and what its nodes use.
   *
   * @param conditional the nodes, which have ended
   * @param address the number of 32 bits
   */
  public void addCondition(ConditionalNodes conditional, boolean isLoop, long address) {
    Range number = new Range(Range.FIXED, address, Integer.BYTES, false);
    int[] after = order.orderNext(conditional.index());
    RecordedNode added =
        node(
            conditional.index(),
            after,
            List.of(number),
            List.of(new LaunchObserver.Use("", address, Integer.BYTES, true, false)),
            null,
            new GraphCondition(isLoop, address, conditional.order().nodes()),
            null);
    nodes.add(conditional.first(), added);
    order.add(added);
    order.addInner(conditional.order());
    inner.put(conditional.index(), conditional.order());
  }

  private Submission requireCurrent() {
    if (current == null) {
      throw new IllegalStateException("a node of " + name + " outside of a piece of work");
    }
    return current;
  }

  /**
   * Adds a launch.
   *
   * @param launch the node's own, with arguments in {@link #frame}
   * @param ranges the memory that it uses
   * @param declared what it declares to an observer; empty if there is none
   * @param numbers those among its arguments
   * @param check refuses a run if the kernel cannot be launched any more; the same object for each
   *     launch of a kernel
   */
  public void launch(
      KernelLaunch launch,
      List<Range> ranges,
      List<LaunchObserver.Use> declared,
      RecordedNode.Numbers numbers,
      Runnable check) {
    checks.add(check);
    BoundArguments arguments = new BoundArguments(ranges, bindings, launch.parameters());
    add(
        ranges,
        declared,
        numbers,
        (sink, stream) -> {
          arguments.write();
          sink.launchKernel(launch.stream(stream));
        });
  }

  /**
   * Memory for the arguments of a launch, which lasts as long as the graph.
   *
   * @throws CudaDriverException if there is none left
   */
  public HostMemory frame(long bytes) {
    requireNotSealed(order, requireCurrent().labels().work());
    try {
      return memory.frame(bytes);
    } catch (CudaDriverException e) {
      throw e.during("allocating memory for the arguments of " + name);
    }
  }

  private void add(List<Range> ranges, RecordedNode.Call call) {
    add(ranges, List.of(), null, call);
  }

  private void add(
      List<Range> ranges,
      List<LaunchObserver.Use> declared,
      RecordedNode.@Nullable Numbers numbers,
      RecordedNode.Call call) {
    requireNotSealed(order, requireCurrent().labels().work());
    int index = ConditionalNodes.nextIndex(part, nodes.size());
    RecordedNode added = node(index, order.orderNext(index), ranges, declared, numbers, null, call);
    nodes.add(added);
    order.add(added);
  }

  private RecordedNode node(
      int index,
      int[] after,
      List<Range> ranges,
      List<LaunchObserver.Use> declared,
      RecordedNode.@Nullable Numbers numbers,
      @Nullable GraphCondition condition,
      RecordedNode.@Nullable Call call) {
    Submission work = requireCurrent();
    return new RecordedNode(
        new RecordedNode.Position(index, ConditionalNodes.indexOf(part), order.nodes().size()),
        work.labels().facts(),
        purpose(),
        work.timeline(),
        after,
        ranges,
        declared,
        bindings,
        numbers,
        condition,
        call);
  }

  /** The work that is being recorded, in words. */
  private String purpose() {
    return requireCurrent().labels().facts().name() + " in " + name;
  }

  /** Adds a launch, which has to come with what it uses. */
  @Override
  public void launchKernel(KernelLaunch launch) {
    throw new IllegalStateException("a launch in " + name + " without what it uses");
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    long host = source.address() + sourceOffset;
    add(
        List.of(new Range(Range.FIXED, host, bytes, false), writes(destination, bytes)),
        (sink, to) -> sink.copyToDeviceAsync(now(destination), source, sourceOffset, bytes, to));
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    long host = destination.address() + destinationOffset;
    add(
        List.of(reads(source, bytes), new Range(Range.FIXED, host, bytes, true)),
        (sink, to) -> sink.copyToHostAsync(destination, destinationOffset, now(source), bytes, to));
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    add(
        List.of(reads(source, bytes), writes(destination, bytes)),
        (sink, to) -> sink.copyOnDeviceAsync(now(destination), now(source), bytes, to));
  }

  @Override
  public void fillAsync(long destination, int bytes, int value, long count, StreamHandle stream) {
    UseLabels labels = requireCurrent().labels();
    Class<?> type = labels.filled();
    // Elements of 8 bytes take several fills, of which none has the value of the elements.
    boolean isAll = count * bytes == labels.facts().bytes();
    FillValue number = type == null || !isAll ? null : new FillValue(purpose(), type, value);
    add(
        List.of(writes(destination, count * bytes)),
        List.of(),
        number,
        (sink, to) -> {
          int bits = number == null ? value : number.bits();
          sink.fillAsync(now(destination), bytes, bits, count, to);
        });
  }

  @Override
  public void fill64Async(long destination, int half, long count, StreamHandle stream) {
    add(
        List.of(writes(destination, count * Long.BYTES)),
        (sink, to) -> sink.fill64Async(now(destination), half, count, to));
  }

  /** The driver cannot change a strided fill, as binding an input does. */
  @Override
  public boolean canFillStrided(long destination) {
    return bindings.inputAt(destination) < 0;
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    add(
        List.of(writes(destination, (count - 1) * pitch + Integer.BYTES)),
        (sink, to) -> sink.fill32StridedAsync(now(destination), pitch, value, count, to));
  }

  private long now(long address) {
    return bindings.translate(address);
  }

  private static Range reads(long address, long bytes) {
    return new Range(Range.IN_CALL, address, bytes, false);
  }

  private static Range writes(long address, long bytes) {
    return new Range(Range.IN_CALL, address, bytes, true);
  }

  @Override
  public String toString() {
    return name;
  }
}
