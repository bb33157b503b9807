package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.TrackedSpillable;

/**
 * An array that leaves the device while it is idle, if its memory is needed, and comes back when it
 * is used: see {@link DeviceMemory#spillable}. It is idle outside of its {@linkplain #use uses};
 * work that is queued by then runs before it leaves. Thread-safe.
 *
 * @param <A> the Java array type
 */
public sealed interface SpillableArray<A> extends AutoCloseable permits TrackedSpillable {
  /** Where the elements are. */
  enum Place {
    /** In device memory. */
    DEVICE,
    /** In page-locked host memory. */
    HOST,
    /** In a file. */
    DISK
  }

  /** Where the elements are at this moment. */
  Place place();

  /** The number of elements. */
  long length();

  /** The size in bytes, wherever the elements are. */
  long sizeInBytes();

  /** Whether neither it nor its runtime is closed. */
  boolean isOpen();

  /**
   * Keeps the array on the device until the use is closed, and brings it back first if it is
   * elsewhere: allocates memory like any array, which may wait in a task, and copies the elements
   * in stream order. Does not synchronise if it is on the device; otherwise it waits for the copy.
   * Several threads may use it at the same time.
   *
   * @throws UseAfterFreeException if it is closed
   * @throws StreamMisuseException if the stream is closed or belongs to another runtime, in the
   *     code of a graph, or inside of a launch if the array is not on the device
   * @throws OutOfMemoryBudgetException if there is not enough memory; it stays where it is
   * @throws DeviceException if its file cannot be read; it stays where it is
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost or a driver call fails
   */
  Use<A> use(DeviceStream stream);

  /**
   * Frees the memory after its last use, wherever it is, and deletes the file. Closing again does
   * nothing.
   *
   * @throws CudaDriverException if the memory could not be freed; the array stays open, and the
   *     call may be repeated
   */
  @Override
  void close();

  /**
   * A use of an array, which stays on the device meanwhile. Thread-safe.
   *
   * @param <A> the Java array type
   */
  sealed interface Use<A> extends AutoCloseable permits TrackedSpillable.OpenUse {
    /** The array: a view, whose close does nothing, and which must not be used after this use. */
    DeviceArray<A> array();

    /** Ends the use; work that is queued goes on. Closing again does nothing. */
    @Override
    void close();
  }
}
