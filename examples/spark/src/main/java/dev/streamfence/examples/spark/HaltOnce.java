package dev.streamfence.examples.spark;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.io.Serial;
import org.apache.spark.TaskContext;

/**
 * An operator that ends the process of its executor in the middle of a job, without a word, as a
 * crash does: once, in the first attempt at one partition. Immutable.
 *
 * @param operator what it does otherwise
 * @param partition the partition whose task ends the process
 */
record HaltOnce(DeviceOperator operator, int partition) implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;

  /** The exit status of a process that was killed. */
  private static final int KILLED = 137;

  @Override
  public DeviceTable apply(DeviceStream stream, DeviceTable batch) {
    TaskContext task = TaskContext.get();
    if (task.partitionId() == partition
        && task.attemptNumber() == 0
        && task.stageAttemptNumber() == 0) {
      Runtime.getRuntime().halt(KILLED);
    }
    return operator.apply(stream, batch);
  }
}
