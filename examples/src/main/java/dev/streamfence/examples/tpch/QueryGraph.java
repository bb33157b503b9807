package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStatistics;
import dev.streamfence.graph.KernelGraph;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A query that was recorded once, and runs with any constants. Its inputs are the arrays for the
 * answer: each run binds arrays of its own, so that the next run can be queued before the answer is
 * there. Confined to one thread at a time.
 *
 * @param <A> its answer
 */
final class QueryGraph<A> implements AutoCloseable {
  private final DeviceStream stream;
  private final KernelGraph graph;
  private final long inputLength;
  private final int[] nodes;
  private final Function<Constants, Map<String, Object>> numbers;
  private final Function<List<long[]>, A> answer;

  /**
   * Takes the graph, which {@link #close} closes.
   *
   * @param stream for the runs; stays open
   * @param inputLength the length of each input
   * @param kernel the method of the kernel that takes the constants
   * @param numbers the parameters of this kernel, and their values for some constants
   * @param answer makes the answer from the contents of the inputs, in their order
   */
  QueryGraph(
      DeviceStream stream,
      KernelGraph graph,
      long inputLength,
      String kernel,
      Function<Constants, Map<String, Object>> numbers,
      Function<List<long[]>, A> answer) {
    this.stream = stream;
    this.graph = graph;
    this.inputLength = inputLength;
    this.nodes =
        graph.nodes().stream()
            .filter(node -> node.name().equals(kernel))
            .mapToInt(GraphNode::index)
            .toArray();
    this.numbers = numbers;
    this.answer = answer;
  }

  /** The counts of the graph. */
  GraphStatistics statistics() {
    return graph.statistics();
  }

  /** Runs the query and waits for its answer. */
  A run(Constants constants) {
    return runAll(List.of(constants)).get(0);
  }

  /** Queues a run for each set of constants, and then waits for their answers. */
  List<A> runAll(List<Constants> sets) {
    List<Map<String, DeviceArray<long[]>>> runs = new ArrayList<>();
    try {
      for (Constants constants : sets) {
        Map<String, DeviceArray<long[]>> inputs = new LinkedHashMap<>();
        runs.add(inputs);
        for (String input : graph.inputs()) {
          inputs.put(input, stream.runtime().memory().allocate(stream, long[].class, inputLength));
        }
        set(numbers.apply(constants));
        graph.bind(inputs).launch(stream);
      }
      return runs.stream()
          .map(inputs -> inputs.values().stream().map(array -> array.download(stream)).toList())
          .map(answer)
          .toList();
    } finally {
      runs.forEach(inputs -> inputs.values().forEach(DeviceArray::close));
    }
  }

  private void set(Map<String, Object> values) {
    for (int node : nodes) {
      values.forEach((parameter, value) -> graph.set(node, parameter, value));
    }
  }

  @Override
  public void close() {
    graph.close();
  }
}
