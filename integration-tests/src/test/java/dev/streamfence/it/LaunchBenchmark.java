package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.memory.Allocation;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Host time per launch of a kernel with four arrays and two numbers, one block of 256 threads, in
 * batches of 200 that are synchronised in between. {@code floor.cu} in the GPU bundle does the same
 * from C++.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class LaunchBenchmark {
  private static final int LAUNCHES = 200;
  private static final int N = 256;

  private DeviceRuntime gpu;
  private DeviceRuntime pooled;
  private DeviceStream pooledStream;
  private DeviceStream a;
  private DeviceStream b;
  private SuiteKernels onA;
  private SuiteKernels onB;
  private List<DeviceArray<float[]>> arrays;
  private List<DeviceArray<int[]>> columns;
  private long swaps;
  private CudaDriver driver;
  private ModuleHandle module;
  private FunctionHandle function;
  private StreamHandle stream;
  private HostMemory frame;

  @Setup
  public void open() throws IOException {
    gpu = DeviceRuntime.open(0);
    pooled =
        DeviceRuntime.open(
            0,
            RuntimeOptions.defaults()
                .withMemoryResource(resource -> new BlockPool(resource, 1 << 20)));
    pooledStream = pooled.streams().acquire();
    a = gpu.streams().acquire();
    onA = SuiteKernelsLauncher.on(a);
    arrays =
        List.of(
            gpu.memory().allocateZeroed(a, float[].class, N),
            gpu.memory().allocateZeroed(a, float[].class, N),
            gpu.memory().allocateZeroed(a, float[].class, N),
            gpu.memory().allocateZeroed(a, float[].class, N));
    columns = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      columns.add(gpu.memory().allocateZeroed(a, int[].class, N));
    }
    openDriver();
  }

  /** A benchmark that needs a second stream opens it: from then on launches record events. */
  private SuiteKernels second() {
    if (onB == null) {
      b = gpu.streams().acquire();
      onB = SuiteKernelsLauncher.on(b);
    }
    return onB;
  }

  private void openDriver() throws IOException {
    driver = Inside.driver(gpu);
    try (InputStream ptx =
        Objects.requireNonNull(LaunchBenchmark.class.getResourceAsStream("/kernels/suite.ptx"))) {
      module = driver.loadModule("suite.ptx", ptx.readAllBytes());
    }
    function = driver.function(module, "touch4");
    stream = driver.createStream(0);
    frame = driver.allocateHost(96);
    for (int i = 0; i < 6; i++) {
      frame.buffer().putLong(8 * i, frame.address() + 48 + 8 * i);
    }
    for (int i = 0; i < 4; i++) {
      Allocation allocation = Inside.allocation(arrays.get(i));
      frame.buffer().putLong(48 + 8 * i, allocation.address());
    }
    frame.buffer().putFloat(80, 2f).putInt(88, N);
  }

  @TearDown
  public void close() {
    driver.synchronizeDevice();
    driver.freeHost(frame);
    driver.destroyStream(stream);
    driver.unloadModule(module);
    pooled.close();
    gpu.close();
  }

  @Setup(Level.Invocation)
  public void synchronize() {
    driver.synchronizeDevice();
  }

  /** The driver seam alone: nothing tracked. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void driverAlone() {
    for (int i = 0; i < LAUNCHES; i++) {
      driver.launchKernel(new KernelLaunch(function, false, stream, frame).block(N, 1, 1));
    }
  }

  /** The launcher with one stream in use. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void launcherOnOneStream() {
    for (int i = 0; i < LAUNCHES; i++) {
      launch(onA);
    }
  }

  /** The launcher with two streams in use, launching on one: one event per launch. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void launcherWithEvents() {
    launch(second());
    for (int i = 1; i < LAUNCHES; i++) {
      launch(onA);
    }
  }

  /**
   * The launcher on two streams in turns over the same arrays: a wait, a launch and a record each.
   */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void launcherPingPong() {
    SuiteKernels other = second();
    for (int i = 0; i < LAUNCHES / 2; i++) {
      launch(onA);
      launch(other);
    }
  }

  /** A kernel with sixteen arrays as sixteen parameters. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void sixteenParameters() {
    List<DeviceArray<int[]>> c = columns;
    for (int i = 0; i < LAUNCHES; i++) {
      onA.bump16(
          c.get(0), c.get(1), c.get(2), c.get(3), c.get(4), c.get(5), c.get(6), c.get(7), c.get(8),
          c.get(9), c.get(10), c.get(11), c.get(12), c.get(13), c.get(14), c.get(15), N);
    }
  }

  /** The same arrays as a table, which the stream has seen. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void tableOfSixteen() {
    for (int i = 0; i < LAUNCHES; i++) {
      onA.bumpAll(columns, 16, N);
    }
  }

  /** Tables of the same arrays in an order that the stream has not seen: a copy per launch. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void newTableOfSixteen() {
    for (int i = 0; i < LAUNCHES; i++) {
      // The next permutation differs from the last thousands.
      Collections.swap(columns, (int) (swaps % 16), (int) (swaps / 16 % 16));
      swaps += 7;
      onA.bumpAll(columns, 16, N);
    }
  }

  /** Allocates and frees 1 MiB. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void allocateAndFree() {
    for (int i = 0; i < LAUNCHES; i++) {
      gpu.memory().allocate(a, byte[].class, 1 << 20).close();
    }
  }

  /** The same from a resource that keeps freed blocks: no call of the driver. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void allocateAndFreeFromAPool() {
    for (int i = 0; i < LAUNCHES; i++) {
      pooled.memory().allocate(pooledStream, byte[].class, 1 << 20).close();
    }
  }

  private void launch(SuiteKernels kernels) {
    kernels.touch4(arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3), 2f, N, 0);
  }
}
