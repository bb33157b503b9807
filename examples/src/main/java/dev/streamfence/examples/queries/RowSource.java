package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.GenerateUtils;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.NationGenerator;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.PartSupplierGenerator;
import io.trino.tpch.RandomBoundedInt;
import io.trino.tpch.RegionGenerator;
import io.trino.tpch.SupplierGenerator;
import io.trino.tpch.TextPool;

/** TPC-H's own rows at one scale: how many there are, and their values. Thread-safe. */
final class RowSource {
  private static final int REGIONS = 5;
  private static final int NATIONS = 25;
  private static final int SUPPLIERS_PER_PART = 4;

  /** TPC-H's seed of the numbers of line items in an order. */
  private static final long LINE_COUNT_SEED = 1_434_868_289L;

  private static final int MOST_LINES_PER_ORDER = 7;

  /** The size of the text for comments, which no query here reads; TPC-H has 300 MB. */
  private static final int TEXT_POOL_SIZE = 1 << 16;

  private final double scale;
  private final Distributions distributions = Distributions.getDefaultDistributions();
  private final TextPool text = new TextPool(TEXT_POOL_SIZE, distributions);

  RowSource(double scale) {
    this.scale = scale;
  }

  /** In how many parts a table is generated; the two smallest are not divided. */
  int partCount(TpchTable table, int threads) {
    return table == TpchTable.REGION || table == TpchTable.NATION ? 1 : threads;
  }

  /** Where the rows of each part begin, and where those of the last part end. */
  int[] firstRows(TpchTable table, int partCount) {
    int[] firstRows = new int[partCount + 1];
    for (int part = 1; part <= partCount; part++) {
      firstRows[part] = Math.addExact(firstRows[part - 1], rows(table, part, partCount));
    }
    return firstRows;
  }

  private int rows(TpchTable table, int part, int partCount) {
    return switch (table) {
      case REGION -> REGIONS;
      case NATION -> NATIONS;
      case SUPPLIER -> rows(SupplierGenerator.SCALE_BASE, part, partCount);
      case PART -> rows(PartGenerator.SCALE_BASE, part, partCount);
      case PARTSUPP -> SUPPLIERS_PER_PART * rows(PartGenerator.SCALE_BASE, part, partCount);
      case CUSTOMER -> rows(CustomerGenerator.SCALE_BASE, part, partCount);
      case ORDERS -> rows(OrderGenerator.SCALE_BASE, part, partCount);
      case LINEITEM -> lineItems(part, partCount);
    };
  }

  private int rows(int base, int part, int partCount) {
    return Math.toIntExact(GenerateUtils.calculateRowCount(base, scale, part, partCount));
  }

  /** Draws the number of each order's line items, as the generator of the rows does. */
  private int lineItems(int part, int partCount) {
    RandomBoundedInt lines = new RandomBoundedInt(LINE_COUNT_SEED, 1, MOST_LINES_PER_ORDER);
    lines.advanceRows(
        GenerateUtils.calculateStartIndex(OrderGenerator.SCALE_BASE, scale, part, partCount));
    int orders = rows(OrderGenerator.SCALE_BASE, part, partCount);
    int sum = 0;
    for (int i = 0; i < orders; i++) {
      sum += lines.nextValue();
      lines.rowFinished();
    }
    return sum;
  }

  /**
   * Generates the rows of a part.
   *
   * @throws IllegalStateException if there are not as many as {@link #firstRows} says
   */
  void fill(TpchTable table, HostTable rows, PartOfTable part) {
    int number = part.number();
    int count = part.count();
    RowWriter writer = new RowWriter(rows, part.firstRow());
    switch (table) {
      case REGION -> writer.regions(new RegionGenerator(distributions, text));
      case NATION -> writer.nations(new NationGenerator(distributions, text));
      case SUPPLIER ->
          writer.suppliers(new SupplierGenerator(scale, number, count, distributions, text));
      case PART -> writer.parts(new PartGenerator(scale, number, count, distributions, text));
      case PARTSUPP -> writer.partSuppliers(new PartSupplierGenerator(scale, number, count, text));
      case CUSTOMER ->
          writer.customers(new CustomerGenerator(scale, number, count, distributions, text));
      case ORDERS -> writer.orders(new OrderGenerator(scale, number, count, distributions, text));
      case LINEITEM ->
          writer.lineItems(new LineItemGenerator(scale, number, count, distributions, text));
    }
    if (writer.nextRow() != part.endRow()) {
      throw new IllegalStateException(
          table.tableName() + " has rows to " + writer.nextRow() + ", not to " + part.endRow());
    }
  }
}
