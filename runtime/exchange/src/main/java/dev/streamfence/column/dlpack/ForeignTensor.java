package dev.streamfence.column.dlpack;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.column.foreign.TensorHandle;
import java.util.List;

/**
 * A tensor that another library has made and not deleted. It is adopted once, or deleted once; a
 * tensor that is refused still belongs to its owner. Thread-safe.
 *
 * <p>Each call but {@link #address} reads the tensor's structure. It throws an {@link
 * IllegalArgumentException} if its content is impossible, or of another major version of DLPack
 * than 1, and an {@link IllegalStateException} once the tensor is adopted or deleted through this
 * object: the structure may then be gone.
 */
public sealed interface ForeignTensor permits TensorHandle {
  /** The address of its structure. */
  long address();

  /** The length of each dimension; empty for a single element. */
  List<Long> shape();

  /** The type of its elements, such as {@code float32} or {@code uint8}. */
  String elementType();

  /** Whether its owner forbids writes. False for the legacy form, which cannot express this. */
  boolean isReadOnly();

  /**
   * Adopts the tensor as an array of all its elements, in the order of their indices. Closing the
   * array deletes the tensor, after the last use. Does not synchronise.
   *
   * <p>A tensor that {@link DlPack#export} made of an array of the same runtime becomes that array
   * again, and uses of both are ordered with each other. A tensor of another runtime is treated
   * like that of another library.
   *
   * @param arrayType the Java array type. A signed type takes unsigned elements of the same width;
   *     {@code byte[]} takes bool; {@code short[]} and {@code char[]} take float16 and bfloat16 as
   *     bits
   * @param producer how the owner's work on the tensor is ordered
   * @throws IllegalArgumentException if the tensor is memory of another device, or of the host; has
   *     elements of another type or of several lanes; is not compact in row-major order; is
   *     misaligned, or larger than its allocation; is read-only; or was exported by this process
   *     and changed since
   * @throws IllegalStateException if it is adopted already, or deleted
   * @throws dev.streamfence.StreamMisuseException if the stream is closed, or this thread has a
   *     launch open
   * @throws dev.streamfence.CudaDriverException if the device is lost or the driver refuses the
   *     producer's stream or event
   */
  <A> DeviceArray<A> adopt(DeviceStream stream, Class<A> arrayType, TensorProducer producer);

  /**
   * Adopts the tensor like {@link #adopt}, as a read-only array.
   *
   * @throws IllegalArgumentException as there, unless it is read-only
   * @throws IllegalStateException as there
   */
  <A> ReadableArray<A> adoptReadable(
      DeviceStream stream, Class<A> arrayType, TensorProducer producer);

  /**
   * Deletes a tensor that is not adopted, whatever its version.
   *
   * @throws IllegalStateException if it is adopted, since closing the array deletes it; or if it is
   *     deleted already
   */
  void delete();
}
