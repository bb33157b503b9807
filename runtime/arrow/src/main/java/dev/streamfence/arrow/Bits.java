package dev.streamfence.arrow;

import org.apache.arrow.memory.ArrowBuf;

/** Bitmaps in Arrow's memory, the lowest bit of the first byte first. */
final class Bits {
  private Bits() {}

  /** Moves bits that begin within the first byte to its begin, and clears those behind them. */
  static void align(ArrowBuf bitmap, int offset, int bits) {
    if (offset > 0) {
      long bytes = (bits + 7L) / 8;
      long last = (offset + bits - 1L) / 8;
      for (long i = 0; i < bytes; i++) {
        int low = bitmap.getByte(i) & 0xff;
        int high = i < last ? bitmap.getByte(i + 1) & 0xff : 0;
        bitmap.setByte(i, (low | high << 8) >> offset);
      }
    }
    clearBehind(bitmap, bits);
  }

  /** Clears the bits of the last byte that stand for no row. */
  static void clearBehind(ArrowBuf bitmap, int bits) {
    if (bits % 8 != 0) {
      int last = bits / 8;
      bitmap.setByte(last, bitmap.getByte(last) & ((1 << (bits % 8)) - 1));
    }
  }
}
