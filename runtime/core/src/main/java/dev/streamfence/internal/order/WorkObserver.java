package dev.streamfence.internal.order;

import org.jspecify.annotations.Nullable;

/**
 * Watches the work of one runtime on its way onto the streams. Thread-safe. A submitting thread
 * calls it while it holds the stream, so no method waits, and none throws.
 */
public interface WorkObserver {
  /** No observer. */
  WorkObserver NONE =
      new WorkObserver() {
        @Override
        public boolean watchesWork() {
          return false;
        }

        @Override
        public @Nullable ObservedWork watch(Timeline timeline, UseLabels labels) {
          return null;
        }
      };

  /** Whether anything asks for work at this moment. */
  boolean watchesWork();

  /**
   * Begins to watch a piece of work.
   *
   * @return null if nothing asks for it at this moment
   */
  @Nullable ObservedWork watch(Timeline timeline, UseLabels labels);
}
