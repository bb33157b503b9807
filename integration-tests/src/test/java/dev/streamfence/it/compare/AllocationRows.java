package dev.streamfence.it.compare;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.List;

/**
 * Allocations from one pool, by the only runtime of the process: with several, each allocation is
 * also counted in what they take together.
 */
final class AllocationRows implements RowGroup {
  private static final int MEBIBYTE = 1 << 20;
  private static final int GIBIBYTE = 1 << 30;

  private final Device device;
  private final boolean isCaching;
  private DeviceStream stream;

  private AllocationRows(Device device, boolean isCaching) {
    this.device = device;
    this.isCaching = isCaching;
  }

  static AllocationRows ofCachingPool(Device device) {
    return new AllocationRows(device, true);
  }

  static AllocationRows ofDriverPool(Device device) {
    return new AllocationRows(device, false);
  }

  @Override
  public List<String> rows() {
    return isCaching
        ? List.of(
            "allocate-1-MiB",
            "allocate-1-GiB",
            "allocate-1-MiB-synchronized",
            "allocate-1-GiB-synchronized")
        : List.of("driver-pool-1-MiB", "driver-pool-1-MiB-synchronized");
  }

  @Override
  public void open() {
    DeviceRuntime runtime = device.open(RuntimeOptions.defaults().withCachingPool(isCaching));
    stream = runtime.streams().acquire();
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "allocate-1-MiB", "driver-pool-1-MiB" -> allocate(MEBIBYTE);
      case "allocate-1-GiB" -> allocate(GIBIBYTE);
      case "allocate-1-MiB-synchronized", "driver-pool-1-MiB-synchronized" ->
          allocateAndSynchronize(MEBIBYTE);
      case "allocate-1-GiB-synchronized" -> allocateAndSynchronize(GIBIBYTE);
      default -> throw new IllegalArgumentException(row);
    };
  }

  private double allocate(int bytes) {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            stream.runtime().memory().allocate(stream, byte[].class, bytes).close();
          }
        },
        stream::synchronize);
  }

  private double allocateAndSynchronize(int bytes) {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            stream.runtime().memory().allocate(stream, byte[].class, bytes).close();
            stream.synchronize();
          }
        },
        () -> {});
  }
}
