package dev.streamfence.internal.completion;

import dev.streamfence.Download;
import dev.streamfence.internal.LostArrays;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The implementation of {@link Download}: the completion of a copy to page-locked memory, and the
 * delivery from there.
 */
public final class TrackedDownload<T> implements Download<T> {
  final PendingDelivery<T> delivery;

  public TrackedDownload(PendingDelivery<T> delivery) {
    this.delivery = delivery;
    // If no caller asks for the value, the memory goes back.
    LostArrays.watch(this, delivery);
  }

  @Override
  public boolean isDone() {
    return delivery.isDelivered() || delivery.completion().isDone();
  }

  @Override
  public void await() {
    if (!delivery.isDelivered()) {
      delivery.completion().await();
    }
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return delivery.isDelivered() || delivery.completion().await(timeout);
  }

  @Override
  public CompletionStage<Void> stage() {
    return delivery.completion().stage();
  }

  @Override
  public T value() {
    try {
      await();
      return delivery.deliver();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public CompletionStage<T> valueStage() {
    return stage().thenApply(done -> value());
  }

  @Override
  public String toString() {
    return delivery.completion().toString();
  }
}
