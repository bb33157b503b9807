package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.memory.AllocationRecord.Action;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes one record per allocation, free and reap to a log, failed ones included, and changes
 * nothing about them. Thread-safe.
 */
public final class LoggingResource implements AllocationResource {
  /** Process-wide, so that records of several runtimes have one order. */
  private static final AtomicLong ORDER = new AtomicLong();

  private static final int MESSAGE_BYTES = 256;

  private final AllocationResource resource;
  private final AllocationLog log;
  private final MemoryObserver observer;
  private final AtomicLong dropped = new AtomicLong();

  /** Creates a log of the calls to a resource. */
  public LoggingResource(AllocationResource resource, AllocationLog log) {
    this(resource, log, MemoryObserver.NONE);
  }

  /** Creates a log of the calls to a resource, which an observer hears of as well. */
  public LoggingResource(AllocationResource resource, AllocationLog log, MemoryObserver observer) {
    this.resource = resource;
    this.log = log;
    this.observer = observer;
  }

  private boolean isOff() {
    return log == AllocationLog.none() && !observer.isOn();
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    if (isOff()) {
      return resource.allocate(sizeInBytes, timeline, tag, payer);
    }
    int device = resource.deviceOrdinal();
    int stream = timeline.index();
    try {
      Allocation allocation = resource.allocate(sizeInBytes, timeline, tag, payer);
      append(
          Action.ALLOCATE,
          device,
          stream,
          allocation.address(),
          allocation.sizeInBytes(),
          tag,
          allocation.generation(),
          null);
      return allocation;
    } catch (Throwable e) {
      append(Action.ALLOCATE, device, stream, 0, sizeInBytes, tag, 0, e);
      throw e;
    }
  }

  @Override
  public @Nullable Allocation tryAllocate(
      long sizeInBytes, Timeline timeline, String tag, Account payer) {
    return isOff() ? resource.tryAllocate(sizeInBytes, timeline, tag, payer) : null;
  }

  @Override
  public void deallocate(Allocation allocation) {
    if (isOff()) {
      resource.deallocate(allocation);
      return;
    }
    logged(
        allocation,
        () -> {
          resource.deallocate(allocation);
          return true;
        });
  }

  @Override
  public boolean tryDeallocate(Allocation allocation) {
    return isOff()
        ? resource.tryDeallocate(allocation)
        : logged(allocation, () -> resource.tryDeallocate(allocation));
  }

  /**
   * Frees an allocation, and appends its record.
   *
   * @param free returns whether it has freed it
   */
  private boolean logged(Allocation allocation, BooleanSupplier free) {
    try {
      boolean isFreed = free.getAsBoolean();
      if (isFreed) {
        append(allocation, null);
      }
      return isFreed;
    } catch (Throwable e) {
      append(allocation, e);
      throw e;
    }
  }

  @Override
  public long awaitReap(long wanted) {
    if (isOff()) {
      return resource.awaitReap(wanted);
    }
    int device = resource.deviceOrdinal();
    try {
      long released = resource.awaitReap(wanted);
      append(Action.REAP, device, -1, 0, released, "", 0, null);
      return released;
    } catch (Throwable e) {
      append(Action.REAP, device, -1, 0, 0, "", 0, e);
      throw e;
    }
  }

  @Override
  public Account account() {
    return resource.account();
  }

  @Override
  public int deviceOrdinal() {
    return resource.deviceOrdinal();
  }

  @Override
  public boolean tracksUses() {
    return resource.tracksUses();
  }

  @Override
  public void releasePostponed() {
    resource.releasePostponed();
  }

  @Override
  public boolean hasPostponed() {
    return resource.hasPostponed();
  }

  @Override
  public boolean mayWaitForOthers() {
    return resource.mayWaitForOthers();
  }

  /** The number of records that the log refused. */
  public long droppedRecords() {
    return dropped.get();
  }

  /**
   * The longest prefix of a text that has at most {@code bytes} bytes in UTF-8 and splits no
   * character, followed by an ellipsis if the text was cut.
   */
  static String cut(String text, int bytes) {
    if (text.getBytes(StandardCharsets.UTF_8).length <= bytes) {
      return text;
    }
    int end = 0;
    int size = 0;
    while (end < text.length()) {
      int character = text.codePointAt(end);
      size += Character.toString(character).getBytes(StandardCharsets.UTF_8).length;
      if (size > bytes) {
        break;
      }
      end += Character.charCount(character);
    }
    return text.substring(0, end) + "…";
  }

  private void observe(AllocationRecord record) {
    try {
      observer.record(record);
    } catch (Throwable e) {
      // The log matters more, and the request more than both.
    }
  }

  private void append(Allocation allocation, @Nullable Throwable failure) {
    append(
        Action.DEALLOCATE,
        allocation.deviceOrdinal(),
        allocation.timeline().index(),
        allocation.address(),
        allocation.sizeInBytes(),
        allocation.tag(),
        allocation.generation(),
        failure);
  }

  private void append(
      Action action,
      int device,
      int stream,
      long address,
      long bytes,
      String tag,
      long generation,
      @Nullable Throwable failure) {
    try {
      Instant now = Instant.now();
      String message = failure == null ? null : failure.getMessage();
      AllocationRecord record =
          new AllocationRecord(
              action,
              device,
              stream,
              address,
              bytes,
              tag,
              generation,
              Thread.currentThread().getId(),
              ORDER.incrementAndGet(),
              TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano(),
              failure == null ? "" : failure.getClass().getSimpleName(),
              message == null ? "" : cut(message, MESSAGE_BYTES));
      observe(record);
      log.append(record);
    } catch (Throwable refused) {
      // A failure of the log must not hide the outcome of the call.
      dropped.incrementAndGet();
      if (refused instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
