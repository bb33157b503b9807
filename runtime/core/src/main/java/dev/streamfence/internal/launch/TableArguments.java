package dev.streamfence.internal.launch;

import dev.streamfence.internal.memory.AddressTables;

/**
 * The tables of arrays that one launch passes: which of its arrays are in them, and where the
 * tables lie in device memory. Confined to the thread that holds the submission lock.
 */
final class TableArguments {
  private final AddressTables tables;
  private final int[] parameters;
  private final int[] firsts;
  private final int[] lengths;
  private final long[] addresses;
  private int count;
  private int total;

  /**
   * Creates the tables of a kernel's launches.
   *
   * @param most how many a launch can have
   */
  TableArguments(AddressTables tables, int most) {
    this.tables = tables;
    this.parameters = new int[most];
    this.firsts = new int[most];
    this.lengths = new int[most];
    this.addresses = new long[most];
  }

  int count() {
    return count;
  }

  /** The position of a table's parameter. */
  int parameter(int table) {
    return parameters[table];
  }

  /** How many arrays a table has. */
  int length(int table) {
    return lengths[table];
  }

  /** The device address of a table after {@link #place}; 0 if it has no arrays. */
  long address(int table) {
    return addresses[table];
  }

  /** Adds a table of the arrays that were passed last, from {@code first} on. */
  void add(int parameter, int first, int length) {
    parameters[count] = parameter;
    firsts[count] = first;
    lengths[count++] = length;
    total += length;
  }

  /** Finds a place for each table, see {@link AddressTables#place}. */
  void place(ArrayArguments arrays) {
    place(arrays, tables);
  }

  /** Finds a place for each table among other tables. */
  void place(ArrayArguments arrays, AddressTables where) {
    where.begin(total);
    for (int i = 0; i < count; i++) {
      addresses[i] = lengths[i] == 0 ? 0 : where.place(arrays.addresses(), firsts[i], lengths[i]);
    }
  }

  /** Queues the copies, see {@link AddressTables#send}. */
  long send(long ticket) {
    return tables.send(ticket);
  }

  /** Forgets the launch, and what it has not sent. */
  void release() {
    tables.drop();
    count = 0;
    total = 0;
  }
}
