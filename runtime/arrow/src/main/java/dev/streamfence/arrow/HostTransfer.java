package dev.streamfence.arrow;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;

/**
 * Transfers bytes between Arrow's memory and device arrays, in pieces: a buffer of the JDK has at
 * most 2 GiB. Immutable and thread-safe.
 *
 * @param pieceInBytes at least 8, so that it holds an element
 */
record HostTransfer(int pieceInBytes) {
  static final HostTransfer IN_LARGE_PIECES = new HostTransfer(1 << 30);

  /** Fills an array from the begin of a buffer. */
  void upload(DeviceStream stream, ArrowBuf source, DeviceArray<?> target) {
    int width = target.elementType().sizeInBytes();
    long bytes = target.sizeInBytes();
    for (long at = 0; at < bytes; at += pieceInBytes) {
      target.upload(stream, at / width, piece(source, at, bytes));
    }
  }

  /** Copies a whole array to the begin of a buffer, and waits for it. */
  void download(DeviceStream stream, ReadableArray<?> source, ArrowBuf target) {
    int width = source.elementType().sizeInBytes();
    long bytes = source.sizeInBytes();
    for (long at = 0; at < bytes; at += pieceInBytes) {
      source.download(stream, at / width, piece(target, at, bytes));
    }
  }

  private ByteBuffer piece(ArrowBuf buffer, long from, long end) {
    int size = (int) Math.min(pieceInBytes, end - from);
    return buffer.nioBuffer(from, size).order(ByteOrder.nativeOrder());
  }
}
