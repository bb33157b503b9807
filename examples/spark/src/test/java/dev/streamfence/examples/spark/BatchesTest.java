package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.ColumnField;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.RowRange;
import dev.streamfence.simulation.SimulatedDevice;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches of Spark on the device, in one process: no executor, no scheduler. */
class BatchesTest {
  private static final StructType NUMBERS = new StructType().add("n", DataTypes.LongType);

  /** Returns the batch. */
  private static final DeviceOperator SAME =
      (stream, batch) ->
          batch.select(
              batch.schema().fields().stream().map(ColumnField::name).toArray(String[]::new));

  @TempDir private static Path folder;
  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.datetime.java8API.enabled", true)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
            .config("spark.local.dir", folder.resolve("local").toString())
            .getOrCreate();
  }

  @AfterAll
  static void stop() throws Exception {
    spark.close();
  }

  /** Rows of each type that has a counterpart; every seventh value is null. */
  private static Dataset<Row> everyType() {
    String[] columns = {
      "id % 3 = 0 as flag",
      "cast(id % 100 - 50 as tinyint) as i8",
      "cast(id - 500 as smallint) as i16",
      "cast(id * 7 - 500 as int) as i32",
      "id * 10000000000 as i64",
      "cast(id / 3 as float) as f32",
      "id / 7 as f64",
      "date_add(date'1960-01-01', cast(id * 30 as int)) as day",
      "timestamp_micros(id * 123456789) as time",
      "cast(id / 4 as decimal(9, 2)) as small",
      "cast(id * -1234567 / 8 as decimal(18, 4)) as large",
      "case id % 3 when 0 then '' when 1 then 'naïve' else concat('row ', id) end as text"
    };
    String[] withNulls = new String[columns.length];
    for (int i = 0; i < columns.length; i++) {
      int as = columns[i].lastIndexOf(" as ");
      withNulls[i] =
          "if(id %% 7 = %d, null, %s)%s"
              .formatted(i % 7, columns[i].substring(0, as), columns[i].substring(as));
    }
    return spark.range(0, 1000, 1, 2).selectExpr(withNulls);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyTypeWithNullsComesToTheDeviceAsSparkReadsIt(boolean hasDictionary) {
    String files = folder.resolve("every-type-" + hasDictionary).toString();
    everyType()
        .write()
        .option("parquet.enable.dictionary", hasDictionary)
        .option("parquet.block.size", 4096)
        .parquet(files);
    Dataset<Row> stored = spark.read().parquet(files);
    ColumnarScan scan = ColumnarScan.of(stored);

    List<Row> rows =
        scan.batches().mapPartitions(new DeviceStage(scan.schema(), SAME, scan.schema())).collect();

    assertThat(rows).isEqualTo(stored.collectAsList()).hasSize(1000);
  }

  @Test
  void columnsOfArrowComeToTheDeviceWithTheirNulls() {
    try (BufferAllocator allocator = new RootAllocator();
        BigIntVector numbers = new BigIntVector("n", allocator);
        DecimalVector prices = new DecimalVector("price", allocator, 9, 2);
        VarCharVector names = new VarCharVector("name", allocator)) {
      List<Row> expected = new ArrayList<>();
      for (int row = 0; row < 100; row++) {
        boolean isNull = row % 3 == 0;
        if (isNull) {
          numbers.setNull(row);
          prices.setNull(row);
          names.setNull(row);
        } else {
          numbers.setSafe(row, row * 10_000_000_000L);
          prices.setSafe(row, BigDecimal.valueOf(row, 2));
          names.setSafe(row, ("row " + row).getBytes(StandardCharsets.UTF_8));
        }
        expected.add(
            isNull
                ? RowFactory.create(null, null, null)
                : RowFactory.create(
                    row * 10_000_000_000L, BigDecimal.valueOf(row, 2), "row " + row));
      }
      Stream.of(numbers, prices, names).forEach(vector -> vector.setValueCount(100));
      StructType columns =
          NUMBERS.add("price", DataTypes.createDecimalType(9, 2)).add("name", DataTypes.StringType);
      ColumnVector[] vectors =
          Stream.of(numbers, prices, names)
              .map(ArrowColumnVector::new)
              .toArray(ColumnVector[]::new);

      assertThat(rowsOf(new DeviceStage(columns, SAME, columns), new ColumnarBatch(vectors, 100)))
          .isEqualTo(expected);
    }
  }

  private static List<Row> rowsOf(DeviceStage stage, ColumnarBatch batch) {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire()) {
      List<Row> rows = stage.rowsOf(stream, batch);
      assertThat(device.memory().statistics().liveBytes()).isZero();
      return rows;
    }
  }

  @Test
  void aBatchWithoutRowsIsNotUploaded() {
    DeviceOperator none =
        (stream, batch) -> {
          throw new AssertionError("there is nothing to compute");
        };

    assertThat(rowsOf(new DeviceStage(NUMBERS, none, NUMBERS), numbers(0))).isEmpty();
  }

  private static ColumnarBatch numbers(int count) {
    OnHeapColumnVector vector = new OnHeapColumnVector(Math.max(count, 1), DataTypes.LongType);
    vector.putLongs(0, count, LongStream.range(0, count).toArray(), 0);
    return new ColumnarBatch(new ColumnVector[] {vector}, count);
  }

  @Test
  void aBatchThatIsTooLargeForTheMemoryIsComputedInParts() {
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(10_000));
    try (DeviceRuntime device =
            DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
        DeviceStream stream = device.streams().acquire()) {
      List<Row> rows = new DeviceStage(NUMBERS, SAME, NUMBERS).rowsOf(stream, numbers(5000));

      assertThat(rows).isEqualTo(LongStream.range(0, 5000).mapToObj(RowFactory::create).toList());
      assertThat(device.memory().pressure().splits()).isPositive();
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void aFailedUploadLeavesNothingOpen() {
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(10_000));
    try (DeviceRuntime device =
            DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
        DeviceStream stream = device.streams().acquire()) {
      StructType two = NUMBERS.add("again", DataTypes.LongType);
      ColumnVector vector = numbers(1000).column(0);
      ColumnarBatch batch = new ColumnarBatch(new ColumnVector[] {vector, vector}, 1000);

      assertThatThrownBy(() -> BatchUpload.upload(stream, two, batch, new RowRange(0, 1000)))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void aTypeWithoutACounterpartIsRefusedWithItsColumn() {
    StructType columns = NUMBERS.add("wide", DataTypes.createDecimalType(19, 2));

    assertThatThrownBy(() -> SparkTypes.schemaOf(columns))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("column 'wide' has type DECIMAL(19,2), which has no counterpart on the device");
  }

  @Test
  void aQueryThatComputesRowByRowIsRefused() {
    String files = folder.resolve("computed").toString();
    spark.range(10).write().parquet(files);

    assertThatThrownBy(() -> ColumnarScan.of(spark.read().parquet(files).where("id > 3")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Spark computes Filter row by row; select columns of files");
  }

  @Test
  void withoutAnAssignedGpuTheJobRunsOnTheSimulatedDevice() {
    String files = folder.resolve("line-items").toString();
    LineItems.generated(spark, 0.001, 2).write().parquet(files);
    SparkJob job = new SparkJob(spark.read().parquet(files));

    SparkJob.Run run = job.onDevices();

    assertThat(run.answer()).isEqualTo(job.bySpark().answer()).hasSize(4);
    assertThat(run.uses())
        .isNotEmpty()
        .allSatisfy(
            use -> {
              assertThat(use.address()).isEqualTo("simulated");
              assertThat(use.device()).isEqualTo("simulated device");
            });
  }

  @Test
  void thePartitionWhoseExecutorIsLostHasRows() {
    String files = folder.resolve("mostly-empty").toString();
    Dataset<Row> items = LineItems.generated(spark, 0.001, 1);
    items.write().parquet(files);
    for (int i = 0; i < 5; i++) {
      items.where("l_orderkey < 0").write().mode("append").parquet(files);
    }
    SparkJob job = new SparkJob(spark.read().parquet(files));

    assertThat(job.lineItems().rdd().getNumPartitions()).isGreaterThan(1);
    assertThat(job.partitionInTheMiddle()).isZero();
  }
}
