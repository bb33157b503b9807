package dev.streamfence.internal.column.foreign;

import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.exchange.TensorImport;

/**
 * A tensor that became an array.
 *
 * @param isOwn whether this process had exported it
 */
record AdoptedTensor<A>(TrackedArray<A> array, TensorImport tensor, boolean isOwn) {
  /** Leaves the tensor to its owner again, as if it had not been adopted. */
  void giveBackAfter(Throwable failure) {
    // First, so that the close does not call the deleter.
    tensor.giveBack();
    try {
      array.close();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }
}
