package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Work on all rows of a table, divided among threads. */
final class RowRanges {
  /** The bits of a byte: no two threads write the same byte of a bitmap. */
  private static final int STEP = 8;

  private RowRanges() {}

  /** Work on the rows from the first, inclusive, to the last, exclusive. */
  @FunctionalInterface
  interface Work {
    /** Does the work. */
    void on(int first, int end);
  }

  /** Does the work on all rows, in as many ranges as there are threads, and waits for them. */
  static void forAll(HostThreads threads, int rows, Work work) {
    List<Callable<Object>> tasks = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= threads.count(); i++) {
      int from = first;
      int end =
          i == threads.count() ? rows : (int) ((long) rows * i / threads.count() / STEP * STEP);
      tasks.add(Executors.callable(() -> work.on(from, end)));
      first = end;
    }
    threads.runAll(tasks);
  }
}
