package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Makes a table on the device of one on the host. If it fails, nothing stays allocated. */
final class TableUpload {
  private final DeviceStream stream;
  private final Deque<DeviceArray<?>> uploaded = new ArrayDeque<>();

  private TableUpload(DeviceStream stream) {
    this.stream = stream;
  }

  /** Uploads every column; the caller closes the table. */
  static DeviceTable upload(DeviceStream stream, HostTable table) {
    return new TableUpload(stream).table(table);
  }

  private DeviceTable table(HostTable table) {
    try {
      List<ReadableColumn<?>> columns = new ArrayList<>();
      for (int i = 0; i < table.schema().columnCount(); i++) {
        columns.add(column(table.schema().field(i), table.column(i)));
      }
      return DeviceTable.of(stream, table.schema(), columns, table.rows());
    } catch (RuntimeException e) {
      // The columns hold these arrays and nothing else.
      while (!uploaded.isEmpty()) {
        uploaded.pop().close();
      }
      throw e;
    }
  }

  private DeviceColumn<?> column(ColumnField field, Object values) {
    return field.type() instanceof DictionaryType
        ? DeviceColumn.ofDictionary(
            field, array(values), noNulls(), texts(field.name(), TpchSchema.textsOf(field)))
        : DeviceColumn.of(field, array(values));
  }

  /** A column of text, as Arrow has it: all texts in one array, and where each of them begins. */
  private DeviceColumn<byte[]> texts(String name, List<String> texts) {
    int[] offsets = new int[texts.size() + 1];
    for (int i = 0; i < texts.size(); i++) {
      offsets[i + 1] = offsets[i] + texts.get(i).getBytes(StandardCharsets.UTF_8).length;
    }
    byte[] text = String.join("", texts).getBytes(StandardCharsets.UTF_8);
    return DeviceColumn.ofText(
        ColumnField.of(name, ColumnType.UTF8), array(offsets), array(text), noNulls());
  }

  private DeviceArray<byte[]> noNulls() {
    return array(new byte[0]);
  }

  private <A> DeviceArray<A> array(A values) {
    DeviceArray<A> array = stream.runtime().memory().upload(stream, values);
    uploaded.push(array);
    return array;
  }
}
