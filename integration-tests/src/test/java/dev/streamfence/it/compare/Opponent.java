package dev.streamfence.it.compare;

import java.util.List;

/**
 * Measures rows on demand. In a child process it is a program that reads and writes lines:
 *
 * <pre>
 * child:  row launch-one-stream        one line for each row that it can measure
 * child:  about CuPy 13.4              what it is, if that is of interest
 * child:  ready                        or "cannot: REASON": it measures nothing
 * parent: measure launch-one-stream
 * child:  value 2478.5                 or "cannot: REASON"
 * </pre>
 *
 * <p>The end of its input ends it. Its other lines, and those of its standard error, are kept to
 * explain a failure.
 */
interface Opponent extends AutoCloseable {
  /** The column of the table. Several opponents may share it, each with its own rows. */
  String name();

  /** Waits until it is ready. A reason in the greeting means that it measures nothing. */
  Greeting greeting();

  /** Measures one of its rows. */
  Answer measure(String row);

  @Override
  void close();

  /**
   * What an opponent says first.
   *
   * @param about its version, or empty
   * @param missing why it measures nothing, or empty
   */
  record Greeting(List<String> rows, String about, String missing) {
    public Greeting {
      rows = List.copyOf(rows);
    }
  }

  /** What it says to a request. */
  sealed interface Answer {}

  /** The median of its batches, in the unit of the row. */
  record Value(double number) implements Answer {}

  /** Why there is no number. */
  record Cannot(String reason) implements Answer {}
}
