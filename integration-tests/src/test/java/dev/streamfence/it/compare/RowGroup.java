package dev.streamfence.it.compare;

import java.util.List;
import java.util.function.Function;

/**
 * Rows that one process measures. Groups are apart so that what the compiler learns from one kind
 * of work does not slow down another kind.
 */
interface RowGroup {
  /** The names of its rows. */
  List<String> rows();

  /** Sets up what the rows need; called once, before the first one is measured. */
  void open() throws Exception;

  /** Measures a row. */
  double measure(String row) throws Exception;

  /** The processes of the runtime. */
  enum Kind {
    RECORDER(device -> new RecorderRows()),
    DRIVER(DriverRows::new),
    LAUNCHES(LaunchRows::new),
    TWO_STREAMS(TwoStreamRows::new),
    NUMBERS(NumberRows::new),
    GRAPHS(GraphRows::new),
    OBSERVED(ObservedRows::new),
    THREADS(ThreadRows::new),
    CACHING_POOL(AllocationRows::ofCachingPool),
    DRIVER_POOL(AllocationRows::ofDriverPool),
    REUSE(ReuseRows::new),
    LIVE_1000(device -> new LiveArrayRows(device, 1_000)),
    LIVE_1000000(device -> new LiveArrayRows(device, 1_000_000)),
    COLD_START(device -> new ColdStartRows()),
    TRANSFERS(TransferRows::new),
    PEERS(PeerRows::new),
    ARROW(ArrowRows::new);

    private final Function<Device, RowGroup> group;

    Kind(Function<Device, RowGroup> group) {
      this.group = group;
    }

    RowGroup on(Device device) {
      return group.apply(device);
    }

    /** Whether it runs on any machine. */
    boolean needsNoGpu() {
      return this == RECORDER;
    }
  }
}
