package dev.streamfence.column.dlpack;

/**
 * The consumer of an exported tensor: its stream, and the versions of DLPack that it understands.
 * These are the arguments of Python's {@code __dlpack__}. Immutable.
 *
 * @param stream as {@link #onStream} takes it
 * @param maxMajor the major version up to which it understands versioned tensors; 0 if it does not
 * @param maxMinor the minor version that belongs to it
 * @param isReadOnly whether it may only read the tensor
 */
public record TensorConsumer(long stream, int maxMajor, int maxMinor, boolean isReadOnly) {
  /** The stream of a consumer that needs no order: everything is done. */
  private static final long NO_STREAM = -1;

  /** The default stream of each thread. */
  private static final long OF_THREAD = 2;

  /** Refuses impossible numbers. */
  public TensorConsumer {
    if (stream == 0) {
      throw new IllegalArgumentException(
          "a consumer on stream 0, which may be the legacy default stream, 1, or that of the"
              + " thread, 2; -1 is none");
    }
    if (stream < NO_STREAM) {
      throw new IllegalArgumentException(
          "a consumer on stream " + stream + ", which is no handle; -1 is none");
    }
    if (maxMajor < 0 || maxMinor < 0) {
      throw new IllegalArgumentException(
          "a consumer that understands version " + maxMajor + "." + maxMinor + " of DLPack");
    }
  }

  /**
   * A consumer that takes the tensor on a stream, and understands only legacy tensors.
   *
   * @param stream as Python's protocol has it: a {@code cudaStream_t}; 1 for the legacy default
   *     stream; 2 for the default stream of the calling thread; -1 if it is not to wait for
   *     anything. A handle must exist until the tensor's deleter has run. For 2 and -1 the
   *     consumer's work must be done when it calls the deleter
   * @throws IllegalArgumentException if it is 0, which the protocol forbids as ambiguous
   */
  public static TensorConsumer onStream(long stream) {
    return new TensorConsumer(stream, 0, 0, false);
  }

  /**
   * The same consumer, which also understands versioned tensors: Python's {@code max_version}.
   *
   * @throws IllegalArgumentException if a number is negative
   */
  public TensorConsumer understanding(int major, int minor) {
    return new TensorConsumer(stream, major, minor, isReadOnly);
  }

  /**
   * The same consumer, which may only read the tensor. Later reads by the runtime then do not wait
   * for its work.
   */
  public TensorConsumer reading() {
    return new TensorConsumer(stream, maxMajor, maxMinor, true);
  }

  /** Whether it waits for earlier work. */
  public boolean isOrdered() {
    return stream != NO_STREAM;
  }

  /** Whether its stream is one that a handle names, for the work of any thread. */
  public boolean hasHandle() {
    return stream != NO_STREAM && stream != OF_THREAD;
  }
}
