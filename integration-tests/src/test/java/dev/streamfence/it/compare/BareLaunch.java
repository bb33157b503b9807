package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import java.nio.ByteBuffer;

/**
 * The driver's calls of a launch as the runtime makes them, without a recorder in front of them.
 */
final class BareLaunch {
  /** Loads and stores nothing, so that its arguments need no arrays. */
  private static final String NOTHING =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,
          .param .f32 factor, .param .u32 n)
      {
      ret;
      }
      """;

  private static final int ARGUMENTS = 6;

  private final CudaDriver driver;
  private final KernelLaunch launch;

  BareLaunch(DeviceStream stream) {
    driver = driver(stream.runtime());
    HostMemory frame = driver.allocateHost(2L * ARGUMENTS * Long.BYTES);
    ByteBuffer table = frame.buffer();
    for (int i = 0; i < ARGUMENTS; i++) {
      table.putLong(i * Long.BYTES, frame.address() + (long) (ARGUMENTS + i) * Long.BYTES);
    }
    launch =
        new KernelLaunch(
                driver.function(
                    driver.loadModule("nothing.ptx", NOTHING.getBytes(US_ASCII)), "nothing"),
                false,
                TrackedStream.timelineOf(stream).stream(),
                frame)
            .grid(1, 1, 1)
            .block(Launches.N, 1, 1);
  }

  static CudaDriver driver(DeviceRuntime runtime) {
    return ((TrackedRuntime) runtime).driver();
  }

  void launch() {
    driver.launchKernel(launch);
  }
}
