package dev.streamfence.internal.column;

import dev.streamfence.column.DeviceColumn;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.WritableArray;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceColumn}: a column of arrays that can be written. */
public final class WritableColumn<A> extends TrackedColumn<A> implements DeviceColumn<A> {
  private WritableColumn(Parts<A> parts, @Nullable TrackedColumn<?> source, Owned owned) {
    super(parts, source, owned);
  }

  /**
   * The column of these parts: one to write if all of them are.
   *
   * @param isReadOnly whether it is only read, whatever its parts allow
   */
  static <A> TrackedColumn<A> of(Parts<A> parts, boolean isReadOnly, Owned owned) {
    boolean isWritable =
        !isReadOnly
            && isWritable(parts.values())
            && isWritable(parts.validity())
            && (parts.offsets() == null || isWritable(parts.offsets()))
            && (parts.dictionary() == null || !parts.dictionary().isReadOnly());
    return isWritable
        ? new WritableColumn<>(parts, null, owned)
        : new TrackedColumn<>(parts.readable(), null, owned);
  }

  private static boolean isWritable(TrackedArray<?> array) {
    return array instanceof WritableArray;
  }

  @Override
  WritableColumn<A> like(Parts<A> others) {
    return new WritableColumn<>(others, root(), Owned.NOTHING);
  }

  @Override
  TrackedColumn<A> readable() {
    return new TrackedColumn<>(parts().readable(), root(), Owned.NOTHING);
  }

  @Override
  public WritableArray<A> values() {
    return (WritableArray<A>) super.values();
  }

  @Override
  public WritableArray<byte[]> validity() {
    return (WritableArray<byte[]>) super.validity();
  }

  @Override
  public WritableArray<int[]> offsets() {
    return (WritableArray<int[]>) super.offsets();
  }

  @Override
  public WritableColumn<byte[]> dictionary() {
    return (WritableColumn<byte[]>) super.dictionary();
  }

  @Override
  public WritableColumn<A> slice(long from, long count) {
    return (WritableColumn<A>) super.slice(from, count);
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }
}
