package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The first launch of a process: opens the device, loads a module of thirty kernels, launches one
 * and waits for it. A process each.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(15)
public class ColdStartBenchmark {
  private static final int N = 1 << 16;

  /** Whether launches are compared with the lengths of their arrays. */
  @Param({"true", "false"})
  private boolean checked;

  /** Opens, loads, launches and waits; the close at the end counts as well. */
  @Benchmark
  public float firstLaunch() {
    RuntimeOptions options = RuntimeOptions.defaults().withBoundsChecks(checked);
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().allocateZeroed(stream, float[].class, N);
        DeviceArray<float[]> y = gpu.memory().allocate(stream, float[].class, N)) {
      ThirtyKernelsLauncher.on(stream).narrow0(x, y, N);
      stream.synchronize();
      return x.length();
    }
  }
}
