package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.io.Serial;
import org.apache.spark.TaskContext;

/** An operator whose first attempt at the first partition ends the context of the device. */
record BreakOnce(DeviceOperator operator) implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;

  @Override
  public DeviceTable apply(DeviceStream stream, DeviceTable batch) {
    TaskContext task = TaskContext.get();
    if (task.partitionId() == 0 && task.attemptNumber() == 0 && task.stageAttemptNumber() == 0) {
      try (DeviceArray<int[]> values =
          stream.runtime().memory().allocateZeroed(stream, int[].class, 1)) {
        BrokenKernelsLauncher.on(stream).broken(values, 1);
        stream.synchronize();
      }
    }
    return operator.apply(stream, batch);
  }
}
