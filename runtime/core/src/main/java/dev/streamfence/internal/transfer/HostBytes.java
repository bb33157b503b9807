package dev.streamfence.internal.transfer;

import java.nio.ByteBuffer;

/** The host data of a copy: a run of bytes, moved piece by piece through page-locked memory. */
public interface HostBytes {
  /**
   * Puts bytes {@code offset} to {@code offset + buffer.remaining()} of this data into the buffer.
   */
  void writeTo(ByteBuffer buffer, long offset);

  /** Sets this data's bytes from {@code offset} on to the buffer's remaining bytes. */
  void readFrom(ByteBuffer buffer, long offset);

  /**
   * Called once a download has set all bytes, outside of every lock of a stream. May run code of
   * the user.
   */
  default void received() {}
}
