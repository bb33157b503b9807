package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.trace.Trace;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Host time per launch of a kernel with four arrays, as in {@link LaunchBenchmark}, while the
 * runtime is observed in one way or another.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class ObservingBenchmark {
  private static final int LAUNCHES = 200;
  private static final int N = 256;

  /** How the runtime is observed. */
  public enum Observed {
    /** Not at all. */
    NOTHING,
    /** A recording of JDK Flight Recorder asks for launches and waits. */
    FLIGHT_RECORDER,
    /** A trace in memory. */
    TRACE,
    /** A trace in memory, and measured times. */
    TRACE_WITH_TIMES
  }

  @Param private Observed observed;

  private DeviceRuntime gpu;
  private SuiteKernels kernels;
  private List<DeviceArray<float[]>> arrays;
  private Recording recording;

  @Setup
  public void open() {
    RuntimeOptions options = RuntimeOptions.defaults();
    if (observed == Observed.TRACE || observed == Observed.TRACE_WITH_TIMES) {
      options = options.withTrace(Trace.inMemory(100_000));
    }
    gpu = DeviceRuntime.open(0, options.withDeviceTimes(observed == Observed.TRACE_WITH_TIMES));
    var stream = gpu.streams().acquire();
    kernels = SuiteKernelsLauncher.on(stream);
    arrays =
        Stream.generate(() -> gpu.memory().allocateZeroed(stream, float[].class, N))
            .limit(4)
            .toList();
    if (observed == Observed.FLIGHT_RECORDER) {
      recording = new Recording();
      recording.setMaxSize(64L << 20);
      recording.enable("dev.streamfence.KernelLaunch");
      recording.enable("dev.streamfence.StreamWait");
      recording.start();
    }
  }

  @TearDown
  public void close() {
    if (recording != null) {
      recording.close();
    }
    gpu.close();
  }

  @Setup(Level.Invocation)
  public void synchronize() {
    gpu.synchronize();
  }

  /** The launcher with one stream in use. */
  @Benchmark
  @OperationsPerInvocation(LAUNCHES)
  public void launch() {
    for (int i = 0; i < LAUNCHES; i++) {
      kernels.touch4(arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3), 2f, N, 0);
    }
  }
}
