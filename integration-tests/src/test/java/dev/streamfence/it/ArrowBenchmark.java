package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.arrow.ArrowTables;
import dev.streamfence.column.DeviceTable;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
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
 * Time per copy of a table of Arrow Java to the device and back, until its data is there: four
 * columns of 64-bit numbers without nulls. {@code floor.cu} copies as many bytes from C++.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgsAppend = "--add-opens=java.base/java.nio=ALL-UNNAMED")
public class ArrowBenchmark {
  private static final int COLUMNS = 4;

  /** Size of the table. */
  @Param({"256", "1024"})
  public int mebibytes;

  /** How many threads copy. */
  @Param({"1", "4"})
  public int stagingThreads;

  private DeviceRuntime gpu;
  private DeviceStream stream;
  private BufferAllocator allocator;
  private VectorSchemaRoot root;
  private DeviceTable onDevice;

  @Setup(Level.Trial)
  public void open() {
    gpu = DeviceRuntime.open(0, RuntimeOptions.defaults().withStagingThreads(stagingThreads));
    stream = gpu.streams().acquire();
    allocator = new RootAllocator();
    int rows = (int) (((long) mebibytes << 20) / COLUMNS / Long.BYTES);
    FieldVector[] vectors = new FieldVector[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
      BigIntVector vector = new BigIntVector("c" + c, allocator);
      vector.allocateNew(rows);
      for (int i = 0; i < rows; i++) {
        vector.set(i, i);
      }
      vector.setValueCount(rows);
      vectors[c] = vector;
    }
    root = new VectorSchemaRoot(List.of(vectors));
    onDevice = ArrowTables.upload(stream, root);
    gpu.synchronize();
  }

  @TearDown(Level.Trial)
  public void close() {
    onDevice.close();
    root.close();
    allocator.close();
    gpu.close();
  }

  @Benchmark
  public void upload() {
    ArrowTables.upload(stream, root).close();
    stream.synchronize();
  }

  @Benchmark
  public int download() {
    try (VectorSchemaRoot copy = ArrowTables.download(stream, allocator, onDevice)) {
      return copy.getRowCount();
    }
  }
}
