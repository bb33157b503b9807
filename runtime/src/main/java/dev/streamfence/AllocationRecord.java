package dev.streamfence;

/**
 * One request to the memory of a device, and how it ended. Immutable.
 *
 * @param action what was asked for
 * @param deviceOrdinal number of the device
 * @param stream number of the stream that the memory was allocated on; -1 for {@link Action#REAP}
 * @param address where the block is; 0 for a failed allocation and for a reap
 * @param bytes size of the block or the request; for a reap what it returned
 * @param tag what the block is for; may be empty
 * @param generation the block's number; 0 where there is no block
 * @param thread number of the Java thread
 * @param order place among all records of this process, from 1
 * @param wallClockNanos nanoseconds since 1970-01-01; informational, {@code order} decides
 * @param error simple name of the exception, or empty when it succeeded
 * @param message what the exception says, cut at 256 bytes; empty when it succeeded
 */
public record AllocationRecord(
    Action action,
    int deviceOrdinal,
    int stream,
    long address,
    long bytes,
    String tag,
    long generation,
    long thread,
    long order,
    long wallClockNanos,
    String error,
    String message) {

  /** What can be asked of memory. */
  public enum Action {
    /** A block is allocated. */
    ALLOCATE,
    /** A block is freed. */
    DEALLOCATE,
    /** Freed bytes are returned. */
    REAP
  }

  /** Whether the request succeeded. */
  public boolean isOk() {
    return error.isEmpty();
  }
}
