package dev.streamfence.memory;

/**
 * One request for device memory and its outcome. Immutable.
 *
 * @param action the kind of request
 * @param deviceOrdinal number of the device
 * @param stream number of the stream that the memory was allocated on; -1 for {@link Action#REAP}
 * @param address start of the allocation; 0 for a failed allocation and for a reap
 * @param bytes size of the allocation or the request; for a reap, the size that it returned
 * @param tag purpose of the allocation; may be empty
 * @param generation number of the allocation; 0 if there is none
 * @param thread number of the Java thread
 * @param order position among all records of this process, from 1
 * @param wallClockNanos nanoseconds since 1970-01-01; informational: {@code order} gives the order
 * @param error simple name of the exception, or empty if the request succeeded
 * @param message message of the exception, cut at 256 bytes; empty if the request succeeded
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

  /** The kinds of request. */
  public enum Action {
    /** Memory is allocated. */
    ALLOCATE,
    /** Memory is freed. */
    DEALLOCATE,
    /** Freed bytes are returned to the budget. */
    REAP
  }

  /** Whether the request succeeded. */
  public boolean isOk() {
    return error.isEmpty();
  }
}
