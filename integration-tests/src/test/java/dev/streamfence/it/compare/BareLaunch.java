package dev.streamfence.it.compare;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * The driver's calls of a launch of {@link CompareKernels#touch4} as the runtime makes them,
 * without a recorder in front of them.
 */
final class BareLaunch {
  private static final String KERNELS = "/kernels/compare.ptx";
  private static final int ARRAYS = 4;
  private static final int ARGUMENTS = ARRAYS + 2;

  private final CudaDriver driver;
  private final KernelLaunch launch;

  BareLaunch(DeviceStream stream) {
    driver = driver(stream.runtime());
    HostMemory frame = driver.allocateHost(2L * ARGUMENTS * Long.BYTES);
    ByteBuffer table = frame.buffer();
    for (int i = 0; i < ARGUMENTS; i++) {
      table.putLong(i * Long.BYTES, frame.address() + argument(i));
    }
    for (int i = 0; i < ARRAYS; i++) {
      table.putLong(argument(i), driver.allocate(Launches.N * (long) Float.BYTES));
    }
    table.putFloat(argument(ARRAYS), 2f);
    table.putInt(argument(ARRAYS + 1), Launches.N);
    launch =
        new KernelLaunch(
                driver.function(driver.loadModule("compare.ptx", kernels()), "touch4"),
                false,
                TrackedStream.timelineOf(stream).stream(),
                frame)
            .grid(1, 1, 1)
            .block(Launches.N, 1, 1);
  }

  /** Where an argument lies in the frame, behind the table of the addresses of all. */
  private static int argument(int index) {
    return (ARGUMENTS + index) * Long.BYTES;
  }

  private static byte[] kernels() {
    try (InputStream ptx = BareLaunch.class.getResourceAsStream(KERNELS)) {
      return ptx.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static CudaDriver driver(DeviceRuntime runtime) {
    return ((TrackedRuntime) runtime).driver();
  }

  void launch() {
    driver.launchKernel(launch);
  }
}
