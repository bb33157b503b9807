package dev.streamfence.internal.exchange;

/** Where the fields of the structures of Arrow's C interfaces lie. */
final class ArrowLayout {
  private ArrowLayout() {}

  /** {@code ArrowSchema}. */
  static final class OfSchema {
    static final int FORMAT = 0;
    static final int NAME = 8;
    static final int METADATA = 16;
    static final int FLAGS = 24;
    static final int CHILD_COUNT = 32;
    static final int CHILDREN = 40;
    static final int DICTIONARY = 48;
    static final int RELEASE = 56;
    static final int PRIVATE = 64;
    static final int BYTES = 72;

    private OfSchema() {}
  }

  /** {@code ArrowArray}. */
  static final class OfArray {
    static final int LENGTH = 0;
    static final int NULL_COUNT = 8;
    static final int OFFSET = 16;
    static final int BUFFER_COUNT = 24;
    static final int CHILD_COUNT = 32;
    static final int BUFFERS = 40;
    static final int CHILDREN = 48;
    static final int DICTIONARY = 56;
    static final int RELEASE = 64;
    static final int PRIVATE = 72;
    static final int BYTES = 80;

    private OfArray() {}
  }

  /** {@code ArrowDeviceArray}, which begins with an {@code ArrowArray}. */
  static final class OfDeviceArray {
    static final int DEVICE_ID = 80;
    static final int DEVICE_TYPE = 88;
    static final int SYNC_EVENT = 96;
    static final int RESERVED = 104;
    static final int BYTES = 128;

    private OfDeviceArray() {}
  }
}
