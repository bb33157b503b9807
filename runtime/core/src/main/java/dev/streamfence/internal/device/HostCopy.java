package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.memory.SpillableArray.Place;
import java.util.ArrayList;
import java.util.List;

/**
 * Elements in page-locked host memory: pinned arrays, whose copies the runtime orders, so that
 * neither way waits.
 */
final class HostCopy<A> implements SpilledCopy<A> {
  /** A pinned array has less than 2 GiB. */
  private static final long MAX_PIECE_BYTES = 1L << 30;

  private final List<TrackedPinnedArray<A>> pieces = new ArrayList<>();
  private final long pieceLength;

  private HostCopy(WritableArray<A> array) {
    this.pieceLength = MAX_PIECE_BYTES / array.elementType.sizeInBytes();
  }

  /** Queues the copy of an array. */
  static <A> HostCopy<A> of(WritableArray<A> array, DeviceStream stream) {
    HostCopy<A> copy = new HostCopy<>(array);
    try {
      for (long from = 0; from < array.length; from += copy.pieceLength) {
        long count = Math.min(copy.pieceLength, array.length - from);
        TrackedPinnedArray<A> piece = array.memory.pinned(array.arrayType, count);
        copy.pieces.add(piece);
        Region source = array.used(from, count, "spill");
        if (source != null) {
          // Not refused with the downloads of data: the elements stay the runtime's.
          array.memory.transfers().download(array, stream, source, piece, 0);
        }
      }
      return copy;
    } catch (RuntimeException | Error e) {
      copy.discardAfter(e);
      throw e;
    }
  }

  @Override
  public Place place() {
    return Place.HOST;
  }

  @Override
  public void readTo(WritableArray<A> target, DeviceStream stream) {
    long from = 0;
    for (TrackedPinnedArray<A> piece : pieces) {
      target.upload(stream, from, piece, 0, piece.length());
      from += piece.length();
    }
  }

  @Override
  public void discard() {
    for (TrackedPinnedArray<A> piece : pieces) {
      piece.close();
    }
  }
}
