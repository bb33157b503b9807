package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.jcuda.StandIn;

/** A process that opens a device, launches one kernel whose facts it has, waits and closes. */
final class FirstLaunchProcess {
  private FirstLaunchProcess() {}

  public static void main(String[] arguments) {
    StandIn.loaded();
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<boolean[]> flags = gpu.memory().allocateZeroed(stream, boolean[].class, 1024);
        DeviceArray<byte[]> bits = gpu.memory().allocate(stream, byte[].class, 128)) {
      ColumnKernels.pack(stream, flags, bits);
      stream.synchronize();
    }
  }

  /** A process that opens a device, and waits until the classes of a first launch are loaded. */
  static final class Opening {
    private Opening() {}

    public static void main(String[] arguments) throws InterruptedException {
      StandIn.loaded();
      try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
          if (thread.getName().equals("loading the classes of a first launch")) {
            thread.join();
          }
        }
        System.out.println("opened " + gpu.info().name());
      }
    }
  }
}
