package dev.streamfence.examples.tpch;

import dev.streamfence.examples.tpch.JobReport.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Times the phases of the job, one after another. Confined to one thread at a time. */
final class PhaseClock {
  private final List<Phase> phases = new ArrayList<>();

  /** Runs the work and records how long it took. */
  <T> T time(String name, Supplier<T> work) {
    long start = System.nanoTime();
    T result = work.get();
    phases.add(new Phase(name, System.nanoTime() - start));
    return result;
  }

  /** The phases so far, in order. */
  List<Phase> phases() {
    return List.copyOf(phases);
  }
}
