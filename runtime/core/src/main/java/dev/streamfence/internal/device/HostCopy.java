package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Teardown;
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

  /** Creates a copy without elements. */
  HostCopy(WritableArray<A> array) {
    this.pieceLength = MAX_PIECE_BYTES / array.elementType.sizeInBytes();
  }

  /** Queues the copy of an array. If that fails, the caller discards what there is. */
  void write(WritableArray<A> array, DeviceStream stream) {
    for (long from = 0; from < array.length; from += pieceLength) {
      long count = Math.min(pieceLength, array.length - from);
      TrackedPinnedArray<A> piece = array.memory.pinned(array.arrayType, count, false);
      pieces.add(piece);
      Region source = array.used(from, count, "spill");
      if (source != null) {
        // Not refused with the downloads of data: the elements stay the runtime's.
        array.memory.transfers().download(array, stream, source, piece, 0);
      }
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
  public boolean isIdle() {
    return pieces.stream().allMatch(TrackedPinnedArray::isIdle);
  }

  @Override
  public void discard() {
    Teardown teardown = new Teardown();
    pieces.forEach(piece -> teardown.step(piece::close));
    teardown.finish();
  }
}
