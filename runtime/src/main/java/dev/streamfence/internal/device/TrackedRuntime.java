// Long because it ties order, memory and launch together; most methods are a line or two.
package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.CallCounts;
import dev.streamfence.internal.driver.CheckedDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.memory.AdoptedMemory;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.DeviceCopies;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.DriverCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceRuntime}. */
public final class TrackedRuntime implements DeviceRuntime {
  private static final AtomicLong OPENED = new AtomicLong();
  private final long number = OPENED.incrementAndGet();
  private final CheckedDriver driver;
  private final boolean simulated;
  private final boolean shared;
  private final RuntimeOptions options;
  private final StreamPool pool;
  private final MemoryStack stack;
  private final AdoptedMemory adopted;
  private final OpenArrays arrays;
  private final DeviceCopies copies;
  private final PinnedBytes pinned;
  private final DownloadMemory downloads;
  private final TrackedStreams streams;
  private final TrackedMemory memory;
  private final Attachments attachments = new Attachments(this);
  private final CompletionWatcher watcher;
  private final ThreadPoolExecutor later =
      new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);
  private final LongAdder abandonedLaunches = new LongAdder();

  /** Used only by the closing thread. */
  private final Teardown teardown = new Teardown();

  TrackedRuntime(Opening opening) {
    this.driver = new CheckedDriver(opening.driver());
    this.simulated = opening.simulated();
    this.shared = opening.shared();
    this.options = opening.options();
    this.pool = new StreamPool(driver, options.streams(), this::toString);
    this.stack = new MemoryStack(pool, options, opening.backend());
    this.adopted = new AdoptedMemory(pool, options.traceAllocations(), stack::live, this::whenDone);
    this.arrays = new OpenArrays(stack.budget(), adopted, freeWaits(), pool.life());
    this.copies = opening.copies().apply(pool);
    this.pinned = new PinnedBytes(driver, pool.life());
    this.downloads = new DownloadMemory(driver);
    this.streams = new TrackedStreams(this, pool);
    this.memory = new TrackedMemory(this, stack, arrays);
    this.watcher = new CompletionWatcher("completions of " + this);
  }

  @Override
  public DeviceInfo info() {
    return driver.properties();
  }

  @Override
  public String deviceName() {
    return driver.properties().name();
  }

  @Override
  public boolean isSimulated() {
    return simulated;
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
    CallCounts counts = driver.counts();
    return new RuntimeStatistics(
        counts.of(DriverCall.LAUNCH_KERNEL) + counts.of(DriverCall.LAUNCH_COOPERATIVE_KERNEL),
        abandonedLaunches.sum(),
        counts.total(),
        counts.of(DriverCall.WAIT_FOR_EVENT),
        counts.of(DriverCall.RECORD_EVENT),
        memory.bytesOutstanding(),
        memory.statistics());
  }

  @Override
  public void synchronize() {
    pool.life().enter();
    try {
      pool.synchronizeAll("synchronizing " + this);
    } finally {
      pool.life().leave();
    }
  }

  @Override
  public boolean synchronize(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    pool.life().requireOpen();
    return pool.synchronizeAll(deadline);
  }

  @Override
  public boolean isOpen() {
    return pool.life().isOpen();
  }

  @Override
  public void close() {
    requireMayClose();
    try {
      if (pool.life().beginClosing(null)) {
        closeUntil(null);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("a wait without a deadline ends with what it waits for", e);
    }
  }

  @Override
  public boolean close(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    requireMayClose();
    return pool.life().beginClosing(deadline) ? closeUntil(deadline) : pool.life().isClosed();
  }

  private void requireMayClose() {
    if (shared) {
      throw new IllegalStateException(
          this + " is shared by the whole process and stays open; open one to close it");
    }
    if (pool.life().isEntered()) {
      throw new StreamMisuseException(
          this
              + " is closed by a thread that is inside of one of its operations or has a launch"
              + " open on it; end that first");
    }
  }

  /** Closes as the closing thread; returns whether the runtime is then closed. */
  private boolean closeUntil(@Nullable Deadline deadline) throws InterruptedException {
    boolean isQuiet = false;
    try {
      isQuiet = awaitQuiet(deadline);
    } finally {
      if (!isQuiet) {
        pool.life().pauseClosing();
      }
    }
    if (isQuiet) {
      try {
        closeAlone();
      } finally {
        pool.life().endClosing();
      }
    }
    return isQuiet;
  }

  /** Waits for other threads and, if there is a deadline, for the device as well. */
  private boolean awaitQuiet(@Nullable Deadline deadline) throws InterruptedException {
    if (!pool.awaitAlone(
        options.abandonedLaunchTimeout(), TrackedRuntime::warn, teardown, deadline)) {
      return false;
    }
    try {
      return deadline == null || driver.sticky().error() != null || pool.synchronizeAll(deadline);
    } catch (CudaDriverException e) {
      // Closing meets the error again, and throws it when everything else is closed.
      return true;
    }
  }

  private void closeAlone() {
    boolean wasLost = driver.sticky().error() != null;
    Teardown waiting = new Teardown();
    if (!wasLost) {
      waiting.step(() -> pool.synchronizeAll("closing " + this));
    }
    boolean isDeviceDone = !waiting.hasFailed();
    teardown.step(waiting::finish);
    teardown.step(this::reportLeaks);
    teardown.step(() -> attachments.close(teardown));
    teardown.step(() -> adopted.releaseAll(teardown));
    teardown.step(
        () -> stack.open().forEach(allocation -> teardown.step(() -> arrays.free(allocation))));
    teardown.step(stack::close);
    teardown.step(() -> copies.destroy(isDeviceDone));
    teardown.step(() -> pinned.freeAll(teardown, isDeviceDone));
    teardown.step(() -> downloads.end(driver.sticky().error() != null, teardown));
    teardown.step(pool::destroy);
    teardown.step(driver::close);
    try {
      teardown.finish();
    } catch (RuntimeException e) {
      // On a device lost earlier, each of these calls returns the same error again.
      if (!wasLost) {
        throw e instanceof CudaDriverException error ? error.during("closing " + this) : e;
      }
    }
  }

  /** The completion of the work with a ticket of a stream. */
  public TrackedCompletion completion(Timeline timeline, long ticket, String purpose) {
    return new TrackedCompletion(watcher, timeline, ticket, purpose);
  }

  /** Runs an action when the work with a ticket is done, or the runtime is closed. */
  private void whenDone(Timeline timeline, long ticket, Runnable action) {
    Thread caller = Thread.currentThread();
    completion(timeline, ticket, "the last use of adopted memory")
        .stage()
        .whenComplete(
            (done, failure) -> {
              if (failure == null || !isOpen() || driver.sticky().error() != null) {
                callOwner(action, caller);
              } else {
                // The question failed, not the work: the close of the runtime releases it.
                warn("the owner of adopted memory is called back late: " + failure);
              }
            });
  }

  /** The thread of completions must not be held up by the owner of memory. */
  private void callOwner(Runnable action, Thread closer) {
    if (Thread.currentThread() == closer) {
      action.run();
    } else {
      later.execute(action);
    }
  }

  private Thread thread(Runnable run) {
    Thread thread = new Thread(run, "returns to " + this);
    thread.setDaemon(true);
    return thread;
  }

  /** Counts and logs a launch that was neither committed nor refused after its preflight. */
  public void noteAbandoned(String purpose) {
    abandonedLaunches.increment();
    warn(purpose + " was closed between preflight and commit; its arrays count as used by it");
  }

  private static void warn(String fact) {
    System.getLogger(DeviceRuntime.class.getName()).log(System.Logger.Level.WARNING, fact);
  }

  /** The options that it was opened with. */
  public RuntimeOptions options() {
    return options;
  }

  /** The driver, whose direct calls the runtime does not track. */
  public CudaDriver driver() {
    return driver;
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

  /** Tables of addresses for the kernels of a stream, paid for like arrays. */
  public AddressTables addressTables(Timeline timeline) {
    return new AddressTables(driver, timeline, stack.budget());
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
    return options.guardMemory() || options.directMemory();
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

  private void reportLeaks() {
    List<Allocation> leaked =
        Stream.concat(stack.open().stream(), adopted.live().stream())
            .filter(Allocation::isOpen)
            .filter(Allocation::isHeld)
            .toList();
    if (!leaked.isEmpty()) {
      System.Logger logger = System.getLogger(DeviceRuntime.class.getName());
      logger.log(
          System.Logger.Level.WARNING, "{0} is closed with {1} open arrays", this, leaked.size());
      leaked.forEach(
          allocation ->
              logger.log(
                  System.Logger.Level.WARNING, "open: " + allocation, allocation.allocatedAt()));
    }
    for (String open : pinned.open()) {
      warn(this + " is closed with an open array: " + open);
    }
  }

  @Override
  public String toString() {
    DeviceProperties properties = driver.properties();
    return properties.name() + " (device " + properties.ordinal() + ", runtime " + number + ")";
  }
}
