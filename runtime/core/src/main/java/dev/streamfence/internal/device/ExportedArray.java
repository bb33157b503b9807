package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.ForeignConsumer;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Polling;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An array that other code has, from its export until the other code gives it back. The memory
 * stays allocated, even if the array is closed meanwhile. If the stream of the other code is known,
 * that stream waits for what the array depends on, and conflicting uses by the runtime wait for
 * everything on it; afterwards for what was queued there when the memory came back. Thread-safe.
 */
public final class ExportedArray {
  private final TrackedRuntime runtime;
  private final TrackedArray<?> array;
  private final @Nullable HazardState held;
  private final @Nullable ForeignConsumer consumer;
  private final boolean writable;
  private final AtomicBoolean ended = new AtomicBoolean();

  private ExportedArray(
      TrackedArray<?> array,
      @Nullable HazardState held,
      @Nullable ForeignConsumer consumer,
      boolean writable) {
    this.writable = writable;
    this.runtime = array.runtime();
    this.array = array;
    this.held = held;
    this.consumer = consumer;
  }

  /**
   * Exports an array. Does not synchronise.
   *
   * @param purpose the export, in words
   * @param writable whether the other code may write the memory
   * @param stream the raw handle of the stream that the other code uses it on; empty if it orders
   *     its uses itself, and gives the memory back after they are done
   * @throws dev.streamfence.UseAfterFreeException if the array is closed
   * @throws StreamMisuseException if the array is to be written and is read-only, or this thread
   *     has a launch open
   */
  public static ExportedArray of(
      ReadableArray<?> exported, String purpose, boolean writable, OptionalLong stream) {
    TrackedArray<?> array = TrackedArray.of(exported);
    TrackedRuntime runtime = array.runtime();
    runtime.life().requireNotRecording(() -> purpose + " of " + array);
    if (stream.isPresent()) {
      runtime.requireOutsideLaunch(purpose + " of " + array);
    }
    runtime.life().enter();
    try {
      if (array.isGone()) {
        throw array.useAfterFree(AttemptedUse.of(purpose));
      }
      Region region = array.region();
      if (region == null || region.sizeInBytes() == 0) {
        return new ExportedArray(array, null, null, writable);
      }
      return of(array, region, purpose, writable, stream);
    } finally {
      runtime.life().leave();
    }
  }

  private static ExportedArray of(
      TrackedArray<?> array, Region region, String purpose, boolean writable, OptionalLong stream) {
    boolean isReadOnly = !(array instanceof WritableArray) || region.hazards().refusesWrites();
    if (writable && isReadOnly) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.READ_ONLY,
          purpose + " would let other code write " + array + ", which is read-only");
    }
    HazardState held = region.allocation().hazards();
    held.hold(purpose);
    if (writable) {
      region.hazards().beginForeignWrites();
    }
    boolean isExported = false;
    try {
      ForeignConsumer consumer = null;
      if (stream.isPresent()) {
        consumer = lend(array.runtime(), region, purpose, writable, stream.getAsLong());
      } else {
        region.hazards().requireUsable(purpose);
      }
      isExported = true;
      return new ExportedArray(array, held, consumer, writable);
    } finally {
      if (!isExported) {
        if (writable) {
          region.hazards().cancelForeignWrites();
        }
        run(held.endHold());
      }
    }
  }

  /** Makes the stream of other code wait for what the array depends on, and later uses for it. */
  private static ForeignConsumer lend(
      TrackedRuntime runtime, Region region, String purpose, boolean writable, long stream) {
    Timeline timeline = runtime.adopt(stream);
    ForeignConsumer consumer = new ForeignConsumer(timeline, writable);
    // First: a use that is registered in between knows of it.
    region.hazards().addConsumer(consumer);
    boolean isLent = false;
    try {
      timeline.submit(
          Work.of(
              new ExportLabel(purpose + " to " + timeline),
              uses -> uses.use(region.hazards(), !writable, writable, 0),
              submission -> {},
              Coverage.ON_DEMAND));
      isLent = true;
      return consumer;
    } finally {
      if (!isLent) {
        region.hazards().removeConsumer(consumer);
        runtime.giveBack(timeline);
      }
    }
  }

  /** The device address of its first element; 0 if it is empty. */
  public long address() {
    Region region = array.region();
    return region == null || region.sizeInBytes() == 0 ? 0 : region.address();
  }

  /**
   * Takes the memory back: the other code uses it no more, except for what it has queued on its
   * stream. Any thread may call it, one of other code too: it does not wait, and the rest is done
   * later by a thread of the runtime if another thread holds the stream, or captures it. The CUDA
   * context that is current in the thread stays current. Calling it again does nothing.
   */
  public void end() {
    if (!ended.compareAndSet(false, true) || held == null) {
      return;
    }
    if (!runtime.life().tryEnter()) {
      // The runtime is closed, and has freed the memory.
      return;
    }
    try {
      runtime.driver().inThreadOfOthers(() -> endNow(consumer, held));
    } finally {
      runtime.life().leave();
    }
  }

  private void endNow(@Nullable ForeignConsumer lent, HazardState memory) {
    if (lent == null) {
      endHold(memory);
      return;
    }
    UseLabels labels = label();
    Work<Long> nothing = Work.of(labels, uses -> {}, calls -> {}, Coverage.ALWAYS);
    Submission submission;
    try {
      submission = runtime.life().mayWait() ? lent.timeline().tryBegin(labels) : null;
    } catch (CudaDriverException e) {
      // Its owner may have destroyed the stream too early; that must not end this runtime.
      end(lent, memory, () -> waitOnHost(lent.timeline()));
      return;
    }
    if (submission == null) {
      runtime.later().execute(this::endLater);
      return;
    }
    // Closed here too: the Java heap may be full before the work is carried out.
    try (submission) {
      end(lent, memory, () -> submission.carryOut(nothing));
    }
  }

  /** Tries again, until no thread holds the stream and its capture has ended. */
  private void endLater() {
    LockSupport.parkNanos(Polling.LONGEST_PAUSE_NANOS);
    if (consumer == null || held == null || !runtime.life().tryEnter()) {
      return;
    }
    try {
      endNow(consumer, held);
    } finally {
      runtime.life().leave();
    }
  }

  /**
   * Ends the loan.
   *
   * @param afterLastUse returns a ticket that comes after the last use
   */
  private void end(ForeignConsumer lent, HazardState memory, LongSupplier afterLastUse) {
    try {
      try {
        lent.end(afterLastUse.getAsLong());
      } finally {
        runtime.giveBack(lent.timeline());
      }
    } finally {
      endHold(memory);
    }
  }

  private long waitOnHost(Timeline timeline) {
    runtime.driver().synchronizeDevice();
    long last = timeline.submitted();
    timeline.noteCompleted(last);
    return last;
  }

  /** Ends the hold, and frees the memory if the array is closed: later, if that may wait. */
  private void endHold(HazardState memory) {
    Region region = array.region();
    if (writable && region != null) {
      region.hazards().endForeignWrites();
    }
    Runnable free = memory.endHold();
    if (free != null) {
      if (runtime.freeHoldsUp()) {
        runtime.later().execute(free);
      } else {
        free.run();
      }
    }
  }

  private ExportLabel label() {
    return new ExportLabel("taking " + array + " back from other code");
  }

  private static void run(@Nullable Runnable free) {
    if (free != null) {
      free.run();
    }
  }

  private record ExportLabel(String purpose) implements UseLabels {}

  @Override
  public String toString() {
    return "export of " + array;
  }
}
