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
 * C++, and prints GB/s: bytes divided by these times.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class TransferBenchmark {
  /** Size of the arrays. */
  @Param({"1", "16", "256"})
  public int mebibytes;

  /** How many threads copy Java arrays. */
  @Param({"1", "4"})
  public int stagingThreads;

  private DeviceRuntime gpu;
  private DeviceStream stream;
  private DeviceArray<byte[]> array;
  private DeviceArray<int[]> counter;
  private PinnedArray<byte[]> pinned;
  private byte[] host;

  @Setup(Level.Trial)
  public void open() {
    gpu = DeviceRuntime.open(0, RuntimeOptions.defaults().withStagingThreads(stagingThreads));
    stream = gpu.streams().acquire();
    int bytes = mebibytes << 20;
    host = new byte[bytes];
    array = gpu.memory().upload(stream, host);
    counter = gpu.memory().allocateZeroed(stream, int[].class, 1);
    pinned = gpu.memory().pinned(byte[].class, bytes);
    pinned.put(0, host);
    gpu.synchronize();
  }

  @TearDown(Level.Trial)
  public void close() {
    gpu.close();
  }

  @Benchmark
  public void uploadOfAJavaArray() {
    array.upload(stream, host);
    stream.synchronize();
  }

  @Benchmark
  public void downloadToAJavaArray() {
    array.download(stream, host);
  }

  @Benchmark
  public void uploadOfPinnedMemory() {
    array.upload(stream, pinned);
    stream.synchronize();
  }

  @Benchmark
  public void downloadToPinnedMemory() {
    array.download(stream, pinned);
    stream.synchronize();
  }

  @Benchmark
  public int oneElement() {
    return DeviceArrays.getInt(counter, stream, 0);
  }
}
