// Long because a column has many parts, each of which is asked for by name.
package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.memory.ClosedHere;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link ReadableColumn}. Made by {@link ColumnDraft}, which checks the
 * parts. Columns that can be written are {@link WritableColumn}s.
 */
public sealed class TrackedColumn<A> implements ReadableColumn<A> permits WritableColumn {
  /**
   * A number of nulls, and how often the bitmap had been written when that was the number.
   *
   * @param count negative if it is not known
   */
  record KnownNulls(long count, long writes) {
    static final KnownNulls NONE = new KnownNulls(-1, 0);

    static KnownNulls of(long count, TrackedArray<byte[]> validity) {
      return new KnownNulls(count, validity.registeredWrites());
    }
  }

  /** The checked parts of a column. */
  record Parts<A>(
      ColumnField field,
      TrackedRuntime runtime,
      long length,
      TrackedArray<A> values,
      int bitOffset,
      TrackedArray<byte[]> validity,
      int validityOffset,
      @Nullable TrackedArray<int[]> offsets,
      @Nullable TrackedColumn<byte[]> dictionary,
      ColumnOrigin origin,
      KnownNulls nulls) {
    /** The same parts, only to be read. */
    Parts<A> readable() {
      return new Parts<>(
          field,
          runtime,
          length,
          values.readable(),
          bitOffset,
          validity.readable(),
          validityOffset,
          offsets == null ? null : offsets.readable(),
          dictionary == null ? null : dictionary.readable(),
          origin,
          nulls);
    }
  }

  private final Parts<A> parts;

  /** The column that this is a view of; null if it is none. */
  private final @Nullable TrackedColumn<?> source;

  private final Owned owned;
  private final AtomicBoolean isInTable = new AtomicBoolean();
  private volatile boolean closed;
  private volatile @Nullable Throwable closedAt;

  TrackedColumn(Parts<A> parts, @Nullable TrackedColumn<?> source, Owned owned) {
    this.parts = parts;
    this.source = source;
    this.owned = owned;
  }

  /** A view of this column: one to write, from one. */
  TrackedColumn<A> like(Parts<A> others) {
    return new TrackedColumn<>(others, root(), Owned.NOTHING);
  }

  final Parts<A> parts() {
    return parts;
  }

  /** This column, only to be read. */
  TrackedColumn<A> readable() {
    return this;
  }

  /** The column whose close ends this one. */
  final TrackedColumn<?> root() {
    return source == null ? this : source;
  }

  @Override
  public ColumnField field() {
    return parts.field;
  }

  @Override
  public String name() {
    return parts.field.name();
  }

  @Override
  public ColumnType type() {
    return parts.field.type();
  }

  @Override
  public TrackedRuntime runtime() {
    return parts.runtime;
  }

  @Override
  public long length() {
    return parts.length;
  }

  @Override
  public TrackedArray<A> values() {
    requireOpen("values()");
    return parts.values;
  }

  @Override
  public int bitOffset() {
    return parts.bitOffset;
  }

  @Override
  public TrackedArray<byte[]> validity() {
    requireOpen("validity()");
    return parts.validity;
  }

  @Override
  public int validityOffset() {
    return parts.validityOffset;
  }

  @Override
  public OptionalLong nullCount() {
    if (parts.validity.length() == 0) {
      return OptionalLong.of(0);
    }
    return parts.nulls.count() >= 0 && parts.validity.isUnchangedSince(parts.nulls.writes())
        ? OptionalLong.of(parts.nulls.count())
        : OptionalLong.empty();
  }

  @Override
  public TrackedArray<int[]> offsets() {
    requireOpen("offsets()");
    if (parts.offsets == null) {
      throw new IllegalStateException(this + " has no offsets; only utf8 has");
    }
    return parts.offsets;
  }

  @Override
  public TrackedColumn<byte[]> dictionary() {
    requireOpen("dictionary()");
    if (parts.dictionary == null) {
      throw new IllegalStateException(this + " has no dictionary; only dictionary types have");
    }
    return parts.dictionary;
  }

  @Override
  public ColumnOrigin origin() {
    return parts.origin;
  }

  @Override
  public boolean isExternal() {
    return parts.origin.isExternal();
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public boolean isOpen() {
    return !root().closed && !runtime().life().isClosed();
  }

  @Override
  public long sizeInBytes() {
    long bytes = Math.addExact(parts.values.sizeInBytes(), parts.validity.sizeInBytes());
    if (parts.offsets != null) {
      bytes = Math.addExact(bytes, parts.offsets.sizeInBytes());
    }
    return parts.dictionary == null ? bytes : Math.addExact(bytes, parts.dictionary.sizeInBytes());
  }

  @Override
  public TrackedColumn<A> slice(long from, long count) {
    requireOpen("slice()");
    if (from < 0 || count < 0 || from > parts.length - count) {
      throw new IllegalArgumentException(
          "a slice of " + count + " rows from row " + from + " of " + this);
    }
    boolean isBits = type() == ColumnType.BOOL;
    boolean isText = type() == ColumnType.UTF8;
    long firstBit = isBits ? parts.bitOffset + from : 0;
    long firstValid = parts.validityOffset + from;
    boolean hasBitmap = parts.validity.length() > 0;
    return like(
        new Parts<>(
            parts.field,
            parts.runtime,
            count,
            isText
                ? parts.values
                : isBits ? bits(parts.values, firstBit, count) : parts.values.view(from, count),
            (int) (firstBit % 8),
            hasBitmap ? bits(parts.validity, firstValid, count) : parts.validity,
            hasBitmap ? (int) (firstValid % 8) : 0,
            parts.offsets == null || parts.offsets.length() == 0
                ? parts.offsets
                : parts.offsets.view(from, count + 1),
            parts.dictionary,
            parts.origin,
            parts.nulls.count() == 0 ? parts.nulls : KnownNulls.NONE));
  }

  @Override
  @SuppressWarnings("unchecked") // The type says what the array has.
  public WritableColumn<byte[]> packed(DeviceStream stream) {
    requireOpen("packed()");
    requireType(ColumnType.BOOL8, "packed");
    return converted(
        stream,
        ColumnType.BOOL,
        byte[].class,
        ColumnDraft.bytes(0, parts.length),
        bits -> ColumnKernels.pack(stream, (TrackedArray<boolean[]>) parts.values, bits));
  }

  @Override
  @SuppressWarnings("unchecked") // The type says what the array has.
  public WritableColumn<boolean[]> unpacked(DeviceStream stream) {
    requireOpen("unpacked()");
    requireType(ColumnType.BOOL, "unpacked");
    return converted(
        stream,
        ColumnType.BOOL8,
        boolean[].class,
        parts.length,
        flags ->
            ColumnKernels.unpack(
                stream, (TrackedArray<byte[]>) parts.values, parts.bitOffset, flags));
  }

  /** Whether a table closes it. */
  boolean isInTable() {
    return isInTable.get();
  }

  /** Gives it to a table, which closes it; returns whether no table had it. A view has no owner. */
  boolean enterTable() {
    return source != null || isInTable.compareAndSet(false, true);
  }

  /** Takes {@link #enterTable} back. */
  void leaveTable() {
    isInTable.set(false);
  }

  /** The same column as another field, which has the same type. */
  TrackedColumn<A> as(ColumnField other) {
    return other.equals(parts.field)
        ? this
        : like(
            new Parts<>(
                other,
                parts.runtime,
                parts.length,
                parts.values,
                parts.bitOffset,
                parts.validity,
                parts.validityOffset,
                parts.offsets,
                parts.dictionary,
                parts.origin,
                parts.nulls));
  }

  @Override
  public void close() {
    if (source != null) {
      return;
    }
    if (!closed && parts.runtime.options().traceAllocations()) {
      closedAt = new ClosedHere();
    }
    closed = true;
    owned.close();
  }

  private <T> WritableColumn<T> converted(
      DeviceStream stream,
      ColumnType target,
      Class<T> arrayType,
      long elements,
      Consumer<DeviceArray<T>> kernel) {
    ColumnField targetField = new ColumnField(name(), target, parts.field.isNullable());
    List<Runnable> closes = new ArrayList<>();
    try {
      DeviceArray<T> array =
          parts.runtime.memory().allocate(stream, arrayType, elements, "column '" + name() + "'");
      closes.add(array::close);
      kernel.accept(array);
      ColumnDraft<T> draft = new ColumnDraft<>(targetField, parts.length, array);
      if (parts.validity.length() > 0) {
        DeviceArray<byte[]> bitmap = parts.validity.copy(stream);
        closes.add(bitmap::close);
        draft.validity(bitmap, parts.validityOffset).nullCount(nullCount().orElse(-1));
      }
      return draft.buildWritable();
    } catch (Throwable e) {
      Owned.by(closes).closeAfter(e);
      throw e;
    }
  }

  private void requireType(ColumnType type, String operation) {
    if (type() != type) {
      throw new IllegalStateException(this + " cannot be " + operation + "; only " + type + " can");
    }
  }

  private static <T> TrackedArray<T> bits(TrackedArray<T> bytes, long first, long count) {
    return bytes.view(first / 8, ColumnDraft.bytes(first % 8, count));
  }

  /** Whether other code has memory of the column that it may write at this moment. */
  boolean isWrittenByOtherCode() {
    return parts.values.isWrittenByOtherCode()
        || parts.validity.isWrittenByOtherCode()
        || (parts.offsets != null && parts.offsets.isWrittenByOtherCode())
        || (parts.dictionary != null && parts.dictionary.isWrittenByOtherCode());
  }

  /** How many writes of its arrays were registered so far, those of its dictionary included. */
  long registeredWrites() {
    return parts.values.registeredWrites()
        + parts.validity.registeredWrites()
        + (parts.offsets == null ? 0 : parts.offsets.registeredWrites())
        + (parts.dictionary == null ? 0 : parts.dictionary.registeredWrites());
  }

  private void requireOpen(String use) {
    if (root().closed) {
      throw new UseAfterFreeException(AttemptedUse.of(use), toString(), 0, root().closedAt);
    }
  }

  /** For example {@code column 'key' (int32 not null) of 100 rows}. */
  @Override
  public String toString() {
    return "column '"
        + parts.field.name()
        + "' ("
        + parts.field.type()
        + (parts.field.isNullable() ? "" : " not null")
        + ") of "
        + parts.length
        + " rows";
  }
}
