package dev.streamfence.column.dlpack;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.column.foreign.Tensors;
import java.util.List;

/**
 * Does what {@link DlPack} offers, which users call instead. The runtime's own jar has the only
 * implementation. Stateless and thread-safe.
 */
public sealed interface TensorProvider permits Tensors {
  /** See {@link DlPack#tensor} and {@link DlPack#versionedTensor}. */
  ForeignTensor tensor(long managedTensor, boolean isVersioned);

  /** See {@link DlPack#adopt}. */
  DeviceTable adopt(
      DeviceStream stream, Schema schema, List<ForeignTensor> tensors, TensorProducer producer);

  /** See {@link DlPack#export(ReadableArray, TensorConsumer)}. */
  ExportedTensor export(ReadableArray<?> array, List<Long> shape, TensorConsumer consumer);

  /** See {@link DlPack#export(DeviceStream, DeviceTable, TensorConsumer)}. */
  List<ExportedTensor> export(DeviceStream stream, DeviceTable table, TensorConsumer consumer);
}
