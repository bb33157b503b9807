package dev.streamfence.internal.launch;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The arguments of one kernel in native memory, as a launch hands them to the driver: a table with
 * the address of each argument, then the arguments, each at a multiple of 8 bytes. Rewritten for
 * every launch; the driver copies them.
 *
 * <p>Confined to the thread that holds the stream's submission lock.
 */
final class ArgumentFrame {
  /** No argument needs a larger alignment. */
  private static final int SLOT_BYTES = 8;

  private final HostMemory memory;
  private final ByteBuffer buffer;
  private final int[] offsets;

  /** Lays a frame out in memory of at least {@link #sizeInBytes}. */
  ArgumentFrame(HostMemory memory, List<KernelParameter.Passed> parameters) {
    this.memory = memory;
    this.buffer = memory.buffer();
    this.offsets = new int[parameters.size()];
    int offset = parameters.size() * SLOT_BYTES;
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = offset;
      buffer.putLong(i * SLOT_BYTES, memory.address() + offset);
      offset += slots(parameters.get(i));
    }
  }

  /** The same arguments in other memory of the same size. */
  ArgumentFrame copyTo(HostMemory copy, List<KernelParameter.Passed> parameters) {
    copy.buffer().put(0, buffer, 0, (int) memory.sizeInBytes());
    return new ArgumentFrame(copy, parameters);
  }

  static int sizeInBytes(List<KernelParameter.Passed> parameters) {
    int size = parameters.size() * SLOT_BYTES;
    for (KernelParameter.Passed parameter : parameters) {
      size += slots(parameter);
    }
    return Math.max(SLOT_BYTES, size);
  }

  private static int slots(KernelParameter.Passed parameter) {
    return (int) StructLayout.aligned(parameter.sizeInBytes(), SLOT_BYTES);
  }

  /** The table, for the launch. */
  HostMemory memory() {
    return memory;
  }

  /** Where an argument lies, to write it to. */
  int offset(int index) {
    return offsets[index];
  }

  void put(int offset, byte value) {
    buffer.put(offset, value);
  }

  void put(int offset, short value) {
    buffer.putShort(offset, value);
  }

  void put(int offset, int value) {
    buffer.putInt(offset, value);
  }

  void put(int offset, long value) {
    buffer.putLong(offset, value);
  }

  /** The number at an offset, sign-extended from its width of 1, 2, 4 or 8 bytes. */
  long number(int offset, int bytes) {
    return switch (bytes) {
      case Byte.BYTES -> buffer.get(offset);
      case Short.BYTES -> buffer.getShort(offset);
      case Integer.BYTES -> buffer.getInt(offset);
      default -> buffer.getLong(offset);
    };
  }
}
