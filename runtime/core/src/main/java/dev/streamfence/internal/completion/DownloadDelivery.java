package dev.streamfence.internal.completion;

import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.internal.transfer.HostRegion;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Moves the elements of one download from page-locked memory to their target, once, and gives the
 * memory back. Outlives the {@link TrackedDownload}. Thread-safe.
 */
public final class DownloadDelivery<T> implements PendingDelivery<T> {
  private final DownloadMemory source;
  private final DeviceCopies copies;
  private final TrackedCompletion completion;
  private final T value;
  private final HostBytes target;
  private final boolean isTargetNew;
  private final int sizeInBytes;

  /** The memory that the copy writes; null once it is given back. */
  private volatile @Nullable HostRegion memory;

  private volatile boolean isLost;

  /** Whether the elements are made of the bytes; null before a thread has begun to. */
  private final AtomicReference<@Nullable CompletableFuture<Boolean>> made =
      new AtomicReference<>();

  /** The thread that makes the elements; null if none does. */
  private volatile @Nullable Thread maker;

  /** Why the end of the runtime could not deliver; null if the device was lost. */
  private @Nullable RuntimeException refusal;

  /**
   * Creates a delivery.
   *
   * @param completion of the copy
   * @param value what {@link #deliver} returns
   * @param target where the elements go
   * @param isTargetNew whether no caller knows the target before it asks for the value
   * @param memory what the copy writes; null if there are no elements
   */
  public DownloadDelivery(
      DownloadMemory source,
      DeviceCopies copies,
      TrackedCompletion completion,
      T value,
      HostBytes target,
      boolean isTargetNew,
      int sizeInBytes,
      @Nullable HostRegion memory) {
    this.source = source;
    this.copies = copies;
    this.completion = completion;
    this.value = value;
    this.target = target;
    this.isTargetNew = isTargetNew;
    this.sizeInBytes = sizeInBytes;
    this.memory = memory;
  }

  @Override
  public TrackedCompletion completion() {
    return completion;
  }

  @Override
  public boolean isDelivered() {
    return memory == null && !isLost;
  }

  @Override
  public T deliver() {
    copyToTarget();
    makeElements();
    return value;
  }

  /**
   * Moves the elements before a caller asks for them, so that the memory is free again. Waits for
   * the copy. Does nothing if a caller would see the target change.
   */
  void deliverEarly() {
    if (isTargetNew && memory != null) {
      completion.await();
      copyToTarget();
    }
  }

  private synchronized void copyToTarget() {
    HostRegion from = memory;
    if (from != null) {
      copies.deliver(
          from.memory().readOnlyBuffer().slice(0, sizeInBytes).order(ByteOrder.nativeOrder()),
          target);
      try {
        source.giveBack(this, from);
      } finally {
        // Last: the end of the runtime does not wait for a delivery whose memory is given back.
        memory = null;
      }
    } else if (isLost) {
      throw new IllegalStateException(
          completion
              + " was not delivered: "
              + (refusal == null
                  ? "the device was lost"
                  : "the runtime was closed, and could not write to the target"),
          refusal);
    }
  }

  /**
   * Makes the elements of the bytes, once, or waits for the thread that does. May run code of the
   * user, and so holds no lock.
   */
  private void makeElements() {
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    while (true) {
      CompletableFuture<Boolean> other = made.compareAndExchange(null, mine);
      if (other == null) {
        break;
      }
      if (Thread.currentThread() == maker) {
        throw new IllegalStateException(
            "the constructor of an element asks for its own download, at the " + completion);
      }
      if (other.join()) {
        return;
      }
    }
    boolean isMade = false;
    maker = Thread.currentThread();
    try {
      target.received();
      isMade = true;
    } finally {
      maker = null;
      if (!isMade) {
        // The next caller tries again.
        made.set(null);
      }
      mine.complete(isMade);
    }
  }

  /** Delivers the elements at the end of the runtime, unless the copy fails. */
  void deliverAtEnd(boolean isDeviceLost) {
    if (memory == null) {
      return;
    }
    boolean isDone = false;
    try {
      // Not within the monitor: callers ask meanwhile whether the elements are here.
      if (!isDeviceLost) {
        completion.await();
      }
      isDone = completion.isKnownDone();
    } finally {
      end(isDone);
    }
  }

  private synchronized void end(boolean isDone) {
    if (memory == null) {
      return;
    }
    boolean isHere = false;
    try {
      isHere = isDone && tryCopy();
    } finally {
      if (!isHere) {
        isLost = true;
        giveUp();
      }
    }
  }

  /** Delivers unless this thread cannot write to the target, such as that of a closed arena. */
  private boolean tryCopy() {
    try {
      copyToTarget();
      return true;
    } catch (RuntimeException e) {
      refusal = e;
      return false;
    }
  }

  /** Called when no caller can ask for the elements any more. */
  @Override
  public synchronized void run() {
    giveUp();
  }

  private void giveUp() {
    HostRegion unread = memory;
    if (unread != null) {
      try {
        source.abandon(this, unread);
      } finally {
        memory = null;
      }
    }
  }
}
