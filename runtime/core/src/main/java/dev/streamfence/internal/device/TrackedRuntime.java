// Long because it ties order, memory and launch together; most methods are a line or two.
package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceHealth.OverdueWork;
import dev.streamfence.DeviceHealth.State;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DriverObjects;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.completion.CompletionWatcher;
import dev.streamfence.internal.completion.DownloadMemory;
import dev.streamfence.internal.completion.TrackedCompletion;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.memory.AdoptedMemory;
import dev.streamfence.internal.memory.MemoryOwners;
import dev.streamfence.internal.memory.PeerAccess;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.pressure.WaitingTasks;
import dev.streamfence.internal.trace.RecordedTrace;
import dev.streamfence.internal.trace.WorkTracer;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.internal.transfer.PeerCopies;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.Trace;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceRuntime}. */
public final class TrackedRuntime implements DeviceRuntime {
  private static final AtomicLong OPENED = new AtomicLong();

  private final long number = OPENED.incrementAndGet();
  private final CudaDriver driver;
  private final boolean simulated;
  private final boolean shared;
  private final RuntimeOptions options;
  private final @Nullable RecordedTrace trace;
  private final WorkTracer tracer;
  private final Runnable refreshTimes = this::refreshTimes;
  private final StreamPool pool;
  private final MemoryStack stack;
  private final AdoptedMemory adopted;
  private final OpenArrays arrays;
  private final DeviceCopies copies;
  private final PeerAccess peerAccess;
  private final PeerCopies peerCopies;
  private final PinnedBytes pinned;
  private final DownloadMemory downloads;
  private final TrackedStreams streams;
  private final TrackedMemory memory;
  private final WaitingTasks tasks;
  private final SpilledArrays spills;
  private final Attachments attachments = new Attachments(this);
  private final CompletionWatcher watcher;
  private final @Nullable Watchdog watchdog;
  private final Executor later = executor("returns to ");

  /** Runs other code, which may block it. */
  private final Executor callsOfOthers = executor("calls by ");

  private final LongAdder abandonedLaunches = new LongAdder();
  private final RuntimeClosing closing;

  TrackedRuntime(Opening opening) {
    this.driver = opening.driver();
    this.simulated = opening.simulated();
    this.shared = opening.shared();
    this.options = opening.options();
    this.trace = (RecordedTrace) options.trace().orElse(null);
    this.tracer = new WorkTracer(toString(), driver, trace, options.deviceTimes());
    this.pool =
        new StreamPool(
            driver, options.streams(), options.orderingVisibleToTools(), tracer, this::toString);
    this.stack = new MemoryStack(pool, options, tracer, opening.backend(), opening.share());
    this.adopted =
        new AdoptedMemory(
            pool, options.traceAllocations(), stack::overlapping, new CallsOfOwners());
    this.arrays =
        new OpenArrays(
            stack.budget(),
            stack::open,
            adopted,
            stack.freeHoldsUp(),
            pool.life(),
            driver.sticky());
    this.copies = opening.copies().apply(pool);
    this.peerAccess = new PeerAccess(driver);
    this.peerCopies = new PeerCopies(pool, peerAccess);
    this.pinned = new PinnedBytes(driver, pool.life(), options.traceAllocations());
    this.downloads = new DownloadMemory(pool.hostMemory(), options.downloadMemoryInBytes());
    this.streams = new TrackedStreams(this, pool);
    this.memory = new TrackedMemory(this, stack, arrays);
    this.spills =
        new SpilledArrays(
            options.spillMemoryInBytes(),
            options.spillFolder(),
            memory::signalRoom,
            tracer,
            driver.sticky(),
            arrays::loseSpilled);
    this.tasks = new WaitingTasks(stack.budget(), this::requireUsable, spills::idleBytes, tracer);
    this.watcher = new CompletionWatcher("completions of " + this);
    this.watchdog =
        options
            .watchdogLimit()
            .map(
                limit ->
                    new Watchdog(
                        "watchdog of " + this, limit, () -> overdue(limit, true), this::report))
            .orElse(null);
    this.closing =
        new RuntimeClosing(this, stack, arrays, attachments, this::stopObserving, callsOfOthers);
  }

  /** Begins to measure and to watch, if the options ask for that. Called once, by the opener. */
  void start() {
    if (options.deviceTimes()) {
      tracer.start(pool.defaultTimeline());
      if (trace != null) {
        trace.add(refreshTimes);
      }
    }
    if (watchdog != null) {
      watchdog.start();
    }
  }

  private void stopObserving(Teardown teardown) {
    teardown.step(() -> tracer.close(teardown));
    if (trace != null) {
      trace.remove(refreshTimes);
    }
    if (watchdog != null) {
      watchdog.close();
    }
  }

  /** Closes a runtime that could not be opened. */
  void closeAfter(Throwable failure) {
    try {
      closing.close();
    } catch (Throwable e) {
      Suppressed.add(failure, e);
    }
  }

  @Override
  public DeviceInfo info() {
    return driver.properties();
  }

  @Override
  public boolean isSimulated() {
    return simulated;
  }

  @Override
  public boolean canAccess(DeviceRuntime other) {
    Objects.requireNonNull(other, "other");
    return canAccess(
        (TrackedRuntime) other,
        () -> "asking whether " + this + " can access the memory of " + other);
  }

  @Override
  public TrackedStreams streams() {
    return streams;
  }

  @Override
  public TrackedMemory memory() {
    return memory;
  }

  @Override
  public RuntimeStatistics statistics() {
    DriverCalls counts = driver.calls();
    return new RuntimeStatistics(
        counts.of(DriverCall.LAUNCH_KERNEL) + counts.of(DriverCall.LAUNCH_COOPERATIVE_KERNEL),
        counts.of(DriverCall.LAUNCH_GRAPH),
        counts.succeeded(DriverCall.CREATE_GRAPH),
        counts.of(DriverCall.UPDATE_KERNEL_NODE)
            + counts.of(DriverCall.UPDATE_COPY_NODE)
            + counts.of(DriverCall.UPDATE_FILL_NODE),
        abandonedLaunches.sum(),
        counts.total(),
        counts.of(DriverCall.WAIT_FOR_EVENT),
        counts.of(DriverCall.RECORD_EVENT),
        memory.statistics(),
        pool.statistics(),
        new DriverObjects(
            live(DriverCall.CREATE_STREAM, DriverCall.DESTROY_STREAM),
            live(DriverCall.CREATE_EVENT, DriverCall.DESTROY_EVENT),
            live(DriverCall.LOAD_MODULE, DriverCall.UNLOAD_MODULE),
            live(DriverCall.ALLOCATE_HOST, DriverCall.FREE_HOST),
            live(DriverCall.CREATE_GRAPH, DriverCall.DESTROY_GRAPH)));
  }

  private long live(DriverCall create, DriverCall destroy) {
    // In this order: what is created and destroyed in between never makes the number negative.
    long destroyed = driver.calls().succeeded(destroy);
    return driver.calls().succeeded(create) - destroyed;
  }

  @Override
  public Trace trace() {
    if (trace == null) {
      throw new IllegalStateException(
          this + " was opened without a trace; open it with RuntimeOptions.withTrace");
    }
    return trace;
  }

  @Override
  public List<KernelTime> kernelTimes() {
    refreshTimes();
    return tracer.kernelTimes();
  }

  @Override
  public DeviceHealth health() {
    CudaDriverException fault = driver.sticky().error();
    if (fault == null && pool.life().tryEnter()) {
      try {
        // Also where no stream has work: other code of the process may have lost the device.
        driver.memoryInfo();
        pool.askAll();
      } catch (CudaDriverException e) {
        fault = e.during("asking for the health of " + this);
      } finally {
        pool.life().leave();
      }
    }
    if (!isOpen()) {
      return new DeviceHealth(State.CLOSED, fault, List.of());
    }
    if (fault != null && driver.sticky().error() != null) {
      return new DeviceHealth(State.LOST, fault, List.of());
    }
    List<OverdueWork> overdue =
        options.watchdogLimit().map(limit -> overdue(limit, false)).orElse(List.of());
    return new DeviceHealth(overdue.isEmpty() ? State.HEALTHY : State.OVERDUE, fault, overdue);
  }

  private List<OverdueWork> overdue(Duration limit, boolean isNewAlone) {
    if (!pool.life().tryEnter()) {
      return List.of();
    }
    try {
      return tracer.overdue(limit, isNewAlone);
    } finally {
      pool.life().leave();
    }
  }

  private void report(OverdueWork work) {
    FlightEvents.overdue(work);
    LogTopic.WATCHDOG.warn(
        work.work() + " of " + this + " has been running for " + work.running().toMillis() + " ms");
  }

  private void refreshTimes() {
    if (pool.life().tryEnter()) {
      try {
        tracer.refresh();
      } finally {
        pool.life().leave();
      }
    }
  }

  @Override
  public void synchronize() {
    pool.life().enter();
    try {
      pool.life().requireNotRecording(() -> "synchronizing " + this);
      memory.releasePostponed();
      pool.synchronizeAll("synchronizing " + this);
      tracer.refresh();
    } finally {
      pool.life().leave();
    }
  }

  @Override
  public boolean synchronize(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    pool.life().enter();
    try {
      pool.life().requireNotRecording(() -> "synchronizing " + this);
      memory.releasePostponed();
    } finally {
      pool.life().leave();
    }
    return pool.synchronizeAll(deadline);
  }

  @Override
  public boolean isOpen() {
    return pool.life().isOpen();
  }

  @Override
  public void close() {
    requireMayClose();
    closing.close();
  }

  @Override
  public boolean close(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    requireMayClose();
    return closing.closeUntil(deadline);
  }

  /** Refuses a wait by a thread for whose launch others may wait. */
  void requireMayWait(String what) {
    if (!pool.life().mayWait()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          what + " inside of a launch or a call of this thread; end that first");
    }
  }

  private void requireMayClose() {
    if (shared) {
      throw new IllegalStateException(
          this + " is shared by the whole process and stays open; open one to close it");
    }
    if (pool.life().isEntered()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          this
              + " is closed by a thread that is inside of one of its operations or has a launch"
              + " open on it; end that first");
    }
  }

  /** The completion of the work with a ticket of a stream. */
  public TrackedCompletion completion(Timeline timeline, long ticket, String purpose) {
    return new TrackedCompletion(watcher, timeline, ticket, purpose);
  }

  private final class CallsOfOwners implements MemoryOwners.OwnerCalls {
    @Override
    public void outside(Runnable call) {
      pool.life().callOutside(call);
    }

    @Override
    public void elsewhere(Runnable call) {
      callsOfOthers.execute(
          () -> {
            // The thread that closes the runtime calls the owners that were not called: it may hold
            // what they wait for.
            if (isOpen()) {
              call.run();
            }
          });
    }

    @Override
    public void whenDone(Timeline timeline, long ticket, Runnable action) {
      completion(timeline, ticket, "the last use of adopted memory")
          .stage()
          .whenComplete(
              (done, failure) -> {
                if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
                  driver.sticky().swallowed(wrapped.getCause());
                }
                if (failure == null || !isOpen() || driver.sticky().error() != null) {
                  action.run();
                } else {
                  // The question failed, not the work: the close of the runtime releases it.
                  warn(
                      LogTopic.CALLBACKS,
                      "the owner of adopted memory is called back late: " + failure);
                }
              });
    }
  }

  private Executor executor(String purpose) {
    return new ThreadPoolExecutor(
        0,
        1,
        1,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        run -> {
          Thread thread = new Thread(run, purpose + this);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Counts and logs a launch that was neither committed nor refused after its preflight. */
  public void noteAbandoned(String purpose) {
    abandonedLaunches.increment();
    warn(
        LogTopic.LAUNCHES,
        purpose + " was closed between preflight and commit; its arrays count as used by it");
  }

  /** Logs a warning once the calling thread is outside of the runtime. */
  public void warn(LogTopic topic, String fact) {
    pool.life().callOutside(() -> topic.warn(fact));
  }

  /** The options that it was opened with, and whether it has a caching pool. */
  public RuntimeOptions options() {
    return options;
  }

  /** The driver, whose direct calls the runtime does not track. */
  public CudaDriver driver() {
    return driver;
  }

  /** The page-locked memory of the device. */
  public HostMemoryPool hostMemory() {
    return pool.hostMemory();
  }

  /** The device's sticky error, if it had one. */
  public StickyError sticky() {
    return driver.sticky();
  }

  /**
   * An object that another package keeps per runtime, created at the first call, and closed with
   * the runtime before its streams.
   *
   * @param type identifies the object
   */
  public <T extends AutoCloseable> T attachment(
      Class<T> type, Function<TrackedRuntime, T> factory) {
    return attachments.get(type, factory);
  }

  /**
   * Refuses an operation that waits for other threads, if this thread has a launch open.
   *
   * @param act the operation, for errors
   */
  public void requireOutsideLaunch(String act) {
    if (!pool.mayWaitForOthers()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          act + " inside of a launch of this thread; close that first");
    }
  }

  /** Waits for every submission that is open, and then for all work of the device. */
  public void awaitAllWork(String purpose) {
    pool.awaitSubmissions();
    pool.synchronizeAll(purpose);
  }

  /** Tables of addresses for the kernels of a stream, paid for like arrays. */
  public AddressTables addressTables(Timeline timeline) {
    return new AddressTables(timeline, stack.budget(), () -> stack.makeRoomWithin(timeline));
  }

  private void requireUsable() {
    pool.life().requireOpen();
    driver.sticky().check();
  }

  WaitingTasks tasks() {
    return tasks;
  }

  SpilledArrays spills() {
    return spills;
  }

  AdoptedMemory adopted() {
    return adopted;
  }

  DownloadMemory downloads() {
    return downloads;
  }

  PinnedBytes pinned() {
    return pinned;
  }

  DeviceCopies copies() {
    return copies;
  }

  /** Whether arrays can be copied between the two. */
  boolean isPeerOf(TrackedRuntime other) {
    return driver.isPeer(other.driver.context());
  }

  /** Does the same for work, which errors of the driver then name. */
  public boolean canAccess(TrackedRuntime other, UseLabels labels) {
    life().enter();
    try {
      other.life().enter();
      try {
        return peerAccess.isOn(other.driver);
      } finally {
        other.life().leave();
      }
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    } finally {
      life().leave();
    }
  }

  /** Copies memory of this runtime to that of another one. */
  void copyTo(TrackedRuntime other, Region source, Timeline timeline, Region target) {
    other.peerCopies.copy(pool, source, timeline, target);
  }

  /** Its streams. */
  public StreamPool pool() {
    return pool;
  }

  /** Whether it is open, and which threads are using it. */
  public Life life() {
    return pool.life();
  }

  void release(Timeline timeline) {
    if (pool.life().tryEnter()) {
      try {
        pool.release(timeline);
      } finally {
        pool.life().leave();
      }
    }
  }

  /** Adopts a stream, see {@link StreamPool#adopt}. */
  Timeline adopt(long rawHandle) {
    return pool.adopt(rawHandle);
  }

  /** Whether a free may wait for the device. */
  boolean freeWaits() {
    return stack.freeWaits();
  }

  /** Whether a free may wait for the device, or for code of the user. */
  boolean freeHoldsUp() {
    return stack.freeHoldsUp();
  }

  /** Runs what a thread of other code must not wait for, one after another. */
  Executor later() {
    return later;
  }

  void giveBack(Timeline timeline) {
    if (pool.life().tryEnter()) {
      try {
        pool.giveBack(timeline);
      } finally {
        pool.life().leave();
      }
    }
  }

  @Override
  public String toString() {
    DeviceProperties properties = driver.properties();
    return properties.name() + " (device " + properties.ordinal() + ", runtime " + number + ")";
  }
}
