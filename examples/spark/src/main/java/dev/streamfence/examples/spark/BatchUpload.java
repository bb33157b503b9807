package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.RowRange;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** One upload of a batch of Spark to the device. Confined to one thread. */
final class BatchUpload {
  private final DeviceStream stream;
  private final int from;
  private final int count;

  /** What was uploaded so far. An array may be closed twice, by a column and here. */
  private final List<DeviceArray<?>> arrays = new ArrayList<>();

  private BatchUpload(DeviceStream stream, RowRange rows) {
    this.stream = stream;
    from = Math.toIntExact(rows.from());
    count = Math.toIntExact(rows.count());
  }

  /**
   * Uploads rows of a batch; Spark may reuse its vectors as soon as this returns. If something
   * fails, nothing stays allocated.
   *
   * @param columns the types of the vectors
   * @throws IllegalArgumentException if a type has no counterpart on the device
   */
  static DeviceTable upload(
      DeviceStream stream, StructType columns, ColumnarBatch batch, RowRange rows) {
    Schema schema = SparkTypes.schemaOf(columns);
    BatchUpload upload = new BatchUpload(stream, rows);
    try {
      List<DeviceColumn<?>> uploaded = new ArrayList<>();
      for (int i = 0; i < schema.columnCount(); i++) {
        uploaded.add(upload.column(schema.field(i), batch.column(i)));
      }
      return DeviceTable.of(stream, schema, uploaded, rows.count());
    } catch (RuntimeException | Error e) {
      upload.arrays.forEach(DeviceArray::close);
      throw e;
    }
  }

  private DeviceColumn<?> column(ColumnField field, ColumnVector vector) {
    HostVector rows = new HostVector(vector, from, count);
    DeviceArray<byte[]> validity = array(rows.validity());
    if (field.type().equals(ColumnType.UTF8)) {
      HostText text = HostText.of(vector, from, count);
      return DeviceColumn.ofText(field, array(text.offsets()), array(text.bytes()), validity);
    }
    return DeviceColumn.of(field, array(rows.values()), validity);
  }

  private <A> DeviceArray<A> array(A values) {
    DeviceArray<A> array = stream.runtime().memory().upload(stream, values);
    arrays.add(array);
    return array;
  }
}
