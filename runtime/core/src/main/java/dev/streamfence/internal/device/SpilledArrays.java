package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.LostArrays;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.TrackedResource;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.pressure.PressureObserver;
import dev.streamfence.memory.SpillStatistics;
import dev.streamfence.memory.SpillableArray.Place;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The spillable arrays of a runtime, and what they have outside of the device. Those that were used
 * least recently leave it first: to host memory while there is room, otherwise to files.
 * Thread-safe.
 */
final class SpilledArrays {
  /**
   * Where one array is, for the figures, and its file; outlives it. The holder of the lock moves
   * it, or the thread of lost arrays, when the array is lost.
   */
  final class Ledger extends SpillOrder.Entry implements Runnable {
    /** The lock of the array. */
    final ReentrantLock lock = new ReentrantLock();

    /** How many uses it has. Raised under the lock. */
    private final AtomicInteger uses = new AtomicInteger();

    /** Racy, benign: a use and a pass may note it at once, and both numbers are of now. */
    private volatile long lastUse = ticks.incrementAndGet();

    private final String tag;
    private final String description;
    private final @Nullable Throwable allocatedAt;
    private final long bytes;
    private volatile Place place = Place.DEVICE;

    /** Null unless the elements are in one. */
    private volatile @Nullable FileCopy<?> file;

    private Ledger(WritableArray<?> array) {
      Allocation allocation = array.region == null ? null : array.region.allocation();
      this.tag = allocation == null ? "" : allocation.tag();
      this.description =
          "spillable "
              + array.arrayType.getComponentType().getSimpleName()
              + "["
              + array.length
              + "]"
              + (tag.isEmpty() ? "" : " '" + tag + "'");
      this.allocatedAt = allocation == null ? null : allocation.allocatedAt();
      this.bytes = array.sizeInBytes();
    }

    String tag() {
      return tag;
    }

    /** The array, in words. */
    String description() {
      return description;
    }

    /** Where the array was allocated first; null unless that is traced. */
    @Nullable Throwable allocatedAt() {
      return allocatedAt;
    }

    Place place() {
      return place;
    }

    /** A use begins. Held: lock. */
    void begin() {
      uses.incrementAndGet();
      lastUse = ticks.incrementAndGet();
    }

    /**
     * A use has ended.
     *
     * @return whether it was the last one
     */
    boolean endUse() {
      return uses.decrementAndGet() == 0;
    }

    boolean isInUse() {
      return uses.get() > 0;
    }

    /** The moment of its last use, which for an array in use is now. */
    @Override
    long lastUse() {
      if (isInUse()) {
        lastUse = ticks.incrementAndGet();
      }
      return lastUse;
    }

    /** The array has left the device; its new place was taken when it was copied. */
    void left(SpilledCopy<?> copy) {
      onDevice.remove(this);
      place = copy.place();
      file = copy instanceof FileCopy<?> written ? written : null;
      spills.increment();
      (place == Place.HOST ? bytesToHost : bytesToDisk).add(bytes);
    }

    /** The array has come back; its copy keeps its place until it is discarded. */
    void returned() {
      place = Place.DEVICE;
      file = null;
      lastUse = ticks.incrementAndGet();
      onDevice.add(this);
      returns.increment();
      bytesReturned.add(bytes);
    }

    /** The array is lost. Its memory on the device is reported and freed like that of any other. */
    @Override
    public void run() {
      if (place == Place.DEVICE) {
        end();
      } else {
        losing.lose(description, allocatedAt, this::end);
      }
    }

    /** The array is closed or lost, and so is its copy. */
    void end() {
      arrays.remove(this);
      onDevice.remove(this);
      FileCopy<?> lost = file;
      Place before = place;
      place = Place.DEVICE;
      file = null;
      if (lost != null) {
        discard(lost, bytes);
      } else if (before != Place.DEVICE) {
        // Its pinned arrays are closed, or are lost with it and freed like any others.
        withdraw(before, bytes);
        roomFreed.run();
      }
    }

    /** Deletes the file when the runtime is closed, which frees all memory. */
    private void closeFile() {
      lock.lock();
      try {
        FileCopy<?> open = file;
        if (open != null) {
          open.discard();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Counts and reports an array that is lost outside of the device, and gives its elements up. */
  interface Losing {
    void lose(String array, @Nullable Throwable allocatedAt, Runnable giveUp);
  }

  /** A copy without an array, which could not be discarded. */
  private record Undiscarded(SpilledCopy<?> copy, long bytes) {}

  private final long hostLimit;
  private final Optional<Path> folder;
  private final Runnable roomFreed;
  private final PressureObserver observer;
  private final StickyError faults;
  private final Losing losing;

  /** Copies that keep their places, and that a later call discards. */
  private final Queue<Undiscarded> undiscarded = new ConcurrentLinkedQueue<>();

  /** Weak, so that a lost array is found and freed like any other. */
  private final Map<Ledger, WeakReference<TrackedSpillable<?>>> arrays = new ConcurrentHashMap<>();

  private final SpillOrder<Ledger> onDevice = new SpillOrder<>();

  /** Numbers the uses of all arrays. */
  private final AtomicLong ticks = new AtomicLong();

  private final AtomicLong hostBytes = new AtomicLong();
  private final AtomicLong diskBytes = new AtomicLong();
  private final LongAdder spills = new LongAdder();
  private final LongAdder bytesToHost = new LongAdder();
  private final LongAdder bytesToDisk = new LongAdder();
  private final LongAdder returns = new LongAdder();
  private final LongAdder bytesReturned = new LongAdder();
  private final LongAdder failures = new LongAdder();

  /**
   * Creates an empty one.
   *
   * @param hostLimit how many bytes may be in host memory
   * @param folder for files; empty for none
   * @param roomFreed called when an array has given up its place outside of the device
   * @param observer hears of each array that leaves the device or comes back
   * @param faults hears of failures that reach no caller
   * @param losing reports and ends an array that is lost outside of the device
   */
  SpilledArrays(
      long hostLimit,
      Optional<Path> folder,
      Runnable roomFreed,
      PressureObserver observer,
      StickyError faults,
      Losing losing) {
    this.losing = losing;
    this.faults = faults;
    this.observer = observer;
    this.roomFreed = roomFreed;
    this.hostLimit = hostLimit;
    this.folder = folder;
  }

  <A> TrackedSpillable<A> add(WritableArray<A> array) {
    Ledger ledger = new Ledger(array);
    TrackedSpillable<A> spillable = new TrackedSpillable<>(this, ledger, array);
    LostArrays.watch(spillable, ledger);
    arrays.put(ledger, new WeakReference<>(spillable));
    onDevice.add(ledger);
    return spillable;
  }

  PressureObserver observer() {
    return observer;
  }

  boolean isEmpty() {
    return arrays.isEmpty();
  }

  /** The arrays that have left the device. */
  List<Ledger> outside() {
    return arrays.keySet().stream().filter(ledger -> ledger.place() != Place.DEVICE).toList();
  }

  /**
   * Spills idle arrays until so many bytes are free, or none is left.
   *
   * @param payer the account in which they count
   * @param failed receives the failures; the arrays stay on the device then
   * @return the bytes that have left the device
   */
  long spill(Account payer, long wanted, DeviceStream stream, List<Exception> failed) {
    long spilled = 0;
    SpillOrder<Ledger>.Pass pass = onDevice.pass(ticks.get());
    while (spilled < wanted) {
      Ledger next = pass.next();
      if (next == null) {
        break;
      }
      TrackedSpillable<?> each = array(next);
      if (each == null || !each.isPaidBy(payer)) {
        continue;
      }
      try {
        if (each.spill(stream)) {
          spilled += each.sizeInBytes();
        }
      } catch (Exception e) {
        failures.increment();
        failed.add(e);
      }
    }
    return spilled;
  }

  private @Nullable TrackedSpillable<?> array(Ledger ledger) {
    WeakReference<TrackedSpillable<?>> array = arrays.get(ledger);
    return array == null ? null : array.get();
  }

  /** Bytes of arrays on the device that are not in use. */
  long idleBytes() {
    long idle = 0;
    SpillOrder<Ledger>.Pass pass = onDevice.pass(ticks.get());
    for (Ledger next = pass.next(); next != null; next = pass.next()) {
      idle += next.bytes;
    }
    return idle;
  }

  /**
   * Copies an array to where there is room: to a file also if the host has no page-locked memory
   * left.
   *
   * @return null if there is no room
   */
  <A> @Nullable SpilledCopy<A> copy(WritableArray<A> array, DeviceStream stream) {
    long bytes = array.sizeInBytes();
    if (takeHost(bytes)) {
      HostCopy<A> copy = new HostCopy<>(array);
      try {
        copy.write(array, stream);
        return copy;
      } catch (CudaDriverException e) {
        discardAfter(copy, bytes, e);
        if (e.code() != TrackedResource.OUT_OF_MEMORY || folder.isEmpty()) {
          throw e;
        }
      } catch (RuntimeException | Error e) {
        discardAfter(copy, bytes, e);
        throw e;
      }
    }
    if (folder.isEmpty()) {
      return null;
    }
    FileCopy<A> copy = FileCopy.of(array, stream, folder.get());
    diskBytes.addAndGet(bytes);
    return copy;
  }

  private boolean takeHost(long bytes) {
    while (true) {
      long taken = hostBytes.get();
      if (bytes > hostLimit - taken) {
        return false;
      }
      if (hostBytes.compareAndSet(taken, taken + bytes)) {
        return true;
      }
    }
  }

  /**
   * Discards a copy and gives up its place. If that fails, it keeps both until {@link
   * #discardAgain}.
   */
  void discard(SpilledCopy<?> copy, long bytes) {
    giveUp(copy, bytes);
    roomFreed.run();
  }

  /** Discards a copy after a failure, which is thrown instead of one that this has. */
  void discardAfter(SpilledCopy<?> copy, long bytes, Throwable failure) {
    try {
      // No signal: a task that waits, and whose spilling fails, would wake itself again and again.
      giveUp(copy, bytes);
    } catch (RuntimeException | Error e) {
      Suppressed.add(failure, e);
    }
  }

  private void giveUp(SpilledCopy<?> copy, long bytes) {
    try {
      copy.discard();
    } catch (RuntimeException | Error e) {
      undiscarded.add(new Undiscarded(copy, bytes));
      throw e;
    }
    withdraw(copy.place(), bytes);
  }

  /** Discards the copies that could not be, and that the device is done with. Does not wait. */
  void discardAgain() {
    // Once each: one that cannot be discarded returns to the end of the queue.
    for (int left = undiscarded.size(); left > 0 && faults.error() == null; left--) {
      Undiscarded each = undiscarded.poll();
      if (each == null) {
        return;
      }
      boolean isIdle = false;
      try {
        isIdle = each.copy.isIdle();
        if (isIdle) {
          discard(each.copy, each.bytes);
        }
      } catch (RuntimeException e) {
        faults.swallowed(e);
      } finally {
        if (!isIdle) {
          undiscarded.add(each);
        }
      }
    }
  }

  private void withdraw(Place place, long bytes) {
    (place == Place.HOST ? hostBytes : diskBytes).addAndGet(-bytes);
  }

  /** Deletes the files of the arrays that are not closed, and forgets what the runtime frees. */
  void closeFiles(Teardown teardown) {
    arrays.keySet().forEach(ledger -> teardown.step(ledger::closeFile));
    for (Undiscarded each = undiscarded.poll(); each != null; each = undiscarded.poll()) {
      SpilledCopy<?> copy = each.copy;
      if (copy.place() == Place.DISK) {
        teardown.step(copy::discard);
      }
      withdraw(copy.place(), each.bytes);
    }
  }

  SpillStatistics statistics() {
    return new SpillStatistics(
        hostBytes.get(),
        diskBytes.get(),
        spills.sum(),
        bytesToHost.sum(),
        bytesToDisk.sum(),
        returns.sum(),
        bytesReturned.sum(),
        failures.sum());
  }
}
