package dev.streamfence.internal.trace;

import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.jfr.FlightReader;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedWork;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link Trace}. Thread-safe: {@code this} guards what it keeps. */
public final class RecordedTrace implements Trace {
  /** One piece of work, and when the device has carried it out as soon as that is known. */
  static final class Entry {
    private final TracedWork work;
    private volatile @Nullable TraceSpan execution;

    private Entry(TracedWork work) {
      this.work = work;
      this.execution = work.execution();
    }

    void executed(TraceSpan span) {
      execution = span;
    }

    /** The work with its execution, and with the names of what it comes after. */
    private TracedWork completed(List<Entry> known, EarlierWork earlier) {
      List<TracedDependency> named =
          work.dependencies().stream()
              .map(each -> named(each, earlier.find(work, each), known))
              .toList();
      return work.completed(named, execution);
    }

    private static TracedDependency named(TracedDependency each, int position, List<Entry> known) {
      return position < 0 ? each : each.on(known.get(position).work);
    }
  }

  private record MemoryChange(String device, long nanos, long change, String tag, int stream) {}

  private final int capacity;
  private final long beganAt = System.nanoTime();
  private final Deque<Entry> entries = new ArrayDeque<>();
  private final Deque<MemoryChange> changes = new ArrayDeque<>();
  private final Deque<TracedPressure> pressure = new ArrayDeque<>();

  /** The sum of the changes of memory that were forgotten, per device. */
  private final Map<String, Long> before = new HashMap<>();

  private long forgotten;

  /** What fetches the times of finished work. */
  private final Set<Runnable> sources = new CopyOnWriteArraySet<>();

  /**
   * A trace without work.
   *
   * @throws IllegalArgumentException if it would keep less than 1 piece
   */
  public RecordedTrace(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "a trace of " + capacity + " pieces of work; it keeps at least 1");
    }
    this.capacity = capacity;
  }

  /** The trace in a file of JDK Flight Recorder. */
  public static RecordedTrace ofFlightRecording(Path file) {
    if (!FlightEvents.isPresent()) {
      throw new UnsupportedOperationException(
          file + " cannot be read: this Java run-time image has no module jdk.jfr");
    }
    FlightReader.Recorded recorded = FlightReader.read(file);
    RecordedTrace trace = new RecordedTrace(Integer.MAX_VALUE);
    recorded.works().forEach(trace::add);
    recorded.memory().forEach(trace::add);
    recorded.pressure().forEach(trace::add);
    return trace;
  }

  /** The host's clock at the beginning of the trace. */
  long beganAt() {
    return beganAt;
  }

  /** Asks for the times of finished work before the trace is read, until {@link #remove}. */
  public void add(Runnable source) {
    sources.add(source);
  }

  /** Takes {@link #add(Runnable)} back. */
  public void remove(Runnable source) {
    sources.remove(source);
  }

  synchronized Entry add(TracedWork work) {
    Entry entry = new Entry(work);
    if (entries.size() == capacity) {
      entries.removeFirst();
      forgotten++;
    }
    entries.addLast(entry);
    return entry;
  }

  synchronized void add(TracedPressure ended) {
    if (pressure.size() == capacity) {
      pressure.removeFirst();
      forgotten++;
    }
    pressure.addLast(ended);
  }

  synchronized void noteForgotten() {
    forgotten++;
  }

  void addMemory(String device, long at, long change, String tag, int stream) {
    add(new MemoryChange(device, at - beganAt, change, tag, stream));
  }

  private void add(TracedMemory change) {
    add(
        new MemoryChange(
            change.device(), change.nanos(), change.change(), change.tag(), change.stream()));
  }

  private synchronized void add(MemoryChange change) {
    if (changes.size() == capacity) {
      MemoryChange oldest = changes.removeFirst();
      before.merge(oldest.device(), oldest.change(), Long::sum);
    }
    changes.addLast(change);
  }

  @Override
  public List<TracedWork> works() {
    sources.forEach(Runnable::run);
    List<Entry> known;
    synchronized (this) {
      known = new ArrayList<>(entries);
    }
    // Threads add their work after they have left the stream.
    known.sort(Comparator.comparingLong(entry -> entry.work.submission().startNanos()));
    EarlierWork earlier = new EarlierWork(known.stream().map(entry -> entry.work).toList());
    return known.stream().map(entry -> entry.completed(known, earlier)).toList();
  }

  @Override
  public List<TracedMemory> memory() {
    List<TracedMemory> memory = new ArrayList<>();
    synchronized (this) {
      Map<String, Long> live = liveAtFirst();
      for (MemoryChange each : changes) {
        memory.add(
            new TracedMemory(
                each.device(),
                each.nanos(),
                each.change(),
                live.merge(each.device(), each.change(), Long::sum),
                each.tag(),
                each.stream()));
      }
    }
    return List.copyOf(memory);
  }

  @Override
  public List<TracedPressure> pressure() {
    List<TracedPressure> known;
    synchronized (this) {
      known = new ArrayList<>(pressure);
    }
    // Each is added at its end.
    known.sort(Comparator.comparingLong(each -> each.span().startNanos()));
    return List.copyOf(known);
  }

  /**
   * The bytes of open arrays before the first change that it has, per device. A recording that
   * begins late has the frees of arrays whose allocations it lacks: there were at least these.
   */
  private Map<String, Long> liveAtFirst() {
    Map<String, Long> live = new HashMap<>(before);
    Map<String, Long> least = new HashMap<>();
    for (MemoryChange each : changes) {
      long now = live.merge(each.device(), each.change(), Long::sum);
      least.merge(each.device(), now, Math::min);
    }
    Map<String, Long> first = new HashMap<>(before);
    least.forEach((device, bytes) -> first.merge(device, -Math.min(0, bytes), Long::sum));
    return first;
  }

  @Override
  public synchronized long forgotten() {
    return forgotten;
  }

  @Override
  public synchronized void clear() {
    forgotten += entries.size() + pressure.size();
    entries.clear();
    pressure.clear();
    changes.forEach(each -> before.merge(each.device(), each.change(), Long::sum));
    changes.clear();
  }

  @Override
  public String explain() {
    return Explanation.of(works(), pressure(), forgotten());
  }

  @Override
  public void writeHtml(Path file) {
    TraceFile.write(file, new TimelinePage(works(), memory(), pressure(), forgotten())::writeTo);
  }

  @Override
  public void writeChromeJson(Path file) {
    TraceFile.write(file, new ChromeTrace(works(), memory(), pressure())::writeTo);
  }

  @Override
  public String toString() {
    synchronized (this) {
      return "trace of " + entries.size() + " pieces of work, " + forgotten + " forgotten";
    }
  }
}
