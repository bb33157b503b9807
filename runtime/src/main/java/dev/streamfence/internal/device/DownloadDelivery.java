package dev.streamfence.internal.device;

import dev.streamfence.ElementType;
import dev.streamfence.internal.memory.HostRegion;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Moves the elements of one download from page-locked memory to their Java array, once, and gives
 * the memory back. Outlives the {@link TrackedDownload}. Thread-safe.
 */
final class DownloadDelivery<A> implements Runnable {
  private final DownloadMemory source;
  private final TrackedCompletion completion;
  private final A target;
  private final HostArray host;
  private final int sizeInBytes;

  /** The memory that the copy writes; null once it is given back. */
  private @Nullable HostRegion memory;

  private boolean isLost;

  /**
   * Creates a delivery.
   *
   * @param completion of the copy
   * @param memory what the copy writes; null if there are no elements
   */
  DownloadDelivery(
      DownloadMemory source,
      TrackedCompletion completion,
      A target,
      ElementType type,
      int sizeInBytes,
      @Nullable HostRegion memory) {
    this.source = source;
    this.completion = completion;
    this.target = target;
    this.host = new HostArray(target, type, 0);
    this.sizeInBytes = sizeInBytes;
    this.memory = memory;
  }

  TrackedCompletion completion() {
    return completion;
  }

  /** Whether the elements are in the Java array. */
  synchronized boolean isDelivered() {
    return memory == null && !isLost;
  }

  /** Delivers the elements if that was not done. The copy is done. */
  synchronized A deliver() {
    HostRegion from = memory;
    if (from != null) {
      host.readFrom(
          from.memory().readOnlyBuffer().slice(0, sizeInBytes).order(ByteOrder.nativeOrder()), 0);
      memory = null;
      source.giveBack(this, from);
    } else if (isLost) {
      throw new IllegalStateException(completion + " was not delivered: the device was lost");
    }
    return target;
  }

  /** Delivers the elements at the end of the runtime, unless the copy fails. */
  synchronized void deliverAtEnd(boolean isDeviceLost) {
    if (memory == null) {
      return;
    }
    boolean isDone = false;
    try {
      if (!isDeviceLost) {
        completion.await();
      }
      isDone = completion.isKnownDone();
    } finally {
      if (isDone) {
        deliver();
      } else {
        isLost = true;
        giveUp();
      }
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
      memory = null;
      source.abandon(this, unread);
    }
  }
}
