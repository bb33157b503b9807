package dev.streamfence.examples.spark;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.io.Serial;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.util.CollectionAccumulator;

/**
 * An operator that tells the driver which device it used for each batch. Immutable.
 *
 * @param operator what it does
 * @param uses has one element for each batch, or part of one, of the tasks that succeeded
 */
record WatchedOperator(DeviceOperator operator, CollectionAccumulator<DeviceUse> uses)
    implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;

  @Override
  public DeviceTable apply(DeviceStream stream, DeviceTable batch) {
    DeviceTable result = operator.apply(stream, batch);
    uses.add(
        new DeviceUse(
            SparkEnv.get().executorId(),
            ProcessHandle.current().pid(),
            DeviceAddress.of(TaskContext.get()).text(),
            stream.runtime().info().name()));
    return result;
  }
}
