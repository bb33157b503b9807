package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import java.util.ArrayList;
import java.util.List;

/** The findings made while they are collected. Thread-safe. */
final class FindingLog {
  private final List<Finding> collected = new ArrayList<>();
  private boolean collecting;

  synchronized void collect() {
    collecting = true;
  }

  /** Stores a finding if findings are collected. */
  synchronized boolean take(Finding finding) {
    if (collecting) {
      collected.add(finding);
    }
    return collecting;
  }

  synchronized List<Finding> snapshot() {
    return List.copyOf(collected);
  }
}
