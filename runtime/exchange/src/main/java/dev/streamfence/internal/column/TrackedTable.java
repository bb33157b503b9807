// Long because a table is asked for its columns, and for its rows, in several ways.
package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.memory.ClosedHere;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceTable}. */
public final class TrackedTable implements DeviceTable {
  private final TrackedRuntime runtime;
  private final Schema schema;
  private final List<TrackedColumn<?>> columns;
  private final long capacity;
  private final RowCount rows;

  /** The table that this one was made from; null if it was made from columns. */
  private final @Nullable TrackedTable source;

  private final Owned owned;

  /** How many writes were registered when the rows were certified; negative if they never were. */
  private volatile long certifiedAt = -1;

  private volatile boolean closed;
  private volatile @Nullable Throwable closedAt;

  private TrackedTable(
      TrackedRuntime runtime,
      Schema schema,
      List<TrackedColumn<?>> columns,
      long capacity,
      RowCount rows,
      @Nullable TrackedTable source,
      Owned owned) {
    this.runtime = runtime;
    this.schema = schema;
    this.columns = List.copyOf(columns);
    this.capacity = capacity;
    this.rows = rows;
    this.source = source;
    this.owned = owned;
  }

  /**
   * A table that owns its columns and its number of rows.
   *
   * @param columns checked with {@link #fitting}
   */
  static TrackedTable of(
      TrackedRuntime runtime,
      Schema schema,
      List<TrackedColumn<?>> columns,
      long capacity,
      RowCount rows) {
    List<TrackedColumn<?>> named = new ArrayList<>(columns.size());
    List<Runnable> closes = new ArrayList<>(columns.size() + 1);
    for (int i = 0; i < columns.size(); i++) {
      named.add(columns.get(i).as(schema.field(i)));
      closes.add(columns.get(i)::close);
    }
    closes.add(rows::close);
    TrackedTable table =
        new TrackedTable(runtime, schema, named, capacity, rows, null, Owned.by(closes));
    for (int i = 0; i < columns.size(); i++) {
      if (!columns.get(i).enterTable()) {
        columns.subList(0, i).forEach(TrackedColumn::leaveTable);
        throw inTwoTables(columns.get(i));
      }
    }
    return table;
  }

  /** The implementations of columns that fit a schema, a capacity and a runtime. */
  static List<TrackedColumn<?>> fitting(
      TrackedRuntime runtime,
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long capacity) {
    requireCapacity(schema, capacity);
    if (columns.size() != schema.columnCount()) {
      throw new IllegalArgumentException(
          columns.size()
              + " columns for a schema of "
              + schema.columnCount()
              + " fields: "
              + schema);
    }
    List<TrackedColumn<?>> fitting = new ArrayList<>(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      TrackedColumn<?> column = fitting(runtime, schema.field(i), columns.get(i), capacity);
      // Here as well, before anything is allocated.
      if (column.isInTable()) {
        throw inTwoTables(column);
      }
      if (fitting.contains(column)) {
        throw new IllegalArgumentException(
            column + " is passed twice; pass a slice of it as one of the two");
      }
      fitting.add(column);
    }
    return fitting;
  }

  static void requireCapacity(Schema schema, long capacity) {
    if (capacity < 0 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "a table "
              + schema
              + " with room for "
              + capacity
              + " rows; the capacity is 0 to "
              + MAX_CAPACITY);
    }
  }

  private static IllegalArgumentException inTwoTables(TrackedColumn<?> column) {
    return new IllegalArgumentException(
        column
            + " belongs to another table, which closes it; pass a slice of it, or append it to the"
            + " other table");
  }

  private static TrackedColumn<?> fitting(
      TrackedRuntime runtime, ColumnField field, ReadableColumn<?> column, long capacity) {
    TrackedColumn<?> tracked = (TrackedColumn<?>) Objects.requireNonNull(column, "column");
    if (tracked.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          tracked + " in a table of " + runtime + ": they belong to two runtimes");
    }
    if (!tracked.type().equals(field.type())) {
      throw new IllegalArgumentException(tracked + " for field " + field + ": the types differ");
    }
    if (!field.isNullable() && tracked.validity().length() > 0) {
      throw new IllegalArgumentException(
          tracked + " for field " + field + ": it has a validity bitmap; make the field nullable");
    }
    if (tracked.length() != capacity) {
      throw new IllegalArgumentException(
          tracked + " in a table with room for " + capacity + " rows; the two must be equal");
    }
    return tracked;
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public long capacity() {
    return capacity;
  }

  @Override
  public List<ReadableColumn<?>> columns() {
    requireOpen("columns()");
    return List.copyOf(columns);
  }

  @Override
  public ReadableColumn<?> column(int index) {
    return tracked(index);
  }

  @Override
  public ReadableColumn<?> column(String name) {
    return tracked(schema.indexOf(name));
  }

  @Override
  public <A> DeviceColumn<A> column(int index, Class<A> arrayType) {
    return writable(tracked(index), arrayType);
  }

  @Override
  public <A> DeviceColumn<A> column(String name, Class<A> arrayType) {
    return writable(tracked(schema.indexOf(name)), arrayType);
  }

  @Override
  public <A> ReadableColumn<A> readable(int index, Class<A> arrayType) {
    return typed(tracked(index), arrayType);
  }

  @Override
  public <A> ReadableColumn<A> readable(String name, Class<A> arrayType) {
    return typed(tracked(schema.indexOf(name)), arrayType);
  }

  @Override
  public DeviceArray<int[]> rowCount() {
    requireOpen("rowCount()");
    return rows.array();
  }

  @Override
  public long rows(DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    requireOpen("rows()");
    return rows.read(stream, this::requireWithinCapacity);
  }

  @Override
  public OptionalLong knownRows() {
    requireOpen("knownRows()");
    return rows.known();
  }

  @Override
  public void setRows(DeviceStream stream, long count) {
    Objects.requireNonNull(stream, "stream");
    requireOpen("setRows()");
    if (count < 0 || count > capacity) {
      throw new IllegalArgumentException(count + " logical rows of " + this);
    }
    rows.set(stream, count);
  }

  @Override
  public Object[] download(DeviceStream stream) {
    requireOpen("download()");
    int count = javaRows(stream);
    Object[] arrays = new Object[columns.size()];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = HostColumns.download(stream, columns.get(i), count);
    }
    return arrays;
  }

  @Override
  public <A> A download(DeviceStream stream, String name, Class<A> arrayType) {
    Objects.requireNonNull(arrayType, "arrayType");
    TrackedColumn<?> column = tracked(schema.indexOf(name));
    Class<?> hostType = HostColumns.hostType(column.type());
    if (hostType != arrayType) {
      throw new IllegalArgumentException(
          column
              + " is downloaded to "
              + hostType.getSimpleName()
              + ", not to "
              + arrayType.getSimpleName());
    }
    return arrayType.cast(HostColumns.download(stream, column, javaRows(stream)));
  }

  @Override
  public boolean[] downloadValidity(DeviceStream stream, String name) {
    TrackedColumn<?> column = tracked(schema.indexOf(name));
    return HostColumns.valid(stream, column, javaRows(stream));
  }

  private int javaRows(DeviceStream stream) {
    return HostColumns.requireJavaRows(rows(stream), this);
  }

  @Override
  public boolean isEmpty(DeviceStream stream) {
    return rows(stream) == 0;
  }

  @Override
  public void certifySortedAndUnique() {
    requireOpen("certifySortedAndUnique()");
    certifiedAt = registeredWrites();
  }

  @Override
  public boolean isSortedAndUnique() {
    requireOpen("isSortedAndUnique()");
    // First: the end of a writing export, which comes in between, is then one of the writes.
    return !isWrittenByOtherCode() && certifiedAt == registeredWrites();
  }

  private boolean isWrittenByOtherCode() {
    return rows.array().isWrittenByOtherCode()
        || columns.stream().anyMatch(TrackedColumn::isWrittenByOtherCode);
  }

  /** Every count only grows, so the sum is the same as long as each of them is. */
  private long registeredWrites() {
    long writes = rows.array().registeredWrites();
    for (TrackedColumn<?> column : columns) {
      writes += column.registeredWrites();
    }
    return writes;
  }

  @Override
  public long sizeInBytes() {
    return columns.stream().mapToLong(TrackedColumn::sizeInBytes).reduce(0, Math::addExact);
  }

  @Override
  public TrackedTable select(String... names) {
    Objects.requireNonNull(names, "names");
    requireOpen("select()");
    // Refuses the names that several fields have, so that one of each is enough.
    Schema selected = schema.select(names);
    Map<String, TrackedColumn<?>> named = new HashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      named.put(schema.field(i).name(), columns.get(i));
    }
    List<TrackedColumn<?>> same = new ArrayList<>(names.length);
    for (String name : names) {
      same.add(Objects.requireNonNull(named.get(name)));
    }
    return derived(selected, same);
  }

  @Override
  public TrackedTable rename(String name, String newName) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(newName, "newName");
    requireOpen("rename()");
    Schema renamed = schema.rename(name, newName);
    int index = schema.indexOf(name);
    List<TrackedColumn<?>> same = new ArrayList<>(columns);
    same.set(index, same.get(index).as(renamed.field(index)));
    return derived(renamed, same);
  }

  @Override
  public TrackedTable append(ReadableColumn<?> column) {
    Objects.requireNonNull(column, "column");
    requireOpen("append()");
    List<TrackedColumn<?>> more = new ArrayList<>(columns);
    more.add(fitting(runtime, column.field(), column, capacity));
    return derived(schema.append(column.field()), more);
  }

  @Override
  public TrackedTable slice(DeviceStream stream, long from, long count) {
    Objects.requireNonNull(stream, "stream");
    requireOpen("slice()");
    if (from < 0 || count < 0 || from > capacity - count) {
      throw new IllegalArgumentException(
          "a slice of " + count + " rows from row " + from + " of " + this);
    }
    List<TrackedColumn<?>> slices = new ArrayList<>(columns.size());
    for (TrackedColumn<?> column : columns) {
      slices.add(column.slice(from, count));
    }
    RowCount own = rows.slice(stream, runtime.memory(), capacity, from, count);
    return new TrackedTable(runtime, schema, slices, count, own, this, Owned.by(own::close));
  }

  @Override
  public boolean isOpen() {
    return !closed && !runtime.life().isClosed() && (source == null || source.isOpen());
  }

  @Override
  public void close() {
    if (owned.isEmpty()) {
      return;
    }
    if (!closed && runtime.options().traceAllocations()) {
      closedAt = new ClosedHere();
    }
    closed = true;
    owned.close();
  }

  private TrackedTable derived(Schema newSchema, List<TrackedColumn<?>> newColumns) {
    return new TrackedTable(runtime, newSchema, newColumns, capacity, rows, this, Owned.NOTHING);
  }

  private TrackedColumn<?> tracked(int index) {
    ColumnField field = schema.field(index);
    requireOpen("column '" + field.name() + "'");
    return columns.get(index);
  }

  private <A> WritableColumn<A> writable(TrackedColumn<?> column, Class<A> arrayType) {
    Objects.requireNonNull(arrayType, "arrayType");
    TrackedColumn<A> typed = typed(column, arrayType);
    if (column.isReadOnly()) {
      throw new IllegalArgumentException(
          column + " is read-only (" + column.origin() + "); readable() gives it");
    }
    return (WritableColumn<A>) typed;
  }

  @SuppressWarnings("unchecked") // The type of the column says what its arrays are.
  private static <A> TrackedColumn<A> typed(TrackedColumn<?> column, Class<A> arrayType) {
    Objects.requireNonNull(arrayType, "arrayType");
    if (column.type().arrayType() != arrayType) {
      throw new IllegalArgumentException(
          column
              + " has values of "
              + column.type().arrayType().getSimpleName()
              + ", not of "
              + arrayType.getSimpleName());
    }
    return (TrackedColumn<A>) column;
  }

  private void requireWithinCapacity(long count) {
    if (count > capacity) {
      throw new IllegalStateException(
          count
              + " logical rows on the device in "
              + this
              + "; what counted them went beyond the capacity");
    }
  }

  private void requireOpen(String use) {
    for (TrackedTable table = this; table != null; table = table.source) {
      if (table.closed) {
        throw new UseAfterFreeException(AttemptedUse.of(use), table.toString(), 0, table.closedAt);
      }
    }
  }

  /** For example {@code table (key: int32 not null, name: utf8) with room for 100 rows}. */
  @Override
  public String toString() {
    return "table " + schema + " with room for " + capacity + " rows";
  }
}
