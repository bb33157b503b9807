package dev.streamfence.internal.driver;

/**
 * Names what a thread does, for a profiler. Thread-safe: each thread has ranges of its own, which
 * end in the opposite order of their beginnings.
 */
public interface HostRanges {
  /** Begins a range of the calling thread. */
  void push(String name);

  /** Ends the latest range of the calling thread. */
  void pop();
}
