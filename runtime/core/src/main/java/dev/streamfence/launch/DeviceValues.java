package dev.streamfence.launch;

import dev.streamfence.ReadableArray;
import dev.streamfence.UseAfterFreeException;
import java.util.List;

/**
 * Values in device memory that a launch passes as one array: an array, or an object that stands for
 * one, such as a column. The launch uses only the array: its runtime, its element type and its
 * uses. Implementations are thread-safe if several threads launch with them.
 */
public interface DeviceValues {
  /**
   * The array whose address the kernel receives. Called for each launch, so it must neither wait
   * nor allocate memory.
   *
   * @throws UseAfterFreeException if this is closed; the recorder names the kernel's parameter
   */
  ReadableArray<?> values();

  /** Several values that a launch passes as one table of arrays. */
  interface Table {
    /**
     * The arrays of the table, in order. A list with {@link java.util.RandomAccess} is read without
     * an iterator.
     *
     * @throws UseAfterFreeException if this is closed; the recorder names the kernel's parameter
     */
    List<? extends DeviceValues> columns();
  }
}
