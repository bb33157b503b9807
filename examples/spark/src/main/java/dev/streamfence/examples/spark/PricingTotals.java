package dev.streamfence.examples.spark;

import dev.streamfence.examples.queries.PricingSummary;
import java.time.LocalDate;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;

/**
 * TPC-H's Q1, the pricing summary report: sums over the line items that were shipped in time, by
 * return flag and status. Tasks compute the sums of each batch on a device, and Spark SQL adds them
 * up.
 */
final class PricingTotals {
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

  /** The last day of the query, in the operator's words. */
  private static final LocalDate UNTIL = LocalDate.of(1998, 12, 1).minusDays(90);

  /** What a task returns for each group of a batch. */
  private static final StructType PARTS =
      StructType.fromDDL(
          """
          l_returnflag string, l_linestatus string,
          quantity decimal(18, 2), price decimal(18, 2), discounted decimal(18, 4),
          charge decimal(18, 6), discount decimal(18, 2),
          quantities bigint, prices bigint, discounts bigint, items bigint
          """);

  /** Adds the parts up. */
  private static final String TOTALS =
      """
      select l_returnflag, l_linestatus,
        sum(quantity) as sum_qty,
        sum(price) as sum_base_price,
        sum(discounted) as sum_disc_price,
        sum(charge) as sum_charge,
        cast(sum(quantity) / sum(quantities) as decimal(19, 6)) as avg_qty,
        cast(sum(price) / sum(prices) as decimal(19, 6)) as avg_price,
        cast(sum(discount) / sum(discounts) as decimal(19, 6)) as avg_disc,
        sum(items) as count_order
      from parts
      group by l_returnflag, l_linestatus
      order by l_returnflag, l_linestatus
      """;

  private PricingTotals() {}

  /** What a task does with each batch. */
  static DeviceOperator operator() {
    return new PriceGroups(UNTIL);
  }

  /** The query as Spark computes it without a device. */
  static Dataset<Row> bySpark(Dataset<Row> lineItems) {
    lineItems.createOrReplaceTempView("lineitem");
    return lineItems.sparkSession().sql(new PricingSummary().sql());
  }

  /** The batches of the columns that the query reads. */
  static ColumnarScan scan(Dataset<Row> lineItems) {
    return ColumnarScan.of(
        lineItems.select(COLUMNS.stream().map(functions::col).toArray(Column[]::new)));
  }

  /**
   * The query whose filter and first aggregation run on the devices of the executors.
   *
   * @param operator that of {@link #operator}, or one around it
   */
  static Dataset<Row> onDevices(Dataset<Row> lineItems, DeviceOperator operator) {
    SparkSession spark = lineItems.sparkSession();
    ColumnarScan scan = scan(lineItems);
    DeviceStage stage = new DeviceStage(scan.schema(), operator, PARTS);
    spark
        .createDataFrame(scan.batches().mapPartitions(stage), PARTS)
        .createOrReplaceTempView("parts");
    return spark.sql(TOTALS);
  }
}
