package dev.streamfence.memory;

import java.nio.ByteBuffer;

/**
 * Host data as a copy sees it: a run of bytes that is moved piece by piece through page-locked
 * memory.
 */
public interface HostBytes {
  /**
   * Puts bytes {@code offset} to {@code offset + buffer.remaining()} of this data into the buffer.
   */
  void writeTo(ByteBuffer buffer, long offset);

  /** Takes the buffer's remaining bytes as this data's bytes from {@code offset} on. */
  void readFrom(ByteBuffer buffer, long offset);
}
