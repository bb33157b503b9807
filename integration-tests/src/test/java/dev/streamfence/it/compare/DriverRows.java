package dev.streamfence.it.compare;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import java.util.List;

/** Calls of the driver as the runtime makes them. */
final class DriverRows implements RowGroup {
  private final Device device;
  private CudaDriver driver;
  private BareLaunch bare;

  DriverRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("driver-context", "driver-launch");
  }

  @Override
  public void open() {
    DeviceRuntime runtime = device.open(RuntimeOptions.defaults());
    driver = BareLaunch.driver(runtime);
    bare = new BareLaunch(runtime.streams().acquire());
  }

  @Override
  public double measure(String row) {
    Runnable call =
        switch (row) {
          case "driver-context" -> driver::makeCurrent;
          case "driver-launch" -> bare::launch;
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
