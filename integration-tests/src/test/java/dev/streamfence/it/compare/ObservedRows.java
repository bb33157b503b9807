package dev.streamfence.it.compare;

import dev.streamfence.RuntimeOptions;
import dev.streamfence.trace.Trace;
import java.util.List;
import jdk.jfr.Recording;

/** Launches while the runtime is observed in one way or another. */
final class ObservedRows implements RowGroup {
  private static final int TRACED_EVENTS = 100_000;

  private final Device device;
  private Launches recorded;
  private Launches traced;
  private Launches timed;

  ObservedRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("observed-by-recording", "observed-by-trace", "observed-by-trace-with-times");
  }

  @Override
  public void open() {
    RuntimeOptions options = RuntimeOptions.defaults();
    recorded = new Launches(device, options);
    traced = new Launches(device, options.withTrace(Trace.inMemory(TRACED_EVENTS)));
    timed =
        new Launches(
            device, options.withTrace(Trace.inMemory(TRACED_EVENTS)).withDeviceTimes(true));
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "observed-by-recording" -> underRecording();
      case "observed-by-trace" -> Batches.nanosEach(traced::batch, traced.runtime::synchronize);
      case "observed-by-trace-with-times" ->
          Batches.nanosEach(timed::batch, timed.runtime::synchronize);
      default -> throw new IllegalArgumentException(row);
    };
  }

  private double underRecording() {
    try (Recording recording = new Recording()) {
      recording.setMaxSize(64L << 20);
      recording.enable("dev.streamfence.KernelLaunch");
      recording.enable("dev.streamfence.StreamWait");
      recording.start();
      return Batches.nanosEach(recorded::batch, recorded.runtime::synchronize);
    }
  }
}
