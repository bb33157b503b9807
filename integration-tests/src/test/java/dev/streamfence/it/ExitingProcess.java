package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

/** A process that ends with work in flight and nothing closed. */
final class ExitingProcess {
  private ExitingProcess() {}

  /** Ways to end. */
  enum Way {
    RETURN,
    EXIT,
    KILLED,
    OUT_OF_MEMORY
  }

  /** Ends in the given way; with a second argument, on a simulated device. */
  public static void main(String[] arguments) throws InterruptedException {
    boolean isSimulated = arguments.length > 1;
    DeviceRuntime gpu =
        isSimulated
            ? DeviceRuntime.simulated(SimulatedDevice.builder().schedule(Schedule.LAZY).build())
            : DeviceRuntime.open(0);
    DeviceStream stream = gpu.streams().acquire();
    SuiteKernels kernels = SuiteKernelsLauncher.on(stream);
    int elements = isSimulated ? 64 : 1 << 20;
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[elements]);
    kernels.increment(values, elements);
    stream.synchronize();
    if (!isSimulated) {
      new Gate(gpu).holdBack(stream);
    }
    for (int i = 0; i < 100; i++) {
      kernels.increment(values, elements);
    }
    System.out.println(stream.isIdle() ? "idle" : "in flight");
    switch (Way.valueOf(arguments[0])) {
      case RETURN -> {}
      case EXIT -> System.exit(3);
      case KILLED -> Thread.sleep(60_000);
      case OUT_OF_MEMORY -> throw new OutOfMemoryError("as planned");
    }
  }
}
