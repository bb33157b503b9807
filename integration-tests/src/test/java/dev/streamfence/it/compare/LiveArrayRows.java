package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.RuntimeOptions;
import java.util.ArrayList;
import java.util.List;

/** Launches and allocations while a number of arrays are live. */
final class LiveArrayRows implements RowGroup {
  private static final int ELEMENTS = 64;

  private final Device device;
  private final int count;
  private final List<DeviceArray<?>> live = new ArrayList<>();
  private Launches launches;

  LiveArrayRows(Device device, int count) {
    this.device = device;
    this.count = count;
  }

  @Override
  public List<String> rows() {
    return List.of("live-" + count + "-launch", "live-" + count + "-allocate");
  }

  @Override
  public void open() {
    launches = new Launches(device, RuntimeOptions.defaults().withCachingPool(true));
    for (int i = 0; i < count; i++) {
      live.add(allocate());
    }
    launches.runtime.synchronize();
  }

  private DeviceArray<float[]> allocate() {
    return launches.runtime.memory().allocate(launches.stream, float[].class, ELEMENTS);
  }

  @Override
  public double measure(String row) {
    return row.endsWith("-launch")
        ? Batches.nanosEach(launches::batch, launches.runtime::synchronize)
        : Batches.nanosEach(this::allocateAndClose, launches.runtime::synchronize);
  }

  private void allocateAndClose() {
    for (int i = 0; i < Batches.OPERATIONS; i++) {
      allocate().close();
    }
  }
}
