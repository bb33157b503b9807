package dev.streamfence.examples.queries;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;

/** A query of TPC-H with the parameters for which TPC-H publishes the answers. Immutable. */
public interface Query {
  /** Its number in TPC-H, such as {@code Q1}. */
  String name();

  /** Its text in SQL, as in TPC-H's specification. */
  String sql();

  /** The columns and the order of its answer. */
  AnswerShape shape();

  /**
   * Computes the answer on the device: a table with the columns of the answer, in its order, which
   * the caller closes. Waits for the device.
   *
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceTable onDevice(DeviceStream stream, DeviceTables tables);

  /** Runs on the device and waits for the answer. */
  default QueryAnswer run(DeviceStream stream, DeviceTables tables) {
    try (DeviceTable table = onDevice(stream, tables)) {
      return new QueryAnswer(shape(), AnswerRows.download(stream, table, shape()));
    }
  }
}
