package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.syntax.Layout;

/**
 * The arguments of one call of {@code vprintf}: a buffer in the order of the call, each argument
 * aligned to its size, small ones promoted as for any C function with a variable number of
 * arguments. Confined to the thread that runs the launch.
 */
final class PrintfArguments {
  /** CUDA ignores further arguments. */
  private static final int MOST = 32;

  private final Lane lane;
  private final long buffer;
  private long offset;
  private int taken;

  /**
   * Creates the arguments of one call.
   *
   * @param buffer a generic address; 0 if the call has no arguments
   */
  PrintfArguments(Lane lane, long buffer) {
    this.lane = lane;
    this.buffer = buffer;
  }

  /** Tells whether there may be this many more; only the format knows how many there are. */
  boolean have(int more) {
    return buffer != 0 && taken + more <= MOST;
  }

  /** Takes the next argument, of 4 or 8 bytes. */
  long next(int bytes) {
    offset = Layout.aligned(offset, bytes);
    long value = LaneText.value(lane, buffer + offset, bytes);
    offset += bytes;
    taken++;
    return value;
  }

  /** Reads the C string at an address. */
  String text(long address, int most) {
    return LaneText.read(lane, address, most);
  }

  /** Returns how many were taken. */
  int taken() {
    return taken;
  }
}
