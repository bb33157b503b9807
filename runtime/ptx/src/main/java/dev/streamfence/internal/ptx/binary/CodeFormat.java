package dev.streamfence.internal.ptx.binary;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The format of a file of kernels, as its first four bytes show it.
 *
 * <p>Source: the ELF-64 object file format for cubins; for fat binaries, the number 0xBA55ED50 with
 * which the files of {@code nvcc -fatbin} begin, little-endian.
 */
public enum CodeFormat {
  /** Text, which is PTX or nothing that a driver loads. */
  TEXT,
  /** A binary for one architecture. */
  CUBIN(0x7f454c46),
  /** Binaries and PTX for several architectures. */
  FAT_BINARY(0x50ed55ba);

  private final int magic;

  CodeFormat() {
    this(0);
  }

  /**
   * @param magic the first four bytes in the order of the file, the first in the highest place
   */
  CodeFormat(int magic) {
    this.magic = magic;
  }

  /** Returns the format of a file; {@link #TEXT} if it is neither kind of binary. */
  public static CodeFormat of(byte[] file) {
    if (file.length >= Integer.BYTES) {
      int start = ByteBuffer.wrap(file).getInt();
      for (CodeFormat binary : List.of(CUBIN, FAT_BINARY)) {
        if (binary.magic == start) {
          return binary;
        }
      }
    }
    return TEXT;
  }
}
