package dev.streamfence;

import dev.streamfence.memory.CsvAllocationLog;
import dev.streamfence.memory.RecordedAllocations;
import java.nio.file.Path;

/**
 * Where a runtime writes down each allocation, free and reap. Called by the thread that asked for
 * memory, after the fact; implementations are thread-safe. What one throws, be it an {@link Error},
 * never reaches that thread: the record counts as dropped. A log must not use the runtime that
 * writes to it.
 *
 * <p>The caller that makes a log closes it, after the runtimes that write to it.
 */
@FunctionalInterface
public interface AllocationLog extends AutoCloseable {
  /** Takes one record. */
  void append(AllocationRecord record);

  /** Lets go of what the log is written to. Does nothing unless an implementation says so. */
  @Override
  default void close() {}

  /** No log: nothing is noted down or formatted. */
  static AllocationLog none() {
    return RecordedAllocations.NONE;
  }

  /** A log that keeps its records in memory. */
  static RecordedAllocations inMemory() {
    return new RecordedAllocations();
  }

  /**
   * A log in a file of comma-separated values, one line per record behind a line with the names of
   * {@link AllocationRecord}'s components. A line is in the file when {@link #append} returns.
   *
   * @param file is overwritten
   * @throws java.io.UncheckedIOException if it cannot be written
   */
  static AllocationLog csv(Path file) {
    return new CsvAllocationLog(file);
  }
}
