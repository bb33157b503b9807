package dev.streamfence.internal.ptx.bounds;

/** Bounds that were written and read again, as a launcher has them. */
final class RecordedBounds {
  private RecordedBounds() {}

  static byte[] write(LaunchBounds bounds) {
    NumberWriter out = new NumberWriter();
    LaunchBoundsWriter.write(bounds, out);
    return out.toBytes();
  }

  static LaunchBounds of(LaunchBounds bounds) {
    NumberReader in = new NumberReader(write(bounds));
    LaunchBounds read = LaunchBoundsReader.read(in, bounds.arrayCount());
    in.end();
    return read;
  }
}
