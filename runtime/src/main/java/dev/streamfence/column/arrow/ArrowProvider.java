package dev.streamfence.column.arrow;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.internal.column.foreign.ArrowTables;

/**
 * Does what {@link ArrowDevice} offers, which users call instead. The runtime's own jar has the
 * only implementation. Stateless and thread-safe.
 */
public sealed interface ArrowProvider permits ArrowTables {
  /** See {@link ArrowDevice#adopt}. */
  DeviceTable adopt(DeviceStream stream, long deviceArray, long schema);

  /** See {@link ArrowDevice#export}. */
  void export(DeviceStream stream, DeviceTable table, long deviceArray, long schema);

  /** See {@link ArrowDevice#releaseArray}. */
  void releaseArray(long deviceArray);

  /** See {@link ArrowDevice#releaseSchema}. */
  void releaseSchema(long schema);
}
