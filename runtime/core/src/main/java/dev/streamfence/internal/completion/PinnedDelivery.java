package dev.streamfence.internal.completion;

import dev.streamfence.PinnedArray;

/** The delivery of a download to a pinned array, which the device's copy itself has made. */
public record PinnedDelivery<A>(TrackedCompletion completion, PinnedArray<A> target)
    implements PendingDelivery<PinnedArray<A>> {
  @Override
  public boolean isDelivered() {
    return completion.isKnownDone();
  }

  @Override
  public PinnedArray<A> deliver() {
    return target;
  }

  @Override
  public void run() {}
}
