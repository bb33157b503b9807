package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import java.nio.ByteBuffer;
import java.util.List;

/** Calls of the driver as the runtime makes them, without a recorder in front of them. */
final class DriverRows implements RowGroup {
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

  private final Device device;
  private CudaDriver driver;
  private KernelLaunch launch;

  DriverRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("driver-context", "driver-launch");
  }

  @Override
  public void open() {
    TrackedRuntime runtime = (TrackedRuntime) device.open(RuntimeOptions.defaults());
    driver = runtime.driver();
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
                TrackedStream.timelineOf(runtime.streams().acquire()).stream(),
                frame)
            .grid(1, 1, 1)
            .block(Launches.N, 1, 1);
  }

  @Override
  public double measure(String row) {
    Runnable call =
        switch (row) {
          case "driver-context" -> driver::makeCurrent;
          case "driver-launch" -> () -> driver.launchKernel(launch);
          default -> throw new IllegalArgumentException(row);
        };
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            call.run();
          }
        },
        driver::synchronizeDevice);
  }
}
