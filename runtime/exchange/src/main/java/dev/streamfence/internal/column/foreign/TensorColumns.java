package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.internal.column.ColumnDraft;
import dev.streamfence.internal.exchange.DlTensor;
import dev.streamfence.internal.exchange.ManagedTensor;
import dev.streamfence.internal.exchange.TensorElement;
import java.util.ArrayList;
import java.util.List;

/** Makes a table of tensors, or leaves them all to their owners. Confined to one thread. */
public final class TensorColumns {
  private final DeviceStream stream;
  private final TensorProducer producer;
  private final List<TensorHandle.Taken<?>> adopted = new ArrayList<>();
  private final List<ReadableColumn<?>> columns = new ArrayList<>();

  private TensorColumns(DeviceStream stream, TensorProducer producer) {
    this.stream = stream;
    this.producer = producer;
  }

  /** Adopts a tensor for each field of a schema. */
  public static DeviceTable adopt(
      DeviceStream stream, Schema schema, List<ForeignTensor> tensors, TensorProducer producer) {
    return new TensorColumns(stream, producer).table(schema, tensors);
  }

  private DeviceTable table(Schema schema, List<ForeignTensor> tensors) {
    if (tensors.size() != schema.columnCount()) {
      throw new IllegalArgumentException(
          tensors.size()
              + " tensors for a schema of "
              + schema.columnCount()
              + " fields: "
              + schema);
    }
    // All are checked before one is adopted.
    long rows = 0;
    for (int i = 0; i < tensors.size(); i++) {
      long length = length(schema.field(i), (TensorHandle) tensors.get(i));
      if (i > 0 && length != rows) {
        throw new IllegalArgumentException(
            tensors.get(i)
                + " for field '"
                + schema.field(i).name()
                + "' has "
                + length
                + " rows; the tensors before it have "
                + rows);
      }
      rows = length;
    }
    try {
      for (int i = 0; i < tensors.size(); i++) {
        add(schema.field(i), (TensorHandle) tensors.get(i), schema.field(i).type().arrayType());
      }
      return DeviceTable.of(stream, schema, columns, rows);
    } catch (Throwable e) {
      adopted.forEach(one -> one.giveBackAfter(e));
      throw e;
    }
  }

  private static long length(ColumnField field, TensorHandle handle) {
    TensorElement expected = TensorTypes.of(field);
    if (field.type() instanceof DictionaryType) {
      throw new IllegalArgumentException(
          "field '" + field.name() + "' (" + field.type() + "): a tensor brings no dictionary");
    }
    DlTensor tensor = handle.read().tensor();
    if (!tensor.element().isAsWideAs(expected)) {
      throw new IllegalArgumentException(
          handle
              + " for field '"
              + field.name()
              + "' ("
              + field.type()
              + ") has elements of type "
              + tensor.element()
              + ", not "
              + expected);
    }
    if (tensor.shape().size() != 1) {
      throw new IllegalArgumentException(
          handle
              + " for field '"
              + field.name()
              + "' has the shape "
              + tensor.shape()
              + "; a column has one dimension");
    }
    return tensor.shape().get(0);
  }

  private <A> void add(ColumnField field, TensorHandle handle, Class<A> arrayType) {
    ManagedTensor tensor = handle.read();
    TensorHandle.Taken<A> one = handle.take(stream, arrayType, producer, tensor.isReadOnly());
    adopted.add(one);
    ColumnDraft<A> draft =
        new ColumnDraft<>(field, one.array().length(), one.array())
            .origin(one.isOwn() ? ColumnOrigin.DLPACK_EXPORT : ColumnOrigin.DLPACK)
            .nullCount(0);
    columns.add((tensor.isReadOnly() ? draft.readOnly() : draft).build());
  }
}
