package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.launch.LaunchShape;
import java.util.List;

/** Launches on memory of the caching pool that was freed on another stream. */
final class ReuseRows implements RowGroup {
  private static final int MEBIBYTE = 1 << 20;
  private static final LaunchShape ONE = LaunchShape.of(1, 1);

  /** Some microseconds: longer than the host needs for the next one. */
  private static final long DWELL_CYCLES = 15_000;

  private final Device device;
  private DeviceRuntime runtime;
  private DeviceStream[] inTurns;
  private CompareKernels[] kernels;

  ReuseRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("reuse", "reuse-calls");
  }

  @Override
  public void open() {
    runtime = device.open(RuntimeOptions.defaults().withCachingPool(true));
    inTurns = new DeviceStream[] {runtime.streams().acquire(), runtime.streams().acquire()};
    kernels =
        new CompareKernels[] {
          CompareKernelsLauncher.on(inTurns[0]), CompareKernelsLauncher.on(inTurns[1])
        };
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "reuse" -> Batches.nanosEach(this::reuse, runtime::synchronize);
      case "reuse-calls" -> callsPerReuse();
      default -> throw new IllegalArgumentException(row);
    };
  }

  /** On one stream and the other in turns: the device still uses the memory that comes next. */
  private void reuse() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      try (DeviceArray<float[]> array =
          runtime.memory().allocate(inTurns[i % 2], float[].class, MEBIBYTE)) {
        kernels[i % 2].dwell(array, DWELL_CYCLES, ONE);
      }
    }
  }

  private double callsPerReuse() {
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
