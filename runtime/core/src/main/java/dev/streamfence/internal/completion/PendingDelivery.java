package dev.streamfence.internal.completion;

/** How a begun download gets its elements to where they are wanted. Thread-safe. */
public sealed interface PendingDelivery<T> extends Runnable
    permits DownloadDelivery, PinnedDelivery {
  /** The completion of the copy. */
  TrackedCompletion completion();

  /** Whether the elements are where they are wanted. */
  boolean isDelivered();

  /** Delivers the elements if that was not done. The copy is done. */
  T deliver();

  /** Called when no caller can ask for the elements any more. */
  @Override
  void run();
}
