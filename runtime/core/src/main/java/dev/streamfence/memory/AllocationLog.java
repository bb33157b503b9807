package dev.streamfence.memory;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Records each allocation, free and reap of a runtime. The thread that requested memory calls it
 * afterwards; implementations are thread-safe. An exception or {@link Error} from a log never
 * reaches that thread: the record counts as dropped. A log must not use the runtime that writes to
 * it.
 *
 * <p>The caller that creates a log closes it, after the runtimes that write to it.
 */
@FunctionalInterface
public interface AllocationLog extends AutoCloseable {
  /** Records one request. */
  void append(AllocationRecord record);

  /** Releases the log's destination. Does nothing unless an implementation overrides it. */
  @Override
  default void close() {}

  /** No log: records and formats nothing. */
  static AllocationLog none() {
    return RecordedAllocations.NONE;
  }

  /** A log that keeps its records in memory. */
  static RecordedAllocations inMemory() {
    return new RecordedAllocations();
  }

  /**
   * A log in a file of comma-separated values, with a header of {@link AllocationRecord}'s
   * component names and then one line per record. A line is in the file when {@link #append}
   * returns. Needs the library FastCSV, which the program adds.
   *
   * @param file the file, which is overwritten
   * @throws java.io.UncheckedIOException if the file cannot be written
   * @throws IllegalStateException if FastCSV is not on the class path or module path
   */
  static AllocationLog csv(Path file) {
    Objects.requireNonNull(file, "file");
    try {
      return new CsvAllocationLog(file);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "an allocation log as CSV needs the library FastCSV; add de.siegmar:fastcsv, whose version"
              + " streamfence-bom names",
          e);
    }
  }
}
