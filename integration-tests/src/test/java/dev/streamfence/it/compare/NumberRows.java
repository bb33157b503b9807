package dev.streamfence.it.compare;

import dev.streamfence.RuntimeOptions;
import java.util.List;

/** Launches whose numbers change each time, with checks of bounds and without. */
final class NumberRows implements RowGroup {
  private final Device device;
  private Launches checked;
  private Launches unchecked;

  NumberRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("numbers-checked", "numbers-unchecked");
  }

  @Override
  public void open() {
    checked = new Launches(device, RuntimeOptions.defaults());
    unchecked = new Launches(device, RuntimeOptions.defaults().withBoundsChecks(false));
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "numbers-checked" -> launch(checked);
      case "numbers-unchecked" -> launch(unchecked);
      default -> throw new IllegalArgumentException(row);
    };
  }

  private static double launch(Launches launches) {
    return Batches.nanosEach(
        () -> {
          for (int i = 0; i < Batches.OPERATIONS; i++) {
            launches.launch(launches.kernels, i, Launches.N - i);
          }
        },
        launches.runtime::synchronize);
  }
}
