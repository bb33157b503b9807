package dev.streamfence.examples.spark;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.io.Serializable;

/** What a task does with each batch on the device; Spark sends it to the executors. Immutable. */
@FunctionalInterface
interface DeviceOperator extends Serializable {
  /**
   * Computes the result of a batch, or of a part of it if memory is short. May run again for the
   * same rows.
   *
   * @return a table that the caller closes
   */
  DeviceTable apply(DeviceStream stream, DeviceTable batch);
}
