package dev.streamfence.examples.e09_kernels_at_run_time;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.stream.IntStream;

/**
 * Counts the values for which a condition holds, with a kernel of its own. Confined to one thread
 * at a time. {@link #close} unloads the kernel.
 */
public final class ConditionCounter implements AutoCloseable {
  /**
   * What a generated launcher knows about a kernel; the PTX is compared with it when it is loaded.
   */
  private static final KernelSignature SIGNATURE =
      KernelSignature.entry("count_if")
          .reads("values", int[].class)
          .readWrites("count", int[].class)
          .threads("n", int.class, 256);

  private final DeviceStream stream;
  private final LoadedModule module;
  private final LaunchRecorder recorder;

  /**
   * Compiles the condition and loads the kernel.
   *
   * @param stream the stream on which it counts
   * @throws IllegalArgumentException if the compiler refuses the source
   * @throws dev.streamfence.KernelLoadException if the PTX does not fit the signature, or the
   *     device refuses it
   */
  public ConditionCounter(DeviceStream stream, CudaCompiler compiler, Condition condition) {
    DeviceInfo device = stream.runtime().info();
    byte[] ptx =
        compiler.compile(
            source(condition), "compute_" + device.computeMajor() + device.computeMinor());
    this.stream = stream;
    this.module = LoadedModule.of(stream, KernelImage.of("count_if.ptx", ptx));
    this.recorder = module.recorder(SIGNATURE);
  }

  static String source(Condition condition) {
    return """
        extern "C" __global__ void count_if(const int *values, int *count, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) {
            int x = values[i];
            if (%s) {
              atomicAdd(count, 1);
            }
          }
        }
        """
        .formatted(condition.toCuda());
  }

  /** Prints how many of the numbers below 100 are multiples of 7 and at least 50. */
  public static void main(String[] arguments) {
    Condition condition = new Condition.And(new Condition.AtLeast(50), new Condition.MultipleOf(7));
    int[] numbers = IntStream.range(0, 100).toArray();
    try (DeviceRuntime device =
            DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        ConditionCounter counter = new ConditionCounter(stream, Nvrtc.installed(), condition);
        DeviceArray<int[]> values = device.memory().upload(stream, numbers)) {
      System.out.println(counter.count(values));
    }
  }

  /** Waits for the device, and returns for how many of the values the condition holds. */
  public int count(DeviceArray<int[]> values) {
    try (DeviceArray<int[]> count =
        stream.runtime().memory().allocateZeroed(stream, int[].class, 1)) {
      try (LaunchRecorder launch = recorder.begin()) {
        launch.array(values).array(count).threads(values.length()).preflight().launch().commit();
      }
      return DeviceArrays.getInt(count, stream, 0);
    }
  }

  @Override
  public void close() {
    module.unload();
  }
}
