package dev.streamfence.launch;

import dev.streamfence.driver.HostMemory;
import java.nio.ByteBuffer;

/**
 * The arguments of one kernel in native memory, as a launch hands them to the driver: a table with
 * the address of each argument, then the arguments, 8 bytes each. Written again for every launch;
 * the driver copies them.
 *
 * <p>Confined to the thread that holds the stream's submission lock.
 */
final class ArgumentFrame {
  private static final int SLOT_BYTES = 8;

  private final HostMemory memory;
  private final ByteBuffer buffer;
  private final int slots;

  /** Lays a frame out in memory of at least {@link #sizeInBytes}. */
  ArgumentFrame(HostMemory memory, int parameters) {
    this.memory = memory;
    this.buffer = memory.buffer();
    this.slots = parameters * SLOT_BYTES;
    for (int i = 0; i < parameters; i++) {
      buffer.putLong(i * SLOT_BYTES, memory.address() + slots + (long) i * SLOT_BYTES);
    }
  }

  static int sizeInBytes(int parameters) {
    return Math.max(1, 2 * parameters) * SLOT_BYTES;
  }

  /** The table, to launch with. */
  HostMemory memory() {
    return memory;
  }

  void put(int index, byte value) {
    buffer.put(slots + index * SLOT_BYTES, value);
  }

  void put(int index, short value) {
    buffer.putShort(slots + index * SLOT_BYTES, value);
  }

  void put(int index, int value) {
    buffer.putInt(slots + index * SLOT_BYTES, value);
  }

  void put(int index, long value) {
    buffer.putLong(slots + index * SLOT_BYTES, value);
  }

  long getLong(int index) {
    return buffer.getLong(slots + index * SLOT_BYTES);
  }
}
