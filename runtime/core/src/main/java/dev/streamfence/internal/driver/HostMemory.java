package dev.streamfence.internal.driver;

import java.nio.ByteBuffer;

/**
 * A range of page-locked host memory, or a part of one. The bytes are shared: code that writes them
 * must order its writes with the copies and launches that read them. Only {@link
 * CudaDriver#freeHost} frees it.
 */
public interface HostMemory {
  /** The address of the first byte, as the device and native code see it. */
  long address();

  /** Size in bytes. */
  long sizeInBytes();

  /**
   * The same bytes as a Java buffer: one per object, in native byte order; its position and limit
   * have no meaning.
   */
  ByteBuffer buffer();

  /** The same bytes as {@link #buffer}, for reading alone. */
  ByteBuffer readOnlyBuffer();

  /**
   * Says that the host's access is over: it touches the bytes again only after it has asked for a
   * buffer again. From the first call on, a driver that checks accesses may report bytes that
   * change although nothing accesses them.
   *
   * @param owner describes the memory, for reports
   */
  default void accessEnded(String owner) {}

  /**
   * A part of this memory; it is valid as long as the whole.
   *
   * @throws IndexOutOfBoundsException if the part is not inside this memory
   */
  HostMemory slice(long offset, long bytes);
}
