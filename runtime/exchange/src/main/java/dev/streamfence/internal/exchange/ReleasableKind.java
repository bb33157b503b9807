package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;

/** The two trees of structures in Arrow's C interface, each with a release function. */
enum ReleasableKind {
  SCHEMA(
      OfSchema.BYTES,
      OfSchema.CHILD_COUNT,
      OfSchema.CHILDREN,
      OfSchema.DICTIONARY,
      OfSchema.RELEASE,
      OfSchema.PRIVATE),
  ARRAY(
      OfArray.BYTES,
      OfArray.CHILD_COUNT,
      OfArray.CHILDREN,
      OfArray.DICTIONARY,
      OfArray.RELEASE,
      OfArray.PRIVATE);

  private final int sizeInBytes;
  private final int childCountAt;
  private final int childrenAt;
  private final int dictionaryAt;
  private final int releaseAt;
  private final int privateAt;

  ReleasableKind(
      int sizeInBytes,
      int childCountAt,
      int childrenAt,
      int dictionaryAt,
      int releaseAt,
      int privateAt) {
    this.sizeInBytes = sizeInBytes;
    this.childCountAt = childCountAt;
    this.childrenAt = childrenAt;
    this.dictionaryAt = dictionaryAt;
    this.releaseAt = releaseAt;
    this.privateAt = privateAt;
  }

  // Made when first needed, as each loads JNA.
  private static final class Functions {
    static final ReleaseCallback SCHEMA = new ReleaseCallback(ReleasableKind.SCHEMA::releaseOwn);
    static final ReleaseCallback ARRAY = new ReleaseCallback(ReleasableKind.ARRAY::releaseOwn);
  }

  /** Bytes of one structure. */
  int sizeInBytes() {
    return sizeInBytes;
  }

  /** Writes where the children and the dictionary of a structure lie; 0 for none. */
  void link(Pointer structure, int childCount, long children, long dictionary) {
    structure.setLong(childCountAt, childCount);
    structure.setLong(childrenAt, children);
    structure.setLong(dictionaryAt, dictionary);
  }

  /** Makes a structure one of ours, to be released under a number. */
  void sign(Pointer structure, long number) {
    structure.setLong(privateAt, number);
    structure.setLong(releaseAt, function());
  }

  /** The number of a structure that is one of ours; 0 if another library built it. */
  long number(Pointer structure) {
    return structure.getLong(releaseAt) == function() ? structure.getLong(privateAt) : 0;
  }

  /** Releases a structure, whichever library built it, unless it is released or moved already. */
  void release(Pointer structure) {
    long release = structure.getLong(releaseAt);
    if (release == 0) {
      return;
    }
    if (release == function()) {
      releaseOwn(structure);
    } else {
      NativeAddress.call(release, Pointer.nativeValue(structure));
      // The function does this itself; one that forgets must not run again.
      structure.setLong(releaseAt, 0);
    }
  }

  private long function() {
    return (this == SCHEMA ? Functions.SCHEMA : Functions.ARRAY).address();
  }

  /**
   * Releases one of ours, wherever it was moved to. Reads nothing but its number: its user may have
   * cleared the rest.
   */
  private void releaseOwn(Pointer structure) {
    long number = structure.getLong(privateAt);
    structure.setLong(releaseAt, 0);
    if (Exports.remove(number) instanceof ArrowExport export) {
      export.end();
    }
  }
}
