package dev.streamfence.examples.spark;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** The result of a task, from the device to rows of Spark. */
final class ResultRows {
  private ResultRows() {}

  /**
   * Downloads the logical rows of a table. Waits for the device.
   *
   * @param columns the names and types of the result; a decimal is a 64-bit integer in the table
   * @throws IllegalArgumentException if the table does not have one of the columns
   */
  static List<Row> download(DeviceStream stream, DeviceTable table, StructType columns) {
    Object[] downloaded = table.download(stream);
    int rows = Math.toIntExact(table.rows(stream));
    @Nullable Object[][] cells = new @Nullable Object[rows][columns.size()];
    for (int column = 0; column < columns.size(); column++) {
      StructField field = columns.fields()[column];
      Object values = downloaded[table.schema().indexOf(field.name())];
      boolean[] isKnown = table.downloadValidity(stream, field.name());
      for (int row = 0; row < rows; row++) {
        cells[row][column] = isKnown[row] ? valueOf(field, Array.get(values, row)) : null;
      }
    }
    return Arrays.stream(cells).map(RowFactory::create).toList();
  }

  private static Object valueOf(StructField field, Object value) {
    DataType type = field.dataType();
    if (type instanceof DecimalType decimal) {
      return BigDecimal.valueOf((Long) value, decimal.scale());
    }
    if (type.equals(DataTypes.DateType)) {
      return LocalDate.ofEpochDay((Integer) value);
    }
    return type.equals(DataTypes.TimestampType)
        ? Instant.EPOCH.plus((Long) value, ChronoUnit.MICROS)
        : value;
  }
}
