package dev.streamfence.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.ForeignScope;

/**
 * The raw handles for one call of {@link DeviceStream#submit}. Confined to the thread that submits,
 * and to the call: afterwards every method throws a {@link StreamMisuseException}.
 */
public sealed interface ForeignCall permits ForeignScope {
  /** The stream to queue all work on, a {@code CUstream} or {@code cudaStream_t}. */
  long streamHandle();

  /**
   * The device address of an array's first element; 0 if it is empty.
   *
   * @throws StreamMisuseException if the array was not declared for this call
   */
  long address(ReadableArray<?> array);

  /** The number of the device, whose primary context is current. */
  int device();
}
