package dev.streamfence.memory;

import java.util.ArrayList;
import java.util.List;

/** An allocation log in memory. It grows until it is cleared. Thread-safe. */
public final class RecordedAllocations implements AllocationLog {
  /** The log that discards every record. */
  static final AllocationLog NONE = record -> {};

  private final List<AllocationRecord> records = new ArrayList<>();

  RecordedAllocations() {}

  @Override
  public synchronized void append(AllocationRecord record) {
    records.add(record);
  }

  /** A copy of the records so far, in order of arrival. */
  public synchronized List<AllocationRecord> records() {
    return List.copyOf(records);
  }

  /** The number of records. */
  public synchronized int size() {
    return records.size();
  }

  /** Removes all records. */
  public synchronized void clear() {
    records.clear();
  }
}
