package dev.streamfence.column.dlpack;

/**
 * Who takes an exported tensor: on which stream, and what versions of DLPack it understands. These
 * are the arguments of Python's {@code __dlpack__}. Immutable.
 *
 * @param stream as {@link #onStream} takes it
 * @param maxMajor the major version up to which it understands versioned tensors; 0 if it does not
 * @param maxMinor the minor version of that
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
   * A consumer that takes the tensor on a stream, and understands legacy tensors alone.
   *
   * @param stream as Python's protocol has it: a {@code cudaStream_t}; 1 for the legacy default
   *     stream; 2 for the default stream of the calling thread; -1 if it is not to wait for
   *     anything. A handle exists until the tensor's deleter has run. For 2 and -1 the consumer's
   *     work must be done when it calls the deleter
   * @throws IllegalArgumentException if it is 0, which the protocol forbids as ambiguous
   */
  public static TensorConsumer onStream(long stream) {
    return new TensorConsumer(stream, 0, 0, false);
  }

  /**
   * The same, understanding versioned tensors: Python's {@code max_version}.
   *
   * @throws IllegalArgumentException if a number is negative
   */
  public TensorConsumer understanding(int major, int minor) {
    return new TensorConsumer(stream, major, minor, isReadOnly);
  }

  /**
   * The same, with a tensor that it may only read. Later reads here do not wait for its work then.
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
