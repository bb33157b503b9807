package dev.streamfence.examples.spark;

import io.trino.tpch.Distributions;
import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.TextPool;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** TPC-H's table LINEITEM, with the columns that the job reads. */
final class LineItems {
  /** As in the demo: comments are not read, and their full text takes longer than all rows. */
  private static final int TEXT_POOL_SIZE = 1 << 16;

  private static final DataType DECIMAL = DataTypes.createDecimalType(15, 2);

  /** Names and types as TPC-H has them. */
  static final StructType SCHEMA =
      new StructType()
          .add("l_orderkey", DataTypes.LongType)
          .add("l_quantity", DECIMAL)
          .add("l_extendedprice", DECIMAL)
          .add("l_discount", DECIMAL)
          .add("l_tax", DECIMAL)
          .add("l_returnflag", DataTypes.StringType)
          .add("l_linestatus", DataTypes.StringType)
          .add("l_shipdate", DataTypes.DateType);

  private LineItems() {}

  /** Rows that the executors generate: the same for every number of them. */
  static Dataset<Row> generated(SparkSession spark, double scale, int parts) {
    JavaRDD<Integer> numbers =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.rangeClosed(1, parts).boxed().toList(), parts);
    return spark.createDataFrame(numbers.flatMap(part -> rows(scale, part, parts)), SCHEMA);
  }

  private static Iterator<Row> rows(double scale, int part, int parts) {
    Distributions distributions = Distributions.getDefaultDistributions();
    return StreamSupport.stream(
            new LineItemGenerator(
                    scale, part, parts, distributions, new TextPool(TEXT_POOL_SIZE, distributions))
                .spliterator(),
            false)
        .map(LineItems::row)
        .iterator();
  }

  private static Row row(LineItem item) {
    return RowFactory.create(
        item.getOrderKey(),
        BigDecimal.valueOf(item.getQuantity()),
        BigDecimal.valueOf(item.getExtendedPriceInCents(), 2),
        BigDecimal.valueOf(item.getDiscountPercent(), 2),
        BigDecimal.valueOf(item.getTaxPercent(), 2),
        item.getReturnFlag(),
        item.getStatus(),
        LocalDate.ofEpochDay(item.getShipDate()));
  }
}
