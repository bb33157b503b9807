package dev.streamfence;

import dev.streamfence.internal.completion.TrackedDownload;
import java.util.concurrent.CompletionStage;

/**
 * A download that has begun: the completion of its copy, and the downloaded elements. Thread-safe.
 * Downloads that were begun before the runtime was closed keep their value.
 *
 * @param <T> what gets the elements: a Java array, a buffer or a pinned array
 */
public sealed interface Download<T> extends Completion permits TrackedDownload {
  /**
   * Waits until the copy is done, like {@link #await()}, and returns the elements: the same object
   * at each call. The first call moves them to a Java array or buffer, in the calling thread. If
   * moving them throws, such as for a buffer of a closed arena, the exception is passed on, and a
   * later call tries again.
   *
   * @throws StreamMisuseException inside a launch that it would have to wait for
   * @throws RuntimeClosedException if the runtime was closed before the copy was done; closing
   *     normally waits for it
   * @throws CudaDriverException if the device is lost, and the copy was not known to be done
   */
  T value();

  /**
   * Completes with the elements when the copy is done, or exceptionally like {@link #stage}. The
   * elements are copied by the thread that {@link #stage} describes.
   */
  CompletionStage<T> valueStage();
}
