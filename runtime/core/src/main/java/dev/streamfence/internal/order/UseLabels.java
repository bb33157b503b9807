package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.trace.WorkKind;

/**
 * How errors and observers name a submission and the allocations that it uses. Called only after a
 * failure, or if an observer watches.
 */
public interface UseLabels {
  /** The submitted work, such as {@code saxpy on stream 2}. */
  String purpose();

  /** The submitted work as a refused use. */
  default AttemptedUse work() {
    return AttemptedUse.of(purpose());
  }

  /**
   * The role of the allocation that was registered with {@code label}, such as {@code saxpy:
   * parameter 'x'}.
   */
  default AttemptedUse use(int label) {
    return work();
  }

  /** What the work is, when it is put on its stream. */
  default WorkFacts facts() {
    return new WorkFacts(WorkKind.OTHER, purpose(), 0, "");
  }
}
