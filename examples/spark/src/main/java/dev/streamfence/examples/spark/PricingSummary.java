package dev.streamfence.examples.spark;

import java.time.LocalDate;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * TPC-H's Q1, the pricing summary report: sums over the line items that were shipped in time, by
 * return flag and status. Tasks compute the sums of each batch on a device, and Spark SQL adds them
 * up. Immutable.
 */
final class PricingSummary {
  /** The day that TPC-H's answers are for. */
  static final LocalDate SHIPPED_UNTIL = LocalDate.of(1998, 9, 2);

  /** The columns of LINEITEM that the query reads. */
  static final List<String> COLUMNS =
      List.of(
          "l_returnflag",
          "l_linestatus",
          "l_quantity",
          "l_extendedprice",
          "l_discount",
          "l_tax",
          "l_shipdate");

  /** What a task returns for each group of a batch. */
  static final StructType PARTIAL =
      new StructType()
          .add("l_returnflag", DataTypes.StringType)
          .add("l_linestatus", DataTypes.StringType)
          .add("sum_quantity", sum(2))
          .add("count_quantity", DataTypes.LongType)
          .add("sum_price", sum(2))
          .add("count_price", DataTypes.LongType)
          .add("sum_discounted", sum(4))
          .add("count_discounted", DataTypes.LongType)
          .add("sum_charge", sum(6))
          .add("count_charge", DataTypes.LongType)
          .add("sum_discount", sum(2))
          .add("count_discount", DataTypes.LongType)
          .add("rows", DataTypes.LongType);

  private PricingSummary() {}

  private static DataType sum(int scale) {
    return DataTypes.createDecimalType(18, scale);
  }

  /** What a task does with each batch. */
  static DeviceOperator operator() {
    return new PriceGroups(Math.toIntExact(SHIPPED_UNTIL.toEpochDay()));
  }

  /** The query as Spark computes it without a device. */
  static Dataset<Row> bySpark(Dataset<Row> lineItems) {
    return lineItems
        .where(functions.expr("l_shipdate <= date'" + SHIPPED_UNTIL + "'"))
        .groupBy("l_returnflag", "l_linestatus")
        .agg(
            functions.expr("sum(l_quantity) as sum_qty"),
            functions.expr("sum(l_extendedprice) as sum_base_price"),
            functions.expr("sum(l_extendedprice * (1 - l_discount)) as sum_disc_price"),
            functions.expr("sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge"),
            functions.expr("avg(l_quantity) as avg_qty"),
            functions.expr("avg(l_extendedprice) as avg_price"),
            functions.expr("avg(l_discount) as avg_disc"),
            functions.expr("count(*) as count_order"))
        .orderBy("l_returnflag", "l_linestatus");
  }

  /**
   * The query whose filter and first aggregation run on the devices of the executors.
   *
   * @param operator that of {@link #operator}, or one around it
   */
  static Dataset<Row> onDevices(Dataset<Row> lineItems, DeviceOperator operator) {
    ColumnarScan scan =
        ColumnarScan.of(
            lineItems.select(COLUMNS.stream().map(functions::col).toArray(Column[]::new)));
    return lineItems
        .sparkSession()
        .createDataFrame(
            scan.batches().mapPartitions(new DeviceStage(scan.schema(), operator, PARTIAL)),
            PARTIAL)
        .groupBy("l_returnflag", "l_linestatus")
        .agg(
            total("quantity", "sum_qty"),
            total("price", "sum_base_price"),
            total("discounted", "sum_disc_price"),
            total("charge", "sum_charge"),
            average("quantity", "avg_qty"),
            average("price", "avg_price"),
            average("discount", "avg_disc"),
            functions.expr("sum(rows) as count_order"))
        .orderBy("l_returnflag", "l_linestatus");
  }

  private static Column total(String name, String result) {
    return functions.expr("%s as %s".formatted(total(name), result));
  }

  private static Column average(String name, String result) {
    return functions.expr(
        "cast(%s / sum(count_%s) as decimal(19, 6)) as %s".formatted(total(name), name, result));
  }

  /** The sum of the values of all batches; null if there are none. */
  private static String total(String name) {
    return "sum(if(count_%1$s = 0, null, sum_%1$s))".formatted(name);
  }
}
