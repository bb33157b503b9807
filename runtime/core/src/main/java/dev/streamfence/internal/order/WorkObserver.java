package dev.streamfence.internal.order;

import org.jspecify.annotations.Nullable;

/**
 * Watches the work of one runtime on its way onto the streams. Thread-safe. A submitting thread
 * calls it while it holds the stream, so no method waits, and none throws.
 */
public interface WorkObserver {
  /** No observer. */
  WorkObserver NONE = (timeline, labels) -> null;

  /**
   * Begins to watch a piece of work.
   *
   * @return null if nothing asks for it at this moment
   */
  @Nullable ObservedWork watch(Timeline timeline, UseLabels labels);
}
