package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * Time per transfer, until its data is there. {@code floor.cu} in the GPU bundle does the same from
 * C++, and prints GB/s: bytes divided by these times. JMH's {@code -p stagingThreads=2,16} and
 * {@code -p mebibytes=64} measure other numbers.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class TransferBenchmark {
  /** A Java array, copied by several threads. */
  @State(Scope.Benchmark)
  public static class Pageable {
    /** Size of the arrays. */
    @Param({"1", "16", "256", "1024"})
    public int mebibytes;

    /** How many threads copy. */
    @Param({"1", "4", "8"})
    public int stagingThreads;

    private DeviceRuntime gpu;
    private DeviceStream stream;
    private DeviceArray<byte[]> array;
    private byte[] host;

    @Setup(Level.Trial)
    public void open() {
      gpu = DeviceRuntime.open(0, RuntimeOptions.defaults().withStagingThreads(stagingThreads));
      stream = gpu.streams().acquire();
      host = new byte[mebibytes << 20];
      array = gpu.memory().upload(stream, host);
      gpu.synchronize();
    }

    @TearDown(Level.Trial)
    public void close() {
      gpu.close();
    }
  }

  /** Page-locked memory, and a counter. */
  @State(Scope.Benchmark)
  public static class Pinned {
    /** Size of the arrays. */
    @Param({"1", "16", "256", "1024"})
    public int mebibytes;

    private DeviceRuntime gpu;
    private DeviceStream stream;
    private DeviceArray<byte[]> array;
    private PinnedArray<byte[]> host;

    @Setup(Level.Trial)
    public void open() {
      gpu = DeviceRuntime.open(0);
      stream = gpu.streams().acquire();
      int bytes = mebibytes << 20;
      array = gpu.memory().allocateZeroed(stream, byte[].class, bytes);
      host = gpu.memory().pinned(byte[].class, bytes);
      array.download(stream, host);
      gpu.synchronize();
    }

    @TearDown(Level.Trial)
    public void close() {
      gpu.close();
    }
  }

  /** One element. */
  @State(Scope.Benchmark)
  public static class Counter {
    private DeviceRuntime gpu;
    private DeviceStream stream;
    private DeviceArray<int[]> counter;

    @Setup(Level.Trial)
    public void open() {
      gpu = DeviceRuntime.open(0);
      stream = gpu.streams().acquire();
      counter = gpu.memory().allocateZeroed(stream, int[].class, 1);
      gpu.synchronize();
    }

    @TearDown(Level.Trial)
    public void close() {
      gpu.close();
    }
  }

  @Benchmark
  public void uploadOfAJavaArray(Pageable on) {
    on.array.upload(on.stream, on.host);
    on.stream.synchronize();
  }

  @Benchmark
  public void downloadToAJavaArray(Pageable on) {
    on.array.download(on.stream, on.host);
  }

  @Benchmark
  public void uploadOfPinnedMemory(Pinned on) {
    on.array.upload(on.stream, on.host);
    on.stream.synchronize();
  }

  @Benchmark
  public void downloadToPinnedMemory(Pinned on) {
    on.array.download(on.stream, on.host);
    on.stream.synchronize();
  }

  @Benchmark
  public int oneElement(Counter on) {
    return DeviceArrays.getInt(on.counter, on.stream, 0);
  }
}
