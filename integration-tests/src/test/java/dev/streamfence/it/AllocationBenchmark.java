package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Host time to allocate and close an array, from the driver's pool and from the caching pool, on
 * the GPU if there is one, and otherwise over a driver that does nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AllocationBenchmark {
  @Param({"1048576", "1073741824"})
  private int bytes;

  @Param({"false", "true"})
  private boolean caching;

  private DeviceRuntime gpu;
  private DeviceStream stream;
  private DeviceStream other;

  @Setup
  public void open() {
    RuntimeOptions options = RuntimeOptions.defaults().withCachingPool(caching);
    gpu =
        DeviceRuntime.isGpuAvailable()
            ? DeviceRuntime.open(0, options)
            : Inside.open(
                new IdleDriver(
                    Inside.open(SimulatedDevice.builder().memoryInBytes(8L << 30).build())),
                options);
    stream = gpu.streams().acquire();
    other = gpu.streams().acquire();
  }

  @TearDown
  public void close() {
    gpu.close();
  }

  @Benchmark
  public void allocateAndClose() {
    gpu.memory().allocate(stream, byte[].class, bytes).close();
  }

  @Benchmark
  public void allocateAndCloseAndSynchronize() {
    gpu.memory().allocate(stream, byte[].class, bytes).close();
    stream.synchronize();
  }

  @Benchmark
  public void allocateAndCloseOnTwoStreamsInTurns() {
    gpu.memory().allocate(stream, byte[].class, bytes).close();
    gpu.memory().allocate(other, byte[].class, bytes).close();
  }
}
