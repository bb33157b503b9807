package dev.streamfence.internal.launch;

import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.AddressTables;
import java.util.List;

/**
 * The tables of arrays that one launch passes: which of its arrays are in them, and where the
 * tables lie in device memory. Confined to the thread that holds the submission lock.
 */
final class TableArguments {
  private final AddressTables tables;
  private final LaunchParameters declared;
  private final ArgumentFrame frame;
  private final ArrayArguments arrays;
  private final int[] parameters;
  private final int[] firsts;
  private final int[] lengths;
  private final long[] addresses;
  private int count;
  private int total;

  /**
   * Creates the tables of a kernel's launches.
   *
   * @param frame receives their addresses
   */
  TableArguments(
      AddressTables tables, LaunchParameters declared, ArgumentFrame frame, ArrayArguments arrays) {
    this.tables = tables;
    this.declared = declared;
    this.frame = frame;
    this.arrays = arrays;
    int most = declared.all().length;
    this.parameters = new int[most];
    this.firsts = new int[most];
    this.lengths = new int[most];
    this.addresses = new long[most];
  }

  /** Whether the launch passes none. */
  boolean isEmpty() {
    return count == 0;
  }

  /** Adds a table of the arrays that were passed last, from {@code first} on. */
  void add(int parameter, int first, int length) {
    parameters[count] = parameter;
    firsts[count] = first;
    lengths[count++] = length;
    total += length;
  }

  /** Finds a place for each table in device memory, and passes the addresses. */
  void place() {
    place(tables);
  }

  /**
   * Places the tables in memory that keeps them, passes their addresses, and queues the copies.
   *
   * @param kept has no other tables
   */
  void placeIn(AddressTables kept) {
    place(kept);
    kept.send(0);
  }

  private void place(AddressTables where) {
    where.begin(total, declared.kernel());
    for (int i = 0; i < count; i++) {
      addresses[i] = lengths[i] == 0 ? 0 : where.place(arrays.addresses(), firsts[i], lengths[i]);
      frame.put(declared.offsets()[parameters[i]], addresses[i]);
    }
  }

  /** Queues the copies, see {@link AddressTables#send}. */
  long send(long ticket) {
    return tables.send(ticket);
  }

  /** Adds the uses of the tables themselves. */
  void addUses(List<LaunchObserver.Use> uses) {
    for (int i = 0; i < count; i++) {
      if (lengths[i] > 0) {
        uses.add(
            new LaunchObserver.Use(
                declared.name(parameters[i], ArrayArguments.IN_NO_TABLE),
                addresses[i],
                (long) lengths[i] * Long.BYTES,
                true,
                false));
      }
    }
  }

  /** Forgets the launch, and what it has not sent. */
  void release() {
    tables.drop();
    count = 0;
    total = 0;
  }
}
