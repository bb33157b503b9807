package dev.streamfence.examples.spark;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampUnit;
import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The types of columns on the device that stand for those of Spark. */
final class SparkTypes {
  private SparkTypes() {}

  /**
   * The schema of a table on the device.
   *
   * @throws IllegalArgumentException if a type has no counterpart
   */
  static Schema schemaOf(StructType columns) {
    return Schema.of(
        Arrays.stream(columns.fields()).map(SparkTypes::fieldOf).toArray(ColumnField[]::new));
  }

  private static ColumnField fieldOf(StructField field) {
    return new ColumnField(field.name(), typeOf(field), field.nullable());
  }

  private static ColumnType typeOf(StructField field) {
    DataType type = field.dataType();
    if (type.equals(DataTypes.BooleanType)) {
      return ColumnType.BOOL8;
    }
    if (type.equals(DataTypes.ByteType)) {
      return ColumnType.INT8;
    }
    if (type.equals(DataTypes.ShortType)) {
      return ColumnType.INT16;
    }
    if (type.equals(DataTypes.IntegerType)) {
      return ColumnType.INT32;
    }
    if (type.equals(DataTypes.LongType)) {
      return ColumnType.INT64;
    }
    if (type.equals(DataTypes.FloatType)) {
      return ColumnType.FLOAT32;
    }
    if (type.equals(DataTypes.DoubleType)) {
      return ColumnType.FLOAT64;
    }
    if (type.equals(DataTypes.DateType)) {
      return ColumnType.DATE32;
    }
    if (type.equals(DataTypes.TimestampType)) {
      return ColumnType.timestamp(TimestampUnit.MICROSECOND, "UTC");
    }
    if (type.equals(DataTypes.StringType)) {
      return ColumnType.UTF8;
    }
    if (type instanceof DecimalType decimal && decimal.precision() <= 18) {
      return ColumnType.decimal(decimal.precision(), decimal.scale());
    }
    throw new IllegalArgumentException(
        "column '%s' has type %s, which has no counterpart on the device"
            .formatted(field.name(), type.sql()));
  }
}
