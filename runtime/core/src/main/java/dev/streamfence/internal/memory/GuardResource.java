// Long because guarding, checking and keeping freed memory work on the same margins.
package dev.streamfence.internal.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.memory.GuardReport.Violation;
import dev.streamfence.internal.memory.Quarantine.Range;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Detects writes outside allocations and after their free, and refuses reads of allocations that
 * were never written. Every allocation lies inside a larger one of the underlying resource, with
 * known bytes before and after it; new and freed allocations are filled with known bytes as well;
 * freed memory is kept for a while. All of this is ordered like any other use of the allocation.
 *
 * <p>For debugging: a free waits on the host for the allocation's uses and then checks its margins;
 * a reap waits and checks all kept memory. Detected writes are reported and counted, never thrown;
 * a launch or copy that reads an unwritten allocation throws a {@link
 * dev.streamfence.UninitializedReadException}. Memory that was handed out twice is reported and
 * thrown, and the device is then lost. Margins do not count as outstanding; kept memory does.
 * Thread-safe.
 */
public final class GuardResource extends TrackedResource implements AutoCloseable {
  /** The driver's alignment, so that guarded allocations are aligned like others. */
  static final int MARGIN = 512;

  private static final byte OUTSIDE = (byte) 0xC5;
  private static final byte FRESH = (byte) 0xA7;
  private static final byte FREED = (byte) 0xDD;

  private final AllocationResource resource;
  private final Consumer<GuardReport> reports;
  private final AtomicLong violations = new AtomicLong();
  private final RangeMap ranges = new RangeMap();
  private final Quarantine quarantine = new Quarantine();
  private final GuardWindow window;

  /**
   * Creates a guard for the allocations of a resource.
   *
   * @param reports receives each violation in the thread that detects it; throws nothing
   * @throws IllegalArgumentException if the resource does not track uses: no check could be ordered
   *     after them
   */
  public GuardResource(
      AllocationResource resource, StreamPool streams, Consumer<GuardReport> reports) {
    super(streams, false, Long.MAX_VALUE);
    if (!resource.tracksUses()) {
      throw new IllegalArgumentException("a guard needs a resource that tracks uses");
    }
    this.resource = resource;
    this.reports = reports;
    this.window = new GuardWindow(streams);
  }

  /** The number of violations so far. */
  public long violations() {
    return violations.get();
  }

  @Override
  Allocation obtain(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    // An overflowing sum is negative; the underlying resource then refuses the plain size.
    Allocation raw = obtainRaw(Math.max(sizeInBytes, sizeInBytes + 2L * MARGIN), timeline, tag);
    Allocation overlapping = ranges.add(raw);
    if (overlapping != null) {
      report(Violation.OVERLAP, raw, "its memory overlaps that of " + overlapping);
      throw collision(raw, overlapping);
    }
    Purpose purpose = new Purpose(Purpose.Act.GUARD, sizeInBytes, tag, timeline);
    try {
      long ticket =
          timeline.submit(
              Work.of(
                  purpose,
                  uses -> uses.use(raw.hazards(), false, true, 0),
                  submission -> {
                    Sink sink = submission.sink();
                    StreamHandle stream = submission.stream();
                    sink.fillAsync(raw.address(), Byte.BYTES, OUTSIDE, raw.sizeInBytes(), stream);
                    sink.fillAsync(raw.address() + MARGIN, Byte.BYTES, FRESH, sizeInBytes, stream);
                  },
                  Coverage.ON_DEMAND));
      Allocation allocation =
          new Allocation(
              raw.address() + MARGIN,
              sizeInBytes,
              tag,
              timeline,
              ticket,
              this::release,
              true,
              payer,
              raw,
              raw.allocatedAt());
      allocation.hazards().refuseReadsUntilWritten();
      return register(allocation);
    } catch (Throwable e) {
      giveBackAfter(e, raw);
      throw e;
    }
  }

  /** Gives back memory that could not be handed out. */
  private void giveBackAfter(Throwable failure, Allocation raw) {
    try {
      giveBack(raw);
    } catch (Exception kept) {
      Suppressed.add(failure, kept);
      quarantine.add(new Range(null, raw, true));
    }
  }

  @Override
  long free(Allocation allocation, Timeline timeline, Submission begun) {
    Allocation raw = allocation.enclosing();
    Purpose purpose =
        new Purpose(Purpose.Act.FREE, allocation.sizeInBytes(), allocation.tag(), timeline);
    HostMemory margins =
        begun.carryOut(
            new Work<>(
                purpose,
                uses -> {
                  uses.free(allocation.hazards());
                  // Nothing uses the raw allocation before the wait below is over. Registered
                  // anyway, so that its order does not depend on that wait.
                  uses.use(raw.hazards(), true, false, 0);
                },
                submission -> copyMargins(allocation, raw, submission),
                Coverage.AT_COMMIT));
    timeline.synchronize(purpose.purpose());
    int front = window.mismatch(margins, 0, MARGIN, OUTSIDE);
    int back = window.mismatch(margins, MARGIN, MARGIN, OUTSIDE);
    window.giveBack(margins);
    if (!markFreed(allocation, raw)) {
      // This thread may hold what the thread that holds the stream waits for.
      postpone(allocation);
      return 0;
    }
    boolean clean = front < 0 && back < 0;
    giveBack(
        allocation, purpose::purpose, () -> quarantine.add(new Range(allocation, raw, !clean)));
    // Last, so that a free that is repeated does not report it twice.
    reportMargins(allocation, front, back);
    return evict();
  }

  @Override
  long lose(Allocation allocation) {
    giveBack(allocation.enclosing());
    return super.lose(allocation);
  }

  /** Queues copies of the margins to the host. */
  private HostMemory copyMargins(Allocation allocation, Allocation raw, Submission submission) {
    HostMemory margins = window.take();
    long bytes = allocation.sizeInBytes();
    Sink sink = submission.sink();
    StreamHandle stream = submission.stream();
    sink.copyToHostAsync(margins, 0, raw.address(), MARGIN, stream);
    sink.copyToHostAsync(margins, MARGIN, allocation.address() + bytes, MARGIN, stream);
    return margins;
  }

  /**
   * Fills freed memory. Not before the wait for its uses: if that fails, the allocation is open
   * again and must have its elements.
   *
   * @return false if that would wait for another thread; nothing was queued then
   */
  private boolean markFreed(Allocation allocation, Allocation raw) {
    Timeline timeline = raw.hazards().lastUser();
    long bytes = allocation.sizeInBytes();
    Purpose purpose = new Purpose(Purpose.Act.GUARD, bytes, allocation.tag(), timeline);
    Work<Long> fill =
        Work.of(
            purpose,
            uses -> uses.use(raw.hazards(), false, true, 0),
            submission ->
                submission
                    .sink()
                    .fillAsync(allocation.address(), Byte.BYTES, FREED, bytes, submission.stream()),
            Coverage.ON_DEMAND);
    Submission begun = timeline.tryBegin(purpose);
    if (begun == null) {
      return false;
    }
    begun.carryOut(fill);
    return true;
  }

  @Override
  public long awaitReap(long wanted) {
    long reaped = super.awaitReap(wanted);
    Teardown failures = new Teardown();
    for (int i = quarantine.size(); i > 0; i--) {
      Range oldest = quarantine.poll();
      if (oldest == null) {
        break;
      }
      try {
        reaped += leave(oldest);
      } catch (Exception e) {
        quarantine.add(oldest);
        failures.failed(e);
      } catch (Error e) {
        keepUnlessFreed(oldest);
        throw e;
      }
    }
    try {
      // The memory is unused by now; this updates the accounts of the underlying resource.
      resource.awaitReap(wanted);
    } catch (Exception e) {
      failures.failed(e);
    }
    if (reaped == 0) {
      failures.finish();
    }
    return reaped;
  }

  /** Checks and gives back all kept memory. */
  @Override
  public void close() {
    awaitReap(Long.MAX_VALUE);
  }

  private Allocation obtainRaw(long bytes, Timeline timeline, String tag) {
    try {
      return resource.allocate(bytes, timeline, tag);
    } catch (OutOfMemoryBudgetException e) {
      if (quarantine.size() == 0) {
        throw e;
      }
    }
    awaitReap(0);
    return resource.allocate(bytes, timeline, tag);
  }

  private long evict() {
    long released = 0;
    Range oldest;
    while ((oldest = quarantine.pollExcess()) != null) {
      try {
        released += leave(oldest);
      } catch (Exception e) {
        // The free that led here has succeeded. Memory that could not be given back stays, and the
        // next reap meets the error again.
        streams.sticky().swallowed(e);
        quarantine.add(oldest);
        return released;
      } catch (Error e) {
        keepUnlessFreed(oldest);
        throw e;
      }
    }
    return released;
  }

  /** Keeps a range after an error unless its memory was given back. */
  private void keepUnlessFreed(Range range) {
    Allocation allocation = range.allocation();
    if (range.raw().isOpen()) {
      quarantine.add(range);
    } else if (allocation != null) {
      allocation.returned();
    }
  }

  /** Checks kept memory for the last time and gives it back. */
  private long leave(Range range) {
    Allocation allocation = range.allocation();
    if (allocation != null && !range.reported() && !isLost()) {
      Allocation raw = range.raw();
      window.read(raw, (offset, bytes, count) -> checkKept(allocation, offset, bytes, count));
    }
    giveBack(range.raw());
    return allocation == null ? 0 : allocation.returned();
  }

  private void giveBack(Allocation raw) {
    ranges.remove(raw);
    try {
      resource.deallocate(raw);
    } catch (Exception e) {
      ranges.add(raw);
      throw e;
    }
  }

  /** Reports the first wrong byte of each margin; an index is negative if there is none. */
  private void reportMargins(Allocation allocation, int front, int back) {
    if (front >= 0) {
      report(
          Violation.BEFORE,
          allocation,
          (MARGIN - front) + " bytes before its start were overwritten");
    }
    if (back >= 0) {
      report(Violation.BEHIND, allocation, "byte " + back + " behind its end was overwritten");
    }
  }

  /** Checks a window of kept memory; {@code offset} counts from the start of the raw allocation. */
  private boolean checkKept(Allocation allocation, long offset, HostMemory bytes, int count) {
    long end = MARGIN + allocation.sizeInBytes();
    long[] ends = {MARGIN, end, end + MARGIN};
    long from = offset;
    for (int part = 0; part < ends.length; part++) {
      int length = (int) Math.max(0, Math.min(ends[part], offset + count) - from);
      int wrong =
          window.mismatch(bytes, (int) (from - offset), length, part == 1 ? FREED : OUTSIDE);
      if (wrong >= 0) {
        report(
            Violation.AFTER_FREE,
            allocation,
            "byte " + (from + wrong - MARGIN) + " was overwritten after it was freed");
        return false;
      }
      from += length;
    }
    return true;
  }

  private void report(Violation violation, Allocation allocation, String fact) {
    violations.incrementAndGet();
    reports.accept(new GuardReport(violation, allocation, allocation + ": " + fact));
  }
}
