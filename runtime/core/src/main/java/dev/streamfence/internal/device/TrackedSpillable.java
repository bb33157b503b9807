package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.pressure.PressureTask;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link SpillableArray}. A lock guards where the elements are; it is held
 * while they are copied, but not while memory is allocated, which may wait for other tasks.
 */
public final class TrackedSpillable<A> implements SpillableArray<A> {
  private final TrackedMemory memory;
  private final SpilledArrays spills;
  private final SpilledArrays.Ledger ledger;
  private final Class<A> arrayType;
  private final long length;
  private final long sizeInBytes;
  private final ReentrantLock lock;

  /** Where the elements are unless there is a copy. Written under the lock. */
  private volatile @Nullable WritableArray<A> array;

  /** Guarded by lock. */
  private @Nullable SpilledCopy<A> copy;

  private volatile boolean closed;

  TrackedSpillable(SpilledArrays spills, SpilledArrays.Ledger ledger, WritableArray<A> array) {
    this.ledger = ledger;
    this.lock = ledger.lock;
    this.memory = array.memory;
    this.spills = spills;
    this.arrayType = array.arrayType;
    this.length = array.length;
    this.sizeInBytes = array.sizeInBytes();
    this.array = array;
  }

  @Override
  public Place place() {
    return ledger.place();
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long sizeInBytes() {
    return sizeInBytes;
  }

  @Override
  public boolean isOpen() {
    return !closed && !memory.runtime().life().isClosed();
  }

  @Override
  public Use<A> use(DeviceStream stream) {
    memory.runtime().life().requireNotRecording(() -> "a use of " + this);
    spills.discardAgain();
    while (true) {
      lock("a use of " + this);
      try {
        if (closed) {
          throw new UseAfterFreeException(AttemptedUse.of("a use"), toString(), 0, null);
        }
        WritableArray<A> onDevice = array;
        if (onDevice != null) {
          onDevice.requireUsable(stream, "a use");
          return begin(onDevice);
        }
      } finally {
        lock.unlock();
      }
      OpenUse<A> use = bringBack(stream);
      if (use != null) {
        return use;
      }
    }
  }

  /** A new use. Held: lock. */
  private OpenUse<A> begin(WritableArray<A> onDevice) {
    PressureTask task = memory.runtime().tasks().current();
    Allocation kept = onDevice.region == null ? null : onDevice.region.allocation();
    // First: a view is refused once the runtime is closed.
    OpenUse<A> use = new OpenUse<>(this, onDevice.view(0, length), task, kept);
    if (task != null && kept != null) {
      task.keep(kept);
    }
    ledger.begin();
    return use;
  }

  /** Copies the elements to new memory; null if another thread does that meanwhile. */
  private @Nullable OpenUse<A> bringBack(DeviceStream stream) {
    memory.runtime().requireMayWait("a use of " + this + ", which is not on the device,");
    WritableArray<A> target =
        memory.requests().allocateShared(stream, arrayType, length, ledger.tag());
    boolean isBack = false;
    try {
      lock.lock();
      try {
        SpilledCopy<A> source = copy;
        if (source == null) {
          target.close();
          return null;
        }
        Object begun = spills.observer().begin(Kind.RETURN);
        source.readTo(target, stream);
        array = target;
        isBack = true;
        copy = null;
        ledger.returned();
        moved(begun, source);
        spills.discard(source, sizeInBytes);
        return begin(target);
      } finally {
        lock.unlock();
      }
    } catch (Throwable e) {
      if (!isBack) {
        target.closeAfter(e);
      }
      throw e;
    }
  }

  /**
   * Copies the elements away from the device and frees their memory, in the order of a stream, if
   * it is idle and no other thread is using it.
   *
   * @return whether it has left the device
   */
  boolean spill(DeviceStream stream) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      WritableArray<A> onDevice = array;
      if (onDevice == null || ledger.isInUse() || !isFree(onDevice)) {
        return false;
      }
      Object begun = spills.observer().begin(Kind.SPILL);
      SpilledCopy<A> made = spills.copy(onDevice, stream);
      if (made == null) {
        return false;
      }
      try {
        onDevice.close();
      } catch (Throwable e) {
        if (onDevice.isOpen()) {
          spills.discardAfter(made, sizeInBytes, e);
        } else {
          // The free failed after the close, so the copy is all there is.
          leave(made, begun);
        }
        throw e;
      }
      leave(made, begun);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The elements are in a copy from now on. Held: lock. */
  private void leave(SpilledCopy<A> made, @Nullable Object begun) {
    array = null;
    copy = made;
    ledger.left(made);
    moved(begun, made);
  }

  /** The elements have left the device or come back. */
  private void moved(@Nullable Object begun, SpilledCopy<A> outside) {
    if (begun != null) {
      Outcome place = outside.place() == Place.HOST ? Outcome.HOST : Outcome.DISK;
      spills.observer().end(begun, "", toString(), sizeInBytes, place);
    }
  }

  /** Whether the memory has elements, and no graph or other code has it. */
  private static boolean isFree(WritableArray<?> array) {
    return array.region != null && array.isOpen() && !array.region.hazards().isHeld();
  }

  /** Whether its memory on the device counts in an account. */
  boolean isPaidBy(Account payer) {
    WritableArray<A> onDevice = array;
    return onDevice != null
        && onDevice.region != null
        && onDevice.region.allocation().isPaidBy(payer);
  }

  private void end(@Nullable PressureTask task, @Nullable Allocation kept) {
    if (task != null && kept != null) {
      task.keepNoLonger(kept);
    }
    if (ledger.endUse()) {
      memory.signalRoom();
    }
  }

  @Override
  public void close() {
    spills.discardAgain();
    lock("closing " + this);
    try {
      if (closed) {
        return;
      }
      WritableArray<A> onDevice = array;
      if (onDevice != null) {
        onDevice.close();
      } else if (copy != null) {
        copy.discard();
      }
      closed = true;
      array = null;
      copy = null;
      ledger.end();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the lock. A thread that must not wait for others does not wait for it. */
  private void lock(String use) {
    if (memory.runtime().life().mayWait()) {
      lock.lock();
    } else if (!lock.tryLock()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          use + " inside of a launch, while another thread uses it; close the launch first");
    }
  }

  @Override
  public String toString() {
    return ledger.description();
  }

  /** The implementation of {@link SpillableArray.Use}. */
  public static final class OpenUse<A> implements Use<A> {
    private final TrackedSpillable<A> owner;
    private final DeviceArray<A> array;

    /** Whose memory it counts as; null without one. */
    private final @Nullable PressureTask task;

    /** Null if the array has no elements. */
    private final @Nullable Allocation kept;

    private final AtomicBoolean ended = new AtomicBoolean();

    private OpenUse(
        TrackedSpillable<A> owner,
        DeviceArray<A> array,
        @Nullable PressureTask task,
        @Nullable Allocation kept) {
      this.owner = owner;
      this.array = array;
      this.task = task;
      this.kept = kept;
    }

    @Override
    public DeviceArray<A> array() {
      return array;
    }

    @Override
    public void close() {
      if (ended.compareAndSet(false, true)) {
        owner.end(task, kept);
      }
    }
  }
}
