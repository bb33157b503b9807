package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An array that was moved out of its structure, until its release function is called. Thread-safe,
 * but for {@link #move} of one structure by two threads.
 *
 * <p>Moving leaves the structure released, as Arrow demands: it cannot be moved twice.
 */
public final class ArrowImport {
  private final Pointer source;
  private final Memory moved = new Memory(OfArray.BYTES);
  private final AtomicBoolean ended = new AtomicBoolean();

  private ArrowImport(Pointer source) {
    this.source = source;
    moved.write(0, source.getByteArray(0, OfArray.BYTES), 0, OfArray.BYTES);
  }

  /** Moves an array that was read, and is not released. */
  public static ArrowImport move(long address) {
    ArrowImport taken = new ArrowImport(new Pointer(address));
    taken.source.setLong(OfArray.RELEASE, 0);
    return taken;
  }

  /** Calls the release function. Does nothing if called again. */
  public void release() {
    if (ended.compareAndSet(false, true)) {
      try {
        releaseArray(Pointer.nativeValue(moved));
      } finally {
        moved.close();
      }
    }
  }

  /** Moves the array back to its structure, as if it had not been moved. */
  public void giveBack() {
    if (ended.compareAndSet(false, true)) {
      source.setLong(OfArray.RELEASE, moved.getLong(OfArray.RELEASE));
      moved.close();
    }
  }

  /** Releases an array unless it is released already. */
  public static void releaseArray(long address) {
    release(ReleasableKind.ARRAY, address, "ArrowArray");
  }

  /** Releases a schema unless it is released already. */
  public static void releaseSchema(long address) {
    release(ReleasableKind.SCHEMA, address, "ArrowSchema");
  }

  private static void release(ReleasableKind kind, long address, String structure) {
    NativeAddress.load();
    kind.release(NativeAddress.of(address, Long.BYTES, "the pointer to an " + structure));
  }
}
