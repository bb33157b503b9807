// Long because a column has many parts, each of which is asked for by name.
package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
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
 * The implementation of {@link DeviceColumn}, and of columns that are only read. Made by {@link
 * ColumnDraft}, which checks the parts.
 */
public final class TrackedColumn<A> implements DeviceColumn<A> {
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

  private final ColumnField field;
  private final TrackedRuntime runtime;
  private final long length;
  private final TrackedArray<A> values;
  private final int bitOffset;
  private final TrackedArray<byte[]> validity;
  private final int validityOffset;
  private final @Nullable TrackedArray<int[]> offsets;
  private final @Nullable TrackedColumn<byte[]> dictionary;
  private final ColumnOrigin origin;
  private final boolean isReadOnly;
  private final KnownNulls nulls;

  /** The column that this is a view of; null if it is none. */
  private final @Nullable TrackedColumn<?> source;

  private final Owned owned;
  private final AtomicBoolean isInTable = new AtomicBoolean();
  private volatile boolean closed;
  private volatile @Nullable Throwable closedAt;

  TrackedColumn(
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
      boolean isReadOnly,
      KnownNulls nulls,
      @Nullable TrackedColumn<?> source,
      Owned owned) {
    this.field = field;
    this.runtime = runtime;
    this.length = length;
    this.values = values;
    this.bitOffset = bitOffset;
    this.validity = validity;
    this.validityOffset = validityOffset;
    this.offsets = offsets;
    this.dictionary = dictionary;
    this.origin = origin;
    this.isReadOnly = isReadOnly;
    this.nulls = nulls;
    this.source = source;
    this.owned = owned;
  }

  @Override
  public ColumnField field() {
    return field;
  }

  @Override
  public String name() {
    return field.name();
  }

  @Override
  public ColumnType type() {
    return field.type();
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public DeviceArray<A> values() {
    requireOpen("values()");
    return values;
  }

  @Override
  public int bitOffset() {
    return bitOffset;
  }

  @Override
  public DeviceArray<byte[]> validity() {
    requireOpen("validity()");
    return validity;
  }

  @Override
  public int validityOffset() {
    return validityOffset;
  }

  @Override
  public OptionalLong nullCount() {
    if (validity.length() == 0) {
      return OptionalLong.of(0);
    }
    return nulls.count() >= 0 && validity.isUnchangedSince(nulls.writes())
        ? OptionalLong.of(nulls.count())
        : OptionalLong.empty();
  }

  @Override
  public DeviceArray<int[]> offsets() {
    requireOpen("offsets()");
    if (offsets == null) {
      throw new IllegalStateException(this + " has no offsets; only utf8 has");
    }
    return offsets;
  }

  @Override
  public TrackedColumn<byte[]> dictionary() {
    requireOpen("dictionary()");
    if (dictionary == null) {
      throw new IllegalStateException(this + " has no dictionary; only dictionary types have");
    }
    return dictionary;
  }

  @Override
  public ColumnOrigin origin() {
    return origin;
  }

  @Override
  public boolean isExternal() {
    return origin.isExternal();
  }

  @Override
  public boolean isReadOnly() {
    return isReadOnly;
  }

  @Override
  public boolean isOpen() {
    return !(source == null ? this : source).closed;
  }

  @Override
  public long sizeInBytes() {
    long bytes = Math.addExact(values.sizeInBytes(), validity.sizeInBytes());
    if (offsets != null) {
      bytes = Math.addExact(bytes, offsets.sizeInBytes());
    }
    return dictionary == null ? bytes : Math.addExact(bytes, dictionary.sizeInBytes());
  }

  @Override
  public TrackedColumn<A> slice(long from, long count) {
    requireOpen("slice()");
    if (from < 0 || count < 0 || from > length - count) {
      throw new IllegalArgumentException(
          "a slice of " + count + " rows from row " + from + " of " + this);
    }
    boolean isBits = type() == ColumnType.BOOL;
    boolean isText = type() == ColumnType.UTF8;
    long firstBit = isBits ? bitOffset + from : 0;
    long firstValid = validityOffset + from;
    boolean hasBitmap = validity.length() > 0;
    return view(
        field,
        count,
        isText ? values : isBits ? bits(values, firstBit, count) : values.view(from, count),
        (int) (firstBit % 8),
        hasBitmap ? bits(validity, firstValid, count) : validity,
        hasBitmap ? (int) (firstValid % 8) : 0,
        offsets == null || offsets.length() == 0 ? offsets : offsets.view(from, count + 1),
        nulls.count() == 0 ? nulls : KnownNulls.NONE);
  }

  @Override
  @SuppressWarnings("unchecked") // The type says what the array has.
  public TrackedColumn<byte[]> packed(DeviceStream stream) {
    requireOpen("packed()");
    requireType(ColumnType.BOOL8, "packed");
    return converted(
        stream,
        ColumnType.BOOL,
        byte[].class,
        ColumnDraft.bytes(0, length),
        bits -> ColumnKernels.pack(stream, (TrackedArray<boolean[]>) values, bits));
  }

  @Override
  @SuppressWarnings("unchecked") // The type says what the array has.
  public TrackedColumn<boolean[]> unpacked(DeviceStream stream) {
    requireOpen("unpacked()");
    requireType(ColumnType.BOOL, "unpacked");
    return converted(
        stream,
        ColumnType.BOOL8,
        boolean[].class,
        length,
        flags -> ColumnKernels.unpack(stream, (TrackedArray<byte[]>) values, bitOffset, flags));
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
    return other.equals(field)
        ? this
        : view(other, length, values, bitOffset, validity, validityOffset, offsets, nulls);
  }

  @Override
  public void close() {
    if (source != null) {
      return;
    }
    if (!closed && runtime.options().traceAllocations()) {
      closedAt = new ClosedHere();
    }
    closed = true;
    owned.close();
  }

  private TrackedColumn<A> view(
      ColumnField newField,
      long newLength,
      TrackedArray<A> newValues,
      int newBitOffset,
      TrackedArray<byte[]> newValidity,
      int newValidityOffset,
      @Nullable TrackedArray<int[]> newOffsets,
      KnownNulls newNulls) {
    return new TrackedColumn<>(
        newField,
        runtime,
        newLength,
        newValues,
        newBitOffset,
        newValidity,
        newValidityOffset,
        newOffsets,
        dictionary,
        origin,
        isReadOnly,
        newNulls,
        source == null ? this : source,
        Owned.NOTHING);
  }

  private <T> TrackedColumn<T> converted(
      DeviceStream stream,
      ColumnType target,
      Class<T> arrayType,
      long elements,
      Consumer<DeviceArray<T>> kernel) {
    ColumnField targetField = new ColumnField(name(), target, field.isNullable());
    List<Runnable> closes = new ArrayList<>();
    try {
      DeviceArray<T> array =
          runtime.memory().allocate(stream, arrayType, elements, "column '" + name() + "'");
      closes.add(array::close);
      kernel.accept(array);
      ColumnDraft<T> draft = new ColumnDraft<>(targetField, length, array);
      if (validity.length() > 0) {
        DeviceArray<byte[]> bitmap = validity.copy(stream);
        closes.add(bitmap::close);
        draft.validity(bitmap, validityOffset).nullCount(nullCount().orElse(-1));
      }
      return draft.build();
    } catch (RuntimeException | Error e) {
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
    return values.isWrittenByOtherCode()
        || validity.isWrittenByOtherCode()
        || (offsets != null && offsets.isWrittenByOtherCode())
        || (dictionary != null && dictionary.isWrittenByOtherCode());
  }

  /** How many writes of its arrays were registered so far, those of its dictionary included. */
  long registeredWrites() {
    return values.registeredWrites()
        + validity.registeredWrites()
        + (offsets == null ? 0 : offsets.registeredWrites())
        + (dictionary == null ? 0 : dictionary.registeredWrites());
  }

  private void requireOpen(String use) {
    TrackedColumn<?> root = source == null ? this : source;
    if (root.closed) {
      throw new UseAfterFreeException(AttemptedUse.of(use), toString(), 0, root.closedAt);
    }
  }

  /** For example {@code column 'key' (int32 not null) of 100 rows}. */
  @Override
  public String toString() {
    return "column '"
        + field.name()
        + "' ("
        + field.type()
        + (field.isNullable() ? "" : " not null")
        + ") of "
        + length
        + " rows";
  }
}
