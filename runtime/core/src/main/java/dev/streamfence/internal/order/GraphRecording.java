// Long because a graph takes every kind of work, and each is a call of its own.
package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.order.RecordedNode.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The graph that a body builds: instead of being put on a stream, each piece of work becomes a node
 * behind the nodes that it depends on. The same rules as on streams decide that: a use comes after
 * the last write of its memory, and a write also after the reads since then. Edges that others
 * imply are left out.
 *
 * <p>Holds all memory that is used. Confined to the thread that runs the body, and to the holder of
 * the graph's lock afterwards.
 */
public final class GraphRecording implements Sink {
  private static final long FRAME_BYTES = 64 << 10;

  /**
   * An edge that no other edges imply. Immutable.
   *
   * @param reasons why there is one, such as "saxpy writes y, reduce reads it"
   */
  public record Edge(int from, int to, List<String> reasons) {}

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

  /** The uses of some memory by the nodes so far. */
  private static final class StateUses {
    private @Nullable NodeUse lastWrite;
    private final List<NodeUse> readsSince = new ArrayList<>(2);
    private boolean reads;
    private boolean writes;
    private AttemptedUse use;

    private StateUses(AttemptedUse use) {
      this.use = use;
    }
  }

  private record NodeUse(int node, boolean writes, String memory) {}

  /**
   * A node while edges are found. Each node continues the path of one that it comes after, or
   * begins a path; what comes before it is one position per path.
   */
  private static final class Place {
    private final int path;
    private final int position;
    private final int[] before;

    private Place(int path, int position, int[] before) {
      this.path = path;
      this.position = position;
      this.before = before;
    }
  }

  private final String name;
  private final HostMemoryPool memory;
  private final GraphBindings bindings = new GraphBindings();
  private final List<RecordedNode> nodes = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<Integer> lastOfPath = new ArrayList<>();
  private final List<Edge> edges = new ArrayList<>();
  private final Map<HazardState, StateUses> states = new HashMap<>();
  private final List<HazardState> held = new ArrayList<>();
  private final List<HostMemory> frames = new ArrayList<>();
  private final Set<Runnable> checks = new LinkedHashSet<>();
  private final List<Consumer<Teardown>> owned = new ArrayList<>();
  private final List<Runnable> closes = new ArrayList<>();
  private final Set<Timeline> untracked = new LinkedHashSet<>();
  private long frameOffset;
  private int impliedEdges;
  private boolean isSealed;

  // Of the work that is being recorded.
  private @Nullable Submission current;
  private final TreeMap<Integer, List<String>> needed = new TreeMap<>();
  private int first;

  /**
   * Begins a graph without nodes.
   *
   * @param name the graph, for errors, such as {@code graph 'step'}
   */
  public GraphRecording(String name, HostMemoryPool memory) {
    this.name = name;
    this.memory = memory;
  }

  /** The nodes so far. */
  public List<RecordedNode> nodes() {
    return nodes;
  }

  /** The edges so far. */
  public List<Edge> edges() {
    return edges;
  }

  /** How many edges were left out, because others imply them. */
  public int impliedEdges() {
    return impliedEdges;
  }

  /** What stands for its inputs. */
  public GraphBindings bindings() {
    return bindings;
  }

  /** What has to be asked before each run. */
  public List<Runnable> checks() {
    return List.copyOf(checks);
  }

  /** Adds an array that the graph closes at its end. */
  public void closeAtEnd(Runnable close) {
    closes.add(close);
  }

  /** Adds what the graph has until its end, and what nothing orders with its runs. */
  public void own(Consumer<Teardown> close) {
    owned.add(close);
  }

  /** Says that runs come after what a stream was given without a ticket. */
  public void comeAfter(Timeline timeline) {
    untracked.add(timeline);
  }

  /** Waits for what streams were given without a ticket. */
  public void awaitUntracked() {
    for (Timeline timeline : untracked) {
      timeline.pool().driver().synchronizeStream(timeline.stream());
    }
    untracked.clear();
  }

  /** What the graph uses, in the order of the locks. */
  public List<TotalUse> totalUses() {
    List<TotalUse> all = new ArrayList<>();
    states.forEach(
        (state, uses) -> {
          // What a launch of no threads uses is held, and otherwise of no interest.
          if (uses.reads || uses.writes) {
            all.add(new TotalUse(state, uses.reads, uses.writes, uses.use));
          }
        });
    all.sort(Comparator.comparingLong(total -> total.state().generation()));
    return all;
  }

  /** Says that its code has returned: nothing is recorded any more. */
  public void seal() {
    isSealed = true;
  }

  private void requireNotSealed(AttemptedUse use) {
    if (isSealed) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          use,
          " was begun in the code of " + name + ", which has returned; begin it again");
    }
  }

  /** Forgets what only the body needs. */
  public void end() {
    places.clear();
    lastOfPath.clear();
    states.clear();
  }

  /** The exception for an operation that cannot be a node. */
  public StreamMisuseException refusal(AttemptedUse use) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.INSIDE_GRAPH,
        use,
        " in the body of "
            + name
            + ", which records launches, fills, copies and transfers with pinned arrays; do it"
            + " outside of the body");
  }

  /**
   * Keeps memory that is to be bound.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  public void keep(HazardState bound) {
    HazardState whole = bound.outermost();
    whole.hold(name);
    held.add(whole);
  }

  /** Takes one {@link #hold} or {@link #keep} back. */
  public void dismiss(HazardState kept) {
    HazardState whole = kept.outermost();
    held.remove(whole);
    endHold(whole);
  }

  private static void endHold(HazardState state) {
    Runnable free = state.endHold();
    if (free != null) {
      free.run();
    }
  }

  /** Whether it has memory that is not freed in the order of streams, but at once. */
  public boolean ownsUnordered() {
    return !owned.isEmpty();
  }

  /**
   * Releases everything that the graph has; nothing {@link #ownsUnordered unordered} is in use.
   *
   * @param isLost whether the device is lost, and has taken its memory along
   */
  public void release(Teardown teardown, boolean isLost) {
    if (isLost) {
      untracked.clear();
      owned.clear();
    }
    teardown.step(this::awaitUntracked);
    closes.forEach(teardown::step);
    closes.clear();
    // Not forgotten: what the driver refuses is freed by the next call.
    owned.forEach(close -> teardown.step(() -> close.accept(teardown)));
    for (HostMemory frame : frames) {
      teardown.step(() -> memory.giveBack(frame));
    }
    frames.clear();
    for (HazardState state : held) {
      teardown.step(() -> endHold(state));
    }
    held.clear();
  }

  /**
   * Begins a piece of work: finds the nodes that it comes after.
   *
   * @throws dev.streamfence.UseAfterFreeException if memory is closed; nothing is recorded then
   * @throws dev.streamfence.StreamMisuseException if memory is split, or read-only and written
   */
  void begin(Submission submission, Uses uses) {
    UseLabels labels = submission.labels();
    requireNotSealed(labels.work());
    for (int i = 0; i < uses.count(); i++) {
      uses.get(i).requireUsableInGraph(labels);
    }
    for (int i = 0; i < uses.count(); i++) {
      hold(uses.get(i).state());
    }
    current = submission;
    needed.clear();
    first = nodes.size();
    for (int i = 0; i < uses.count(); i++) {
      collect(uses.get(i), labels);
    }
  }

  /**
   * Keeps some memory, and what it is a part of, until the graph ends.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  public void hold(HazardState state) {
    if (!states.containsKey(state)) {
      keep(state);
      states.put(state, new StateUses(AttemptedUse.of(name)));
    }
  }

  private void collect(Use use, UseLabels labels) {
    StateUses earlier = requireNonNull(states.get(use.state()));
    String act = labels.facts().name() + (use.writes() ? " writes it" : " reads it");
    if (use.writes()) {
      earlier.readsSince.forEach(read -> need(read, act));
    }
    if (earlier.lastWrite != null) {
      need(earlier.lastWrite, act);
    }
  }

  private void need(NodeUse earlier, String act) {
    String reason =
        nodes.get(earlier.node()).facts().name()
            + (earlier.writes() ? " writes " : " reads ")
            + earlier.memory()
            + ", "
            + act;
    List<String> reasons = needed.computeIfAbsent(earlier.node(), node -> new ArrayList<>(1));
    if (!reasons.contains(reason)) {
      reasons.add(reason);
    }
  }

  /**
   * Ends a piece of work: later ones come after the nodes that it has made, all of them or, if it
   * has failed, some. Without a node, it uses nothing.
   */
  void end(Uses uses) {
    if (current != null && nodes.size() > first) {
      UseLabels labels = current.labels();
      for (int i = 0; i < uses.count(); i++) {
        register(uses.get(i), nodes.size() - 1, labels);
      }
    }
    current = null;
  }

  private void register(Use use, int node, UseLabels labels) {
    StateUses uses = requireNonNull(states.get(use.state()));
    boolean isExposed = use.reads() && !uses.writes;
    if ((isExposed && !uses.reads) || (!uses.reads && !uses.writes)) {
      AttemptedUse attempted = labels.use(use.reads() ? use.label() : use.writeLabel());
      uses.use =
          new AttemptedUse(
              attempted.kernel(), attempted.parameter(), name + ": " + attempted.inWords());
    }
    uses.reads |= isExposed;
    NodeUse added = new NodeUse(node, use.writes(), memory(use, labels));
    if (use.writes()) {
      uses.writes = true;
      uses.lastWrite = added;
      uses.readsSince.clear();
    } else {
      uses.readsSince.add(added);
    }
  }

  private static String memory(Use use, UseLabels labels) {
    String parameter = labels.use(use.writes() ? use.writeLabel() : use.label()).parameter();
    return parameter.isEmpty() ? use.state().tag() : parameter;
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
    add(
        ranges,
        declared,
        numbers,
        (sink, stream) -> {
          RecordedNode.write(ranges, bindings, launch.parameters());
          sink.launchKernel(launch.stream(stream));
        });
  }

  /**
   * Memory for the arguments of a launch, which lasts as long as the graph.
   *
   * @throws CudaDriverException if there is none left
   */
  public HostMemory frame(long bytes) {
    requireNotSealed(requireCurrent().labels().work());
    HostMemory last = frames.isEmpty() ? null : frames.get(frames.size() - 1);
    if (last == null || frameOffset + bytes > last.sizeInBytes()) {
      try {
        last = memory.take(Math.max(FRAME_BYTES, bytes));
      } catch (CudaDriverException e) {
        throw e.during("allocating memory for the arguments of " + name);
      }
      frames.add(last);
      frameOffset = 0;
    }
    HostMemory frame = last.slice(frameOffset, bytes);
    frameOffset += bytes;
    return frame;
  }

  private void add(List<Range> ranges, RecordedNode.Call call) {
    add(ranges, List.of(), null, call);
  }

  private void add(
      List<Range> ranges,
      List<LaunchObserver.Use> declared,
      RecordedNode.@Nullable Numbers numbers,
      RecordedNode.Call call) {
    Submission work = requireCurrent();
    requireNotSealed(work.labels().work());
    int node = nodes.size();
    nodes.add(
        new RecordedNode(
            node,
            work.labels().facts(),
            work.labels().facts().name() + " in " + name,
            work.timeline(),
            node == first ? orderFirst() : orderAfter(node - 1),
            ranges,
            declared,
            bindings,
            numbers,
            call));
  }

  /** Orders the first node of a piece of work after all that it needs. */
  private int[] orderFirst() {
    int node = nodes.size();
    int[] before = {};
    for (int earlier : needed.keySet()) {
      before = later(before, places.get(earlier).before);
    }
    List<Integer> kept = new ArrayList<>();
    for (Map.Entry<Integer, List<String>> each : needed.entrySet()) {
      Place place = places.get(each.getKey());
      if (place.path < before.length && before[place.path] >= place.position) {
        impliedEdges++;
      } else {
        kept.add(each.getKey());
        edges.add(new Edge(each.getKey(), node, List.copyOf(each.getValue())));
      }
    }
    return order(kept, before);
  }

  /** Orders a further node of a piece of work after the one before. */
  private int[] orderAfter(int previous) {
    edges.add(new Edge(previous, previous + 1, List.of("both are parts of one operation")));
    return order(List.of(previous), places.get(previous).before);
  }

  private int[] order(List<Integer> after, int[] beforeThem) {
    int node = places.size();
    int[] before = beforeThem;
    int path = lastOfPath.size();
    for (int earlier : after) {
      Place place = places.get(earlier);
      if (before.length <= place.path) {
        before = Arrays.copyOf(before, place.path + 1);
      } else if (before == beforeThem) {
        before = beforeThem.clone();
      }
      before[place.path] = place.position;
      if (lastOfPath.get(place.path) == earlier) {
        path = place.path;
      }
    }
    if (path == lastOfPath.size()) {
      lastOfPath.add(node);
    }
    lastOfPath.set(path, node);
    places.add(new Place(path, path < before.length ? before[path] + 1 : 1, before));
    return after.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The maximum of two sets of positions. */
  private static int[] later(int[] one, int[] other) {
    int[] merged = Arrays.copyOf(one, Math.max(one.length, other.length));
    for (int i = 0; i < other.length; i++) {
      merged[i] = Math.max(merged[i], other[i]);
    }
    return merged;
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
  public void fill8Async(long destination, byte value, long count, StreamHandle stream) {
    add(
        List.of(writes(destination, count)),
        (sink, to) -> sink.fill8Async(now(destination), value, count, to));
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle stream) {
    add(
        List.of(writes(destination, count * Short.BYTES)),
        (sink, to) -> sink.fill16Async(now(destination), value, count, to));
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle stream) {
    add(
        List.of(writes(destination, count * Integer.BYTES)),
        (sink, to) -> sink.fill32Async(now(destination), value, count, to));
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
