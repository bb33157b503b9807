package dev.streamfence.it.compare;

import dev.streamfence.RuntimeOptions;
import java.util.List;

/** Host time per launch while two streams are in use: from then on launches record events. */
final class TwoStreamRows implements RowGroup {
  private final Device device;
  private Launches launches;
  private CompareKernels onSecond;

  TwoStreamRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("launch-two-streams", "launch-ping-pong");
  }

  @Override
  public void open() {
    launches = new Launches(device, RuntimeOptions.defaults());
    onSecond = CompareKernelsLauncher.on(launches.runtime.streams().acquire());
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "launch-two-streams" -> Batches.nanosEach(this::onOne, launches.runtime::synchronize);
      case "launch-ping-pong" -> Batches.nanosEach(this::inTurns, launches.runtime::synchronize);
      default -> throw new IllegalArgumentException(row);
    };
  }

  /** All but one launch are on one stream; most of them have no event, where C++ has one each. */
  private void onOne() {
    launches.launch(onSecond, 2f, Launches.N);
    for (int i = 1; i < Batches.OPERATIONS; i++) {
      launches.launch(launches.kernels, 2f, Launches.N);
    }
  }

  /** A wait, a launch and an event each. */
  private void inTurns() {
    for (int i = 0; i < Batches.OPERATIONS / 2; i++) {
      launches.launch(launches.kernels, 2f, Launches.N);
      launches.launch(onSecond, 2f, Launches.N);
    }
  }
}
