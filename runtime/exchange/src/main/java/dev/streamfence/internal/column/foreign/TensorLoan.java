package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.exchange.DeviceTag;
import dev.streamfence.internal.exchange.DlTensor;
import dev.streamfence.internal.exchange.ManagedTensor;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.internal.exchange.TensorElement;
import dev.streamfence.internal.exchange.TensorExport;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.launch.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The implementation of {@link ExportedTensor}: an array that another library gets. Thread-safe.
 */
public final class TensorLoan implements ExportedTensor {
  private final TensorExport export;

  private TensorLoan(TensorExport export) {
    this.export = export;
  }

  /** Exports an array in a shape that covers it. */
  public static ExportedTensor export(
      ReadableArray<?> array, List<Long> shape, TensorConsumer consumer) {
    TrackedArray<?> exported = TrackedArray.of(array);
    if (!(exported.elementType() instanceof ElementType type)) {
      throw new IllegalArgumentException(
          exported
              + " cannot be exported: a tensor has no records; export a view of it that is"
              + " reinterpreted as byte[]");
    }
    return export(exported, TensorElement.of(type), shape, consumer);
  }

  /** Exports the logical rows of each column of a table; if that fails, none. */
  public static List<ExportedTensor> export(
      DeviceStream stream, DeviceTable table, TensorConsumer consumer) {
    List<ReadableColumn<?>> columns = table.columns();
    List<TensorElement> elements = new ArrayList<>(columns.size());
    for (ReadableColumn<?> column : columns) {
      elements.add(TensorTypes.of(column.field()));
      if (column.validity().length() > 0 && column.nullCount().orElse(-1) != 0) {
        throw new IllegalArgumentException(
            column + " may have nulls, which a tensor cannot express; export its values");
      }
    }
    long rows = table.rows(stream);
    List<ExportedTensor> tensors = new ArrayList<>(columns.size());
    try {
      for (int i = 0; i < columns.size(); i++) {
        TrackedArray<?> values = TrackedArray.of(columns.get(i).values()).view(0, rows);
        tensors.add(export(values, elements.get(i), List.of(rows), consumer));
      }
      return List.copyOf(tensors);
    } catch (Throwable e) {
      Teardown all = new Teardown();
      tensors.forEach(tensor -> all.step(tensor::close));
      all.suppressIn(e);
      throw e;
    }
  }

  private static ExportedTensor export(
      TrackedArray<?> array, TensorElement element, List<Long> shape, TensorConsumer consumer) {
    Life life = array.runtime().life();
    life.enter();
    try {
      array.requireInUse("exporting it");
      return exportInside(array, element, shape, consumer);
    } finally {
      life.leave();
    }
  }

  private static ExportedTensor exportInside(
      TrackedArray<?> array, TensorElement element, List<Long> shape, TensorConsumer consumer) {
    requireCovered(array, shape);
    Region region = array.region();
    if (region != null && region.allocation().isOnHost()) {
      throw new IllegalArgumentException(
          array + " is page-locked host memory; a tensor of a device is memory of the device");
    }
    Form form = Form.upTo(consumer.maxMajor());
    boolean isReadable = !(array instanceof WritableArray);
    if (isReadable && form == Form.LEGACY) {
      throw new IllegalArgumentException(
          array
              + " is read-only, which a legacy tensor cannot say; export it to a consumer that"
              + " understands version 1 of DLPack");
    }
    boolean isReadOnly = isReadable || consumer.isReadOnly();
    Runnable released =
        region == null || region.sizeInBytes() == 0
            ? () -> {}
            : lend(array, region, consumer, !isReadOnly);
    try {
      return new TensorLoan(
          TensorExport.of(
              form,
              consumer.maxMajor() > 1 ? Integer.MAX_VALUE : consumer.maxMinor(),
              form == Form.VERSIONED && isReadOnly ? ManagedTensor.READ_ONLY : 0,
              DlTensor.compact(
                  region == null || region.sizeInBytes() == 0 ? 0 : region.address(),
                  new DeviceTag(DeviceTag.CUDA, array.runtime().info().ordinal()),
                  element,
                  shape),
              array,
              released));
    } catch (Throwable e) {
      released.run();
      throw e;
    }
  }

  private static Runnable lend(
      TrackedArray<?> array, Region region, TensorConsumer consumer, boolean writes) {
    OptionalLong stream =
        consumer.hasHandle() ? OptionalLong.of(consumer.stream()) : OptionalLong.empty();
    Runnable end = OpenExports.of(array.runtime()).add(array, "exporting " + array, writes, stream);
    if (consumer.isOrdered() && stream.isEmpty()) {
      try {
        ThreadStream.awaitUses(array, region, writes);
      } catch (Throwable e) {
        end.run();
        throw e;
      }
    }
    return end;
  }

  private static void requireCovered(TrackedArray<?> array, List<Long> shape) {
    if (shape.stream().anyMatch(length -> length < 0)) {
      throw new IllegalArgumentException(array + " as a tensor of shape " + shape);
    }
    // A length of 0 makes it empty, whatever the others are.
    long elements = shape.contains(0L) ? 0 : 1;
    for (long length : shape) {
      try {
        elements = Math.multiplyExact(elements, length);
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException(
            array
                + " as a tensor of shape "
                + shape
                + ", which has more elements than a long counts",
            e);
      }
    }
    if (elements != array.length()) {
      throw new IllegalArgumentException(
          array
              + " has "
              + array.length()
              + " elements; a tensor of shape "
              + shape
              + " has "
              + elements);
    }
  }

  @Override
  public boolean isVersioned() {
    return export.tensor().form() == Form.VERSIONED;
  }

  @Override
  public String capsuleName() {
    return isVersioned() ? "dltensor_versioned" : "dltensor";
  }

  @Override
  public long handOver() {
    return export.handOver();
  }

  @Override
  public void close() {
    export.close();
  }

  @Override
  public String toString() {
    return export.toString();
  }
}
