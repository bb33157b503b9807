package dev.streamfence.internal.ptx.run.instruction;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.LaneMemory;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.io.ByteArrayOutputStream;

/** C strings in the memory that a lane sees. Stateless. */
final class LaneText {
  private static final LaneMemory.Loader LOADER = LaneMemory.loader(StateSpace.GENERIC);

  private LaneText() {}

  /**
   * Reads the bytes up to a zero, one character each, so that lengths count bytes as in C.
   *
   * @param address a generic address
   * @param most the most bytes to read
   */
  static String read(Lane lane, long address, int most) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    while (text.size() < most) {
      int next = (int) LOADER.load(lane, address + text.size(), 1);
      if (next == 0) {
        break;
      }
      text.write(next);
    }
    return text.toString(ISO_8859_1);
  }

  /** Reads a value of 4 or 8 bytes. */
  static long value(Lane lane, long address, int bytes) {
    return LOADER.load(lane, address, bytes);
  }
}
