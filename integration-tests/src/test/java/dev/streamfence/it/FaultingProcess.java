package dev.streamfence.it;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.LaunchShape;

/**
 * A process whose kernel faults: a lost device stays lost for the process. Prints each message of
 * the runtime on a line of standard output.
 */
final class FaultingProcess {
  private FaultingProcess() {}

  /** Kinds of faults, by their kernel. */
  enum Fault {
    STORE_NOWHERE,
    TRAP,
    ASSERTION,
    MISALIGNED
  }

  /**
   * Runs one fault.
   *
   * @param arguments the fault, and whether launches are synchronous
   */
  public static void main(String[] arguments) {
    boolean synchronous = Boolean.parseBoolean(arguments[1]);
    DeviceRuntime gpu =
        DeviceRuntime.open(0, RuntimeOptions.defaults().withSynchronousLaunches(synchronous));
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3, 4});
    FaultKernels kernels = FaultKernelsLauncher.on(stream);
    say("fault", () -> launch(Fault.valueOf(arguments[0]), kernels, values));
    say("fault", stream::synchronize);
    say("later", () -> values.download(stream));
    say("later", () -> gpu.memory().allocate(stream, int[].class, 4));
    System.out.println("health " + gpu.health().state());
    values.close();
    gpu.close();
    System.out.println("closed");
    reopen();
  }

  /** Whether the same process can open the device again, and use it. */
  private static void reopen() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2})) {
      SuiteKernelsLauncher.on(stream).increment(values, 2);
      System.out.println("reopened " + values.download(stream)[1]);
    } catch (DeviceException e) {
      System.out.println("not reopened: " + e.getMessage().replace('\n', ' '));
    }
  }

  private static void launch(Fault fault, FaultKernels kernels, DeviceArray<int[]> values) {
    LaunchShape one = LaunchShape.of(1, 1);
    switch (fault) {
      case STORE_NOWHERE -> kernels.storeNowhere(one);
      case TRAP -> kernels.trap(one);
      case ASSERTION -> kernels.assertion(1, one);
      case MISALIGNED -> kernels.misaligned(values, one);
    }
  }

  private static void say(String what, Runnable action) {
    try {
      action.run();
    } catch (CudaDriverException e) {
      System.out.println(what + " " + e.code() + ": " + e.getMessage().replace('\n', ' '));
    }
  }
}
