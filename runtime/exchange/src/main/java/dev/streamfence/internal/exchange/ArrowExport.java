package dev.streamfence.internal.exchange;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * What one structure for another library points to, until the structure's release function is
 * called: of a tree of arrays or schemas, each structure has its own. Thread-safe.
 *
 * <p>A child that was moved out of its parent ends by itself, as Arrow demands. The lease ends with
 * the last structure of the tree.
 */
final class ArrowExport implements Exports.Export {
  private final ReleasableKind kind;
  private final SharedRelease lease;
  private final int children;
  private final boolean hasDictionary;

  /**
   * The structures of the children and of the dictionary, the pointers to the children, the rest.
   */
  private final Memory memory;

  /**
   * Makes room.
   *
   * @param rest bytes for what else the structure points to
   */
  ArrowExport(
      ReleasableKind kind, SharedRelease lease, int children, boolean hasDictionary, long rest) {
    this.kind = kind;
    this.lease = lease;
    this.children = children;
    this.hasDictionary = hasDictionary;
    // At least one byte: there is no memory without.
    memory = new Memory(Math.max(1, restAt() + rest));
    memory.clear();
    for (int i = 0; i < children; i++) {
      memory.setPointer(pointersAt() + (long) i * Long.BYTES, child(i));
    }
    lease.begin();
  }

  /** The structure of a child. */
  Pointer child(int index) {
    return memory.share((long) index * kind.sizeInBytes());
  }

  /** The structure of the dictionary. */
  Pointer dictionary() {
    return child(children);
  }

  /** The memory for what else the structure points to. */
  Pointer rest() {
    return memory.share(restAt());
  }

  private long pointersAt() {
    return (children + (hasDictionary ? 1L : 0L)) * kind.sizeInBytes();
  }

  private long restAt() {
    return pointersAt() + (long) children * Long.BYTES;
  }

  /**
   * Makes a structure, of which all else is written, point here. From now on it can be released.
   */
  void attach(Pointer structure) {
    kind.link(
        structure,
        children,
        children == 0 ? 0 : Pointer.nativeValue(memory) + pointersAt(),
        hasDictionary ? Pointer.nativeValue(dictionary()) : 0);
    kind.sign(structure, Exports.add(this));
  }

  /** What the tree shares. */
  SharedRelease lease() {
    return lease;
  }

  /** The export that a structure points to; null if another library built it. */
  static @Nullable ArrowExport of(ReleasableKind kind, Pointer structure) {
    return Exports.get(kind.number(structure)) instanceof ArrowExport export ? export : null;
  }

  /** Releases the children that are still in their places, and the memory. */
  void end() {
    int parts = children + (hasDictionary ? 1 : 0);
    try {
      for (int i = 0; i < parts; i++) {
        kind.release(child(i));
      }
    } finally {
      memory.close();
      lease.end();
    }
  }
}
