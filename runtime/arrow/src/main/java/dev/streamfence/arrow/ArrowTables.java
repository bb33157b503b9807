package dev.streamfence.arrow;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.ArrayAllocator;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;

/**
 * Copies tables of Arrow Java to the device and back, straight between Arrow's memory and the
 * runtime's staging memory. Decimals, which are 128 bits wide in Arrow Java, are narrowed and
 * widened on the way.
 *
 * <p>Thread-safe as far as the vectors and the allocator are: vectors that are being uploaded must
 * not change meanwhile, and vectors that are being filled must not be used. Metadata of fields and
 * schemas is not kept, except that of {@code arrow.bool8}.
 */
public final class ArrowTables {
  private ArrowTables() {}

  /**
   * Uploads a table without dictionaries, like {@link #upload(DeviceStream, VectorSchemaRoot,
   * DictionaryProvider)}.
   *
   * @throws IllegalArgumentException as there
   */
  public static DeviceTable upload(DeviceStream stream, VectorSchemaRoot root) {
    return upload(stream, root, new MapDictionaryProvider());
  }

  /**
   * Uploads a table. Its columns have the names, types and nulls of the vectors; a vector in which
   * no row is null becomes a column without a bitmap. The vectors may be changed or closed as soon
   * as this returns. Synchronises only while memory is short. If something fails, nothing stays
   * allocated.
   *
   * @param root keeps its vectors; its number of rows becomes the capacity and the number of
   *     logical rows
   * @param dictionaries the dictionaries that encoded vectors refer to; each encoded column gets a
   *     separate copy of its dictionary
   * @throws IllegalArgumentException if a type is not supported, a dictionary is missing, a vector
   *     is closed or not as long as the table, a field that is not nullable has nulls, or a decimal
   *     does not fit 64 bits; the message names the field
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough device memory
   */
  public static DeviceTable upload(
      DeviceStream stream, VectorSchemaRoot root, DictionaryProvider dictionaries) {
    return upload(stream, stream.runtime().memory(), root, dictionaries);
  }

  /**
   * Uploads a table like {@link #upload(DeviceStream, VectorSchemaRoot, DictionaryProvider)}.
   *
   * @param memory allocates the table, such as a part of the runtime's budget or a reservation
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough device memory
   */
  public static DeviceTable upload(
      DeviceStream stream,
      ArrayAllocator memory,
      VectorSchemaRoot root,
      DictionaryProvider dictionaries) {
    return upload(stream, memory, root, dictionaries, HostTransfer.IN_LARGE_PIECES);
  }

  static DeviceTable upload(
      DeviceStream stream,
      ArrayAllocator memory,
      VectorSchemaRoot root,
      DictionaryProvider dictionaries,
      HostTransfer transfer) {
    Schema schema = schemaOf(root.getSchema(), dictionaries);
    List<ReadableColumn<?>> columns = new ArrayList<>(schema.columnCount());
    try {
      ColumnUpload upload = new ColumnUpload(stream, memory, dictionaries, transfer);
      for (int i = 0; i < schema.columnCount(); i++) {
        upload.require(schema.field(i), root.getVector(i), root.getRowCount());
      }
      for (int i = 0; i < schema.columnCount(); i++) {
        columns.add(upload.column(schema.field(i), root.getVector(i)));
      }
      return DeviceTable.of(stream, memory, schema, columns, root.getRowCount());
    } catch (Throwable e) {
      Closing.closeAfter(e, columns);
      throw e;
    }
  }

  /**
   * Downloads the logical rows of a table without dictionaries, like {@link #download(DeviceStream,
   * BufferAllocator, DeviceTable, MapDictionaryProvider)}.
   *
   * @throws IllegalArgumentException if a column has a dictionary, or there are more rows than a
   *     vector can have
   */
  public static VectorSchemaRoot download(
      DeviceStream stream, BufferAllocator allocator, DeviceTable table) {
    for (ReadableColumn<?> column : table.columns()) {
      ArrowTypes.requireNoDictionary(column.field());
    }
    return download(stream, allocator, table, new MapDictionaryProvider());
  }

  /**
   * Downloads the logical rows of a table. Waits until the download is complete. If something
   * fails, nothing stays allocated.
   *
   * @param allocator the memory of the vectors, which the caller closes with the result
   * @param dictionaries receives the dictionaries of encoded columns under ids that it does not use
   *     yet; the caller closes it
   * @throws IllegalArgumentException if there are more rows than a vector can have
   * @throws IllegalStateException if downloads are refused, or offsets on the device do not fit
   *     their text; the message names the column
   */
  public static VectorSchemaRoot download(
      DeviceStream stream,
      BufferAllocator allocator,
      DeviceTable table,
      MapDictionaryProvider dictionaries) {
    return download(stream, allocator, table, dictionaries, HostTransfer.IN_LARGE_PIECES);
  }

  static VectorSchemaRoot download(
      DeviceStream stream,
      BufferAllocator allocator,
      DeviceTable table,
      MapDictionaryProvider dictionaries,
      HostTransfer transfer) {
    return new TableDownload(stream, table, transfer).intoNew(allocator, dictionaries);
  }

  /**
   * Downloads the logical rows of a table without dictionaries, like {@link
   * #downloadInto(DeviceStream, DeviceTable, VectorSchemaRoot, DictionaryProvider)}.
   *
   * @throws IllegalArgumentException as there
   * @throws IllegalStateException as there
   */
  public static void downloadInto(DeviceStream stream, DeviceTable table, VectorSchemaRoot root) {
    downloadInto(stream, table, root, new MapDictionaryProvider());
  }

  /**
   * Downloads the logical rows of a table into vectors of the caller, so that a program that
   * downloads often allocates them once. Waits until the download is complete.
   *
   * <p>A buffer that is large enough is written in place, even if a slice or another vector shares
   * it: the slice then has the new rows, and rows behind a slice that is filled itself may change.
   * A buffer that is too small is replaced by one of the vector's allocator. The memory behind the
   * last row is undefined. Vectors that were closed, or whose memory was transferred, are filled
   * like new ones, and have to be closed again.
   *
   * <p>If the vectors are refused, or the number of rows cannot be read, nothing changes. If
   * something fails later, the root has no rows, and its vectors and those of its dictionaries hold
   * no memory; they can be used again.
   *
   * @param root has the fields of the table, in the same order, such as a root that {@code
   *     download} has returned; the caller closes it
   * @param dictionaries has a dictionary for each encoded field, whose vector receives the text
   * @throws IllegalArgumentException if a field differs from that of the table in name, type,
   *     encoding or nullability, a dictionary is missing, belongs to two fields or differs in
   *     nullability, or there are more rows than a vector can have; the message names the field
   * @throws IllegalStateException if downloads are refused, or offsets on the device do not fit
   *     their text; the message names the column
   */
  public static void downloadInto(
      DeviceStream stream,
      DeviceTable table,
      VectorSchemaRoot root,
      DictionaryProvider dictionaries) {
    new TableDownload(stream, table, HostTransfer.IN_LARGE_PIECES).into(root, dictionaries);
  }

  /**
   * The schema of the columns that {@link #upload} makes of vectors without dictionaries.
   *
   * @throws IllegalArgumentException if a type is not supported, or a field is encoded; the message
   *     names the field
   */
  public static Schema schemaOf(org.apache.arrow.vector.types.pojo.Schema schema) {
    return schemaOf(schema, new MapDictionaryProvider());
  }

  /**
   * The schema of the columns that {@link #upload} makes of vectors of an Arrow schema.
   *
   * @param dictionaries the dictionaries that encoded fields refer to
   * @throws IllegalArgumentException if a type is not supported or a dictionary is missing; the
   *     message names the field
   */
  public static Schema schemaOf(
      org.apache.arrow.vector.types.pojo.Schema schema, DictionaryProvider dictionaries) {
    return new Schema(
        schema.getFields().stream().map(field -> ArrowTypes.column(field, dictionaries)).toList());
  }
}
