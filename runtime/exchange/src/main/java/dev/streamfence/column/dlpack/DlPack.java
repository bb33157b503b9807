package dev.streamfence.column.dlpack;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.column.foreign.TensorColumns;
import dev.streamfence.internal.column.foreign.TensorHandle;
import dev.streamfence.internal.column.foreign.TensorLoan;
import java.util.List;

/**
 * Passes device memory to other libraries of this process, and takes theirs, as DLPack's tensors.
 * Nothing is copied. Stateless and thread-safe.
 *
 * <p>A Python capsule named {@code dltensor} holds the address of a {@code DLManagedTensor}, one
 * named {@code dltensor_versioned} that of a {@code DLManagedTensorVersioned}. Each address stands
 * for one tensor, which is adopted once or deleted once.
 */
public final class DlPack {
  private DlPack() {}

  /**
   * A tensor of another library. Reads nothing yet.
   *
   * @param managedTensor the address of a {@code DLManagedTensor}
   */
  public static ForeignTensor tensor(long managedTensor) {
    return TensorHandle.of(managedTensor, false);
  }

  /**
   * A tensor of another library in the form of DLPack 1, with a version and flags. Reads nothing
   * yet.
   *
   * @param managedTensor the address of a {@code DLManagedTensorVersioned}
   */
  public static ForeignTensor versionedTensor(long managedTensor) {
    return TensorHandle.of(managedTensor, true);
  }

  /**
   * A table over tensors, one for each column, whose origin is {@link ColumnOrigin#DLPACK}. Closing
   * it deletes the tensors, each after its last use. If one is refused, none is adopted, and all
   * still belong to their owners. Does not synchronise.
   *
   * @param schema types with a fixed width of at least a byte, without nulls; an unsigned type fits
   *     elements of the signed one of its width, and the reverse
   * @param tensors as many as the schema has fields, all of one length
   * @param producer how the owner's work on all of them is ordered
   * @throws IllegalArgumentException if a tensor is refused as by {@link ForeignTensor#adopt}, or
   *     does not fit the schema
   * @throws IllegalStateException if a tensor is adopted already
   */
  public static DeviceTable adopt(
      DeviceStream stream, Schema schema, List<ForeignTensor> tensors, TensorProducer producer) {
    requireNonNull(stream, "stream");
    requireNonNull(schema, "schema");
    requireNonNull(tensors, "tensors");
    requireNonNull(producer, "producer");
    return TensorColumns.adopt(stream, schema, tensors, producer);
  }

  /**
   * Exports an array as a tensor of one dimension. The stream of the consumer waits for earlier
   * work on the array; a free of the array waits for the tensor's deleter, and for the work that
   * the consumer has queued on its stream by then. Does not synchronise.
   *
   * <p>The runtime does not see what the consumer does with the tensor until then. Read-only arrays
   * become read-only tensors.
   *
   * @throws IllegalArgumentException if the array is not device memory; or is read-only, and the
   *     consumer does not understand versioned tensors, the only form that can express this
   * @throws dev.streamfence.UseAfterFreeException if the array is closed
   */
  public static ExportedTensor export(ReadableArray<?> array, TensorConsumer consumer) {
    requireNonNull(array, "array");
    requireNonNull(consumer, "consumer");
    return TensorLoan.export(array, List.of(array.length()), consumer);
  }

  /**
   * Exports an array as a matrix, like {@link #export(ReadableArray, TensorConsumer)}.
   *
   * @param rows of the matrix, which lie one after the other
   * @param columns of the matrix; rows × columns is the length of the array
   * @throws IllegalArgumentException as there, or if the numbers do not cover the array exactly
   */
  public static ExportedTensor export(
      ReadableArray<?> array, long rows, long columns, TensorConsumer consumer) {
    requireNonNull(array, "array");
    requireNonNull(consumer, "consumer");
    return TensorLoan.export(array, List.of(rows, columns), consumer);
  }

  /**
   * Exports the columns of a table, each as a tensor of one dimension with the logical rows, like
   * {@link #export(ReadableArray, TensorConsumer)}. Dictionaries are exported as their numbers. The
   * table may be closed at once: its memory is freed after the deleters. Waits for a copy of four
   * bytes if the number of rows is not known.
   *
   * @param stream reads the number of rows
   * @throws IllegalArgumentException as there; or if a column has nulls or may have some, or is
   *     text or bits, which tensors cannot express. Nothing is exported then
   * @throws IllegalStateException if the device has counted more rows than the table has room for
   */
  public static List<ExportedTensor> export(
      DeviceStream stream, DeviceTable table, TensorConsumer consumer) {
    requireNonNull(stream, "stream");
    requireNonNull(table, "table");
    requireNonNull(consumer, "consumer");
    return TensorLoan.export(stream, table, consumer);
  }
}
