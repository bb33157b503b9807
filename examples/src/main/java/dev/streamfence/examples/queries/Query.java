package dev.streamfence.examples.queries;

import dev.streamfence.DeviceStream;

/** A query of TPC-H with the parameters for which TPC-H publishes the answers. Immutable. */
public interface Query {
  /** Its number in TPC-H, such as {@code Q1}. */
  String name();

  /** Its text in SQL, as in TPC-H's specification. */
  String sql();

  /** The columns and the order of its answer. */
  AnswerShape shape();

  /**
   * Runs on the device and waits for the answer.
   *
   * @throws UnsupportedOperationException if it does not run on the device yet
   */
  default QueryAnswer run(DeviceStream stream, DeviceTables tables) {
    throw new UnsupportedOperationException(name() + " does not run on the device yet");
  }
}
