package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Makes a table on the device of one on the host. If it fails, nothing stays allocated. */
public final class TableUpload {
  private final DeviceStream stream;
  private final Deque<DeviceArray<?>> uploaded = new ArrayDeque<>();

  private TableUpload(DeviceStream stream) {
    this.stream = stream;
  }

  /** Uploads every column; the caller closes the table. */
  public static DeviceTable upload(DeviceStream stream, HostTable table) {
    return new TableUpload(stream).table(table);
  }

  private DeviceTable table(HostTable table) {
    try {
      List<ReadableColumn<?>> columns = new ArrayList<>();
      for (int i = 0; i < table.schema().columnCount(); i++) {
        columns.add(column(table, i));
      }
      return DeviceTable.of(stream, table.schema(), columns, table.rows());
    } catch (RuntimeException | Error e) {
      // The columns hold these arrays and nothing else.
      while (!uploaded.isEmpty()) {
        uploaded.pop().close();
      }
      throw e;
    }
  }

  private DeviceColumn<?> column(HostTable table, int index) {
    ColumnField field = table.schema().field(index);
    Object values = table.column(index);
    byte[] validity = table.validity(index);
    if (values instanceof String[] texts) {
      return texts(field, texts, array(validity));
    }
    if (field.type() instanceof DictionaryType) {
      return DeviceColumn.ofDictionary(field, array(values), array(validity), dictionary(field));
    }
    return validity.length == 0
        ? DeviceColumn.of(field, array(values))
        : DeviceColumn.of(field, array(values), array(validity));
  }

  private DeviceColumn<byte[]> dictionary(ColumnField field) {
    String[] texts = TpchSchema.textsOf(field).toArray(String[]::new);
    return texts(ColumnField.of(field.name(), ColumnType.UTF8), texts, array(new byte[0]));
  }

  /** A column of text, as Arrow has it: all texts in one array, and where each of them begins. */
  private DeviceColumn<byte[]> texts(
      ColumnField field, String[] texts, DeviceArray<byte[]> validity) {
    int[] offsets = new int[texts.length + 1];
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < texts.length; i++) {
      bytes.writeBytes(texts[i].getBytes(StandardCharsets.UTF_8));
      offsets[i + 1] = bytes.size();
    }
    return DeviceColumn.ofText(field, array(offsets), array(bytes.toByteArray()), validity);
  }

  private <A> DeviceArray<A> array(A values) {
    DeviceArray<A> array = stream.runtime().memory().upload(stream, values);
    uploaded.push(array);
    return array;
  }
}
