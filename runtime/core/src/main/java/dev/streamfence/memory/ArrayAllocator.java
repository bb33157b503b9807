package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;

/**
 * The source of arrays: the memory of a runtime, a budget within it, or a reservation. Thread-safe.
 *
 * <p>Each allocation throws a {@link StreamMisuseException} if the stream is closed or belongs to
 * another runtime, a {@link RuntimeClosedException} if the runtime is closed, and a {@link
 * CudaDriverException} if the device is lost or a driver call fails. If an allocation fails,
 * nothing stays allocated.
 *
 * <p>A tag is the purpose of an array; errors, logs and reports show it instead of the array's type
 * and length. It is empty for none.
 */
public sealed interface ArrayAllocator permits DeviceMemory, MemoryReservation {
  /**
   * Allocates an array with undefined content, in stream order. Does not synchronise unless memory
   * is short.
   *
   * @param arrayType the Java array type, such as {@code float[].class}
   * @param length the number of elements; 0 takes no device memory
   * @throws IllegalArgumentException if the length is negative, too large to count in bytes, or the
   *     type is not an array of primitives or of a record of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  default <A> DeviceArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length) {
    return allocate(stream, arrayType, length, "");
  }

  /**
   * Allocates an array with a tag, like {@link #allocate(DeviceStream, Class, long)}.
   *
   * @throws IllegalArgumentException as there
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  <A> DeviceArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length, String tag);

  /**
   * Allocates an array of zeros, like {@link #allocate} followed by a fill. Does not synchronise
   * unless memory is short.
   *
   * @throws IllegalArgumentException as there
   * @throws OutOfMemoryBudgetException if there is not enough memory
   * @throws StreamMisuseException if this thread has a launch open
   */
  default <A> DeviceArray<A> allocateZeroed(DeviceStream stream, Class<A> arrayType, long length) {
    return allocateZeroed(stream, arrayType, length, "");
  }

  /**
   * Allocates an array of zeros with a tag, like {@link #allocateZeroed(DeviceStream, Class,
   * long)}.
   *
   * @throws IllegalArgumentException as there
   * @throws OutOfMemoryBudgetException if there is not enough memory
   * @throws StreamMisuseException if this thread has a launch open
   */
  <A> DeviceArray<A> allocateZeroed(
      DeviceStream stream, Class<A> arrayType, long length, String tag);

  /**
   * Allocates an array with the content of a host array, which may be changed as soon as this
   * returns. Synchronises only while memory is short.
   *
   * @throws IllegalArgumentException if {@code source} is not an array of primitives or of a record
   *     of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   * @throws StreamMisuseException if this thread has a launch open
   */
  default <A> DeviceArray<A> upload(DeviceStream stream, A source) {
    return upload(stream, source, "");
  }

  /**
   * Allocates an array with the content of a host array and with a tag, like {@link
   * #upload(DeviceStream, Object)}.
   *
   * @throws IllegalArgumentException as there
   * @throws OutOfMemoryBudgetException if there is not enough memory
   * @throws StreamMisuseException if this thread has a launch open
   */
  <A> DeviceArray<A> upload(DeviceStream stream, A source, String tag);
}
