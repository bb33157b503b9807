package dev.streamfence.examples.spark;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.io.Serial;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;

/** A task that tells which runtime it has while another task of its executor runs. */
final class SharedRuntime implements FlatMapFunction<Iterator<Integer>, SharedRuntime.Seen> {
  @Serial private static final long serialVersionUID = 1;

  /** Two tasks of one executor meet here, each with its stream. */
  private static final CyclicBarrier BOTH = new CyclicBarrier(2);

  /** What a task had. */
  record Seen(String executor, String address, int runtime, String stream)
      implements Serializable {}

  @Override
  public Iterator<Seen> call(Iterator<Integer> numbers) throws Exception {
    DeviceAddress address = DeviceAddress.of(TaskContext.get());
    DeviceRuntime runtime = ExecutorDevice.ofThisProcess().runtime(address);
    try (DeviceStream stream = runtime.streams().acquire()) {
      BOTH.await(1, TimeUnit.MINUTES);
      Seen seen =
          new Seen(
              SparkEnv.get().executorId(),
              address.text(),
              System.identityHashCode(runtime),
              stream.toString());
      BOTH.await(1, TimeUnit.MINUTES);
      return List.of(seen).iterator();
    }
  }
}
