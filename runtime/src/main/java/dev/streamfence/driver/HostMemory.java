package dev.streamfence.driver;

import java.nio.ByteBuffer;

/**
 * A range of page-locked host memory, or a part of one. The bytes are shared: whoever writes them
 * orders that against the copies and launches that read them. Freed by {@link CudaDriver#freeHost}
 * only.
 */
public interface HostMemory {
  /** The address of the first byte, as the device and native code see it. */
  long address();

  /** Size in bytes. */
  long sizeInBytes();

  /**
   * The same bytes for Java: one buffer per object, in native byte order; its position and limit
   * are not used.
   */
  ByteBuffer buffer();

  /**
   * A part of this memory, which lives as long as the whole.
   *
   * @throws IndexOutOfBoundsException if the part is not inside
   */
  HostMemory slice(long offset, long bytes);
}
