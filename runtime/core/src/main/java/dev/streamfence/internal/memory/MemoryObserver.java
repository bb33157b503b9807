package dev.streamfence.internal.memory;

import dev.streamfence.memory.AllocationRecord;

/** Hears of each allocation, free and reap of one runtime. Thread-safe; no method waits. */
public interface MemoryObserver {
  /** No observer. */
  MemoryObserver NONE =
      new MemoryObserver() {
        @Override
        public boolean isOn() {
          return false;
        }

        @Override
        public void record(AllocationRecord record) {}
      };

  /** Whether it listens at this moment. */
  boolean isOn();

  /** Receives one request and its outcome. */
  void record(AllocationRecord record);
}
