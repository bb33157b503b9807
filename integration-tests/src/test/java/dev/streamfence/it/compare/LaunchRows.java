package dev.streamfence.it.compare;

import com.sun.management.ThreadMXBean;
import dev.streamfence.DeviceArray;
import dev.streamfence.RuntimeOptions;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Host time per launch on one stream, and what it allocates on the Java heap. */
final class LaunchRows implements RowGroup {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Device device;
  private Launches one;
  private List<DeviceArray<int[]>> sixteen;
  private long swaps;

  LaunchRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of(
        "launch-one-stream",
        "launch-16-arrays",
        "launch-table",
        "launch-new-table",
        "launch-bytes");
  }

  @Override
  public void open() {
    one = new Launches(device, RuntimeOptions.defaults());
    sixteen = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      sixteen.add(one.runtime.memory().allocateZeroed(one.stream, int[].class, Launches.N));
    }
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "launch-one-stream" -> Batches.nanosEach(one::batch, one.runtime::synchronize);
      case "launch-16-arrays" -> Batches.nanosEach(this::parameters, one.runtime::synchronize);
      case "launch-table" -> Batches.nanosEach(this::table, one.runtime::synchronize);
      case "launch-new-table" -> Batches.nanosEach(this::newTables, one.runtime::synchronize);
      case "launch-bytes" -> bytes();
      default -> throw new IllegalArgumentException(row);
    };
  }

  private void parameters() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      Launches.sum15(one.kernels, sixteen, sixteen.get(15));
    }
  }

  private void table() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      one.kernels.bumpAll(sixteen, 16, Launches.N);
    }
  }

  /** The arrays in orders that the stream has not seen: a copy per launch. */
  private void newTables() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      // The next permutation differs from the last thousands.
      Collections.swap(sixteen, (int) (swaps % 16), (int) (swaps / 16 % 16));
      swaps += 7;
      one.kernels.bumpAll(sixteen, 16, Launches.N);
    }
  }

  /** The least of several batches: the compiler allocates in some. */
  private double bytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 50; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      one.batch();
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      one.runtime.synchronize();
    }
    return (double) least / Batches.OPERATIONS;
  }
}
