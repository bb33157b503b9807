package dev.streamfence.internal.driver;

import java.util.List;

/**
 * Receives what launches declare about their use of memory, and the numbers of streams. A driver
 * that names them in its reports has one. Thread-safe.
 */
public interface LaunchObserver {
  /**
   * The declared use of one range of device memory. Immutable.
   *
   * @param parameter the kernel's parameter
   * @param address the first byte; 0 for an empty array
   * @param bytes how many bytes; 0 for an untracked address, which stands for the whole allocation
   *     around it, and for an empty array
   * @param reads whether the kernel may load from it before it stores there
   * @param writes whether the kernel may store to it
   * @param argument the array that was passed, with its length and tag; empty if there is none
   * @param elementBytes the size of its elements; 0 if there is none
   * @param distinct whether no two of the elements that the kernel loads are equal
   * @param least the least of the elements that the kernel loads; the least number if they may be
   *     any
   * @param most the greatest of them; the greatest number if they may be any
   */
  record Use(
      String parameter,
      long address,
      long bytes,
      boolean reads,
      boolean writes,
      String argument,
      int elementBytes,
      boolean distinct,
      long least,
      long most) {
    /** A use of memory that is no array. */
    public Use(String parameter, long address, long bytes, boolean reads, boolean writes) {
      this(parameter, address, bytes, reads, writes, "", 0);
    }

    /** A use of an array whose elements may be any. */
    public Use(
        String parameter,
        long address,
        long bytes,
        boolean reads,
        boolean writes,
        String argument,
        int elementBytes) {
      this(
          parameter,
          address,
          bytes,
          reads,
          writes,
          argument,
          elementBytes,
          false,
          Long.MIN_VALUE,
          Long.MAX_VALUE);
    }

    /** Whether something is declared of the numbers that the kernel loads. */
    public boolean declaresNumbers() {
      return distinct || isLimited();
    }

    /** Whether the elements that the kernel loads lie between {@link #least} and {@link #most}. */
    public boolean isLimited() {
      return least != Long.MIN_VALUE || most != Long.MAX_VALUE;
    }
  }

  /** Receives the number by which the runtime, and so every report, names a stream. */
  default void numbered(CudaDriver.StreamHandle stream, int number) {}

  /**
   * Receives the uses of the calling thread's next launch on a stream. Called right before {@link
   * CudaDriver#launchKernel}, which is skipped if this throws; not called for an empty grid, which
   * launches nothing.
   *
   * @param purpose kernel and stream, for reports
   * @param stream the stream of the launch
   * @param ticket the launch's ticket, at least 1
   * @param uses one per address parameter, in parameter order; the observer keeps the list
   */
  void launching(String purpose, CudaDriver.StreamHandle stream, long ticket, List<Use> uses);

  /**
   * Receives the uses of whatever the calling thread puts on a stream by code that is not the
   * runtime's, until {@link #submitted}.
   *
   * @param purpose the name of the call and its stream, for reports
   * @param uses as for {@link #launching}
   */
  default void submitting(
      String purpose, CudaDriver.StreamHandle stream, long ticket, List<Use> uses) {}

  /** Ends what {@link #submitting} has begun. */
  default void submitted() {}
}
