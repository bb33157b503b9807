package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.launch.LaunchShape;
import java.util.List;

/** Allocations, from the caching pool if the row does not name the driver's. */
final class AllocationRows implements RowGroup {
  private static final int MEBIBYTE = 1 << 20;
  private static final int GIBIBYTE = 1 << 30;
  private static final LaunchShape ONE = LaunchShape.of(1, 1);

  /** Some microseconds: longer than the host needs for the next one. */
  private static final long DWELL_CYCLES = 15_000;

  private final Device device;
  private DeviceRuntime caching;
  private DeviceRuntime plain;
  private DeviceStream stream;
  private DeviceStream plainStream;
  private DeviceStream[] inTurns;
  private CompareKernels[] kernels;

  AllocationRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of(
        "allocate-1-MiB",
        "allocate-1-GiB",
        "allocate-1-MiB-synchronized",
        "allocate-1-GiB-synchronized",
        "driver-pool-1-MiB",
        "driver-pool-1-MiB-synchronized",
        "reuse",
        "reuse-calls");
  }

  @Override
  public void open() {
    RuntimeOptions options = RuntimeOptions.defaults().withCachingPool(true);
    caching = device.open(options);
    stream = caching.streams().acquire();
    DeviceRuntime reusing = device.open(options);
    // The last one decides what the driver's pool keeps.
    plain = device.open(options.withCachingPool(false));
    plainStream = plain.streams().acquire();
    inTurns = new DeviceStream[] {reusing.streams().acquire(), reusing.streams().acquire()};
    kernels =
        new CompareKernels[] {
          CompareKernelsLauncher.on(inTurns[0]), CompareKernelsLauncher.on(inTurns[1])
        };
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "allocate-1-MiB" -> allocate(stream, MEBIBYTE);
      case "allocate-1-GiB" -> allocate(stream, GIBIBYTE);
      case "allocate-1-MiB-synchronized" -> allocateAndSynchronize(stream, MEBIBYTE);
      case "allocate-1-GiB-synchronized" -> allocateAndSynchronize(stream, GIBIBYTE);
      case "driver-pool-1-MiB" -> allocate(plainStream, MEBIBYTE);
      case "driver-pool-1-MiB-synchronized" -> allocateAndSynchronize(plainStream, MEBIBYTE);
      case "reuse" -> Batches.nanosEach(this::reuse, inTurns[0].runtime()::synchronize);
      case "reuse-calls" -> reuseCalls();
      default -> throw new IllegalArgumentException(row);
    };
  }

  private static double allocate(DeviceStream stream, int bytes) {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            stream.runtime().memory().allocate(stream, byte[].class, bytes).close();
          }
        },
        stream::synchronize);
  }

  private static double allocateAndSynchronize(DeviceStream stream, int bytes) {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            stream.runtime().memory().allocate(stream, byte[].class, bytes).close();
            stream.synchronize();
          }
        },
        () -> {});
  }

  /** On one stream and the other in turns: the device still uses the memory that comes next. */
  private void reuse() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      DeviceStream next = inTurns[i % 2];
      try (DeviceArray<float[]> array =
          next.runtime().memory().allocate(next, float[].class, MEBIBYTE)) {
        kernels[i % 2].dwell(array, DWELL_CYCLES, ONE);
      }
    }
  }

  private double reuseCalls() {
    DeviceRuntime runtime = inTurns[0].runtime();
    reuse();
    runtime.synchronize();
    RuntimeStatistics before = runtime.statistics();
    reuse();
    RuntimeStatistics after = runtime.statistics();
    runtime.synchronize();
    long calls = after.driverCalls() - before.driverCalls();
    long launches = after.launches() - before.launches();
    return (double) (calls - launches) / Batches.OPERATIONS;
  }
}
