package dev.streamfence.foreign;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.device.ForeignScope;

/**
 * Declares the arrays that a call of {@link DeviceStream#submit} uses. An array that is declared
 * twice is used in both ways. Confined to the thread that submits, until the declaration ends.
 */
public sealed interface ForeignUses permits ForeignScope {
  /**
   * The code reads the array.
   *
   * @return this
   */
  ForeignUses reads(ReadableArray<?> array);

  /**
   * The code writes the array, and does not read its old content.
   *
   * @return this
   */
  ForeignUses writes(DeviceArray<?> array);

  /**
   * The code reads and writes the array.
   *
   * @return this
   */
  ForeignUses readWrites(DeviceArray<?> array);
}
