package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.Arrays;

public final class Main {
  private Main() {}

  public static void main(String[] args) {
    boolean onGpu = args.length > 0 && args[0].equals("gpu");
    try (DeviceRuntime gpu = onGpu ? DeviceRuntime.open(0) : DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      CountingKernelsLauncher.on(stream).countUp(target, 7, 3);
      System.out.println(Main.class.getModule() + " " + Arrays.toString(target.download(stream)));
    }
  }
}
