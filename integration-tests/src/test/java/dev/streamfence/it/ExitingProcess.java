package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;

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

  /** Ends in the given way. */
  public static void main(String[] arguments) throws InterruptedException {
    DeviceRuntime gpu = DeviceRuntime.open(0);
    DeviceStream stream = gpu.streams().acquire();
    SuiteKernels kernels = SuiteKernelsLauncher.on(stream);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[1 << 20]);
    kernels.increment(values, 1 << 20);
    stream.synchronize();
    new Gate(gpu).holdBack(stream);
    for (int i = 0; i < 100; i++) {
      kernels.increment(values, 1 << 20);
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
