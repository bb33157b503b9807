package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * Host time per launch of a kernel with a number of arrays and its thread count, over a driver that
 * does nothing: the cost of the recorder and of the order that it keeps. Needs no GPU.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RecorderBenchmark {
  @Param({"1", "4", "16"})
  private int arrayCount;

  private DeviceRuntime gpu;
  private LaunchRecorder touch;
  private LaunchRecorder touchAll;
  private List<DeviceArray<int[]>> arrays;

  @Setup
  public void open() {
    gpu = Inside.open(new IdleDriver(Inside.open(SimulatedDevice.builder().build())));
    DeviceStream stream = gpu.streams().acquire();
    KernelSignature signature = KernelSignature.entry("touch");
    arrays = new ArrayList<>();
    for (int i = 0; i < arrayCount; i++) {
      signature = signature.readWrites("a" + i, int[].class);
      arrays.add(gpu.memory().allocateZeroed(stream, int[].class, 1));
    }
    LoadedModule module = LoadedModule.of(stream, image());
    touch = module.recorder(signature.threads("n", int.class, 256));
    touchAll =
        module.recorder(
            KernelSignature.entry("touchAll")
                .readWrites("table", int[][].class)
                .threads("n", int.class, 256));
  }

  /** A kernel that loads from each array and stores to it. */
  private KernelImage image() {
    StringBuilder parameters = new StringBuilder();
    StringBuilder body = new StringBuilder();
    IntStream.range(0, arrayCount)
        .forEach(
            i -> {
              parameters.append(".param .u64 a").append(i).append(",\n");
              body.append("ld.param.u64 %rd1, [a").append(i).append("];\n");
              body.append("cvta.to.global.u64 %rd2, %rd1;\n");
              body.append("ld.global.u32 %r1, [%rd2];\n");
              body.append("st.global.u32 [%rd2], %r1;\n");
            });
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry touch(%s.param .u32 n)
        {
        .reg .b64 %%rd<3>;
        .reg .b32 %%r<2>;
        %sret;
        }
        .visible .entry touchAll(.param .u64 table, .param .u32 n)
        {
        .reg .b64 %%rd<5>;
        .reg .b32 %%r<2>;
        ld.param.u64 %%rd1, [table];
        cvta.to.global.u64 %%rd2, %%rd1;
        ld.global.u64 %%rd3, [%%rd2];
        cvta.to.global.u64 %%rd4, %%rd3;
        ld.global.u32 %%r1, [%%rd4];
        st.global.u32 [%%rd4], %%r1;
        ret;
        }
        """
            .formatted(parameters, body);
    return KernelImage.of("touch.ptx", ptx.getBytes(StandardCharsets.US_ASCII));
  }

  @TearDown
  public void close() {
    gpu.close();
  }

  /** One launch on one stream. */
  @Benchmark
  public void launch() {
    try (LaunchRecorder recorder = touch.begin()) {
      for (int i = 0; i < arrayCount; i++) {
        recorder.array(arrays.get(i));
      }
      recorder.threads(1).preflight().launch().commit();
    }
  }

  /** One launch with the same arrays as a table that the stream has seen. */
  @Benchmark
  public void launchWithTable() {
    try (LaunchRecorder recorder = touchAll.begin()) {
      recorder.table(arrays).threads(1).preflight().launch().commit();
    }
  }
}
