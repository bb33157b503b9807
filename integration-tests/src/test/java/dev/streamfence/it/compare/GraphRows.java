package dev.streamfence.it.compare;

import com.sun.management.ThreadMXBean;
import dev.streamfence.DeviceArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.launch.LaunchShape;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Stream;

/** Graphs of launches: the host's time, the device's, and what a launch of one allocates. */
final class GraphRows implements RowGroup {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Launches of a graph per batch: more would fill the stream's queue. */
  private static final int RUNS = 10;

  /**
   * Launches of each graph before it is measured: a batch has only a few, and the compiler
   * optimises code after thousands.
   */
  private static final int WARM_UP_RUNS = 10_000;

  private static final int NODES = 64;
  private static final long LONG_CYCLES = 400_000;

  private final Device device;
  private Launches launches;
  private List<DeviceArray<float[]>> others;
  private KernelGraph chain;
  private KernelGraph bound;
  private KernelGraph diamond;
  private int runs;

  GraphRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of(
        "graph-64",
        "graph-64-run",
        "graph-64-bound",
        "graph-64-change",
        "graph-diamond",
        "graph-bytes");
  }

  @Override
  public void open() {
    launches = new Launches(device, RuntimeOptions.defaults());
    others = arrays(8);
    CompareKernels kernels = launches.kernels;
    chain = launches.runtime.graph("chain", body -> repeat(NODES));
    bound =
        launches.runtime.graph(
            "bound",
            body -> {
              repeat(NODES - 4);
              DeviceArray<float[]> input = body.input("input", others.get(0));
              for (int i = 0; i < 4; i++) {
                kernels.touch4(others.get(2), input, others.get(3), others.get(4), 2f, Launches.N);
              }
            });
    LaunchShape one = LaunchShape.of(1, 1);
    diamond =
        launches.runtime.graph(
            "diamond",
            body -> {
              kernels.dwell(others.get(5), 1, one);
              kernels.dwell(others.get(6), LONG_CYCLES, one);
              kernels.dwell(others.get(7), LONG_CYCLES, one);
              kernels.touch4(
                  others.get(5), others.get(6), others.get(7), others.get(4), 2f, Launches.N);
            });
    for (int i = 0; i < WARM_UP_RUNS; i += RUNS) {
      batch(() -> chain.launch(launches.stream));
      batch(this::launchBound);
      launches.runtime.synchronize();
    }
  }

  private List<DeviceArray<float[]>> arrays(int count) {
    return Stream.generate(
            () ->
                launches
                    .runtime
                    .memory()
                    .allocateZeroed(launches.stream, float[].class, Launches.N))
        .limit(count)
        .toList();
  }

  private void repeat(int times) {
    for (int i = 0; i < times; i++) {
      launches.launch(launches.kernels, 2f, Launches.N);
    }
  }

  @Override
  public double measure(String row) {
    return switch (row) {
      case "graph-64" -> hostTime(() -> chain.launch(launches.stream));
      case "graph-64-run" -> Batches.nanosAfter(() -> {}, () -> run(chain));
      case "graph-64-bound" -> hostTime(this::launchBound);
      case "graph-64-change" ->
          hostTime(this::launchBound) - hostTime(() -> bound.launch(launches.stream));
      case "graph-diamond" -> Batches.nanosAfter(() -> {}, () -> run(diamond));
      case "graph-bytes" -> bytes();
      default -> throw new IllegalArgumentException(row);
    };
  }

  private double hostTime(Runnable launch) {
    return Batches.nanosAfter(launches.runtime::synchronize, () -> batch(launch)) / RUNS;
  }

  private static void batch(Runnable launch) {
    for (int i = 0; i < RUNS; i++) {
      launch.run();
    }
  }

  private void launchBound() {
    bound.bind("input", others.get(runs++ % 2)).launch(launches.stream);
  }

  private void run(KernelGraph graph) {
    graph.launch(launches.stream);
    launches.stream.synchronize();
  }

  /** The least of several batches: the compiler allocates in some. */
  private double bytes() {
    long least = Long.MAX_VALUE;
    Runnable launch = () -> chain.launch(launches.stream);
    for (int i = 0; i < 50; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      batch(launch);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      launches.runtime.synchronize();
    }
    return (double) least / RUNS;
  }
}
