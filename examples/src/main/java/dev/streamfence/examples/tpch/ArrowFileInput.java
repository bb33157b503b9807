package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.Schema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.types.pojo.Field;

/** Reads the columns of a schema from an Arrow IPC file. Other columns may be there as well. */
final class ArrowFileInput {
  /** The first and the last bytes of a file. */
  private static final String MAGIC = "ARROW1";

  /** The longest Java array that every JVM makes. */
  private static final int MOST_ROWS = Integer.MAX_VALUE - 8;

  private final Path file;
  private final Schema schema;

  private ArrowFileInput(Path file, Schema schema) {
    this.file = file;
    this.schema = schema;
  }

  /**
   * Reads all rows.
   *
   * @throws DataFileException if the file, a column or a value is not as it should be
   */
  static HostTable read(Path file, Schema schema) {
    return new ArrowFileInput(file, schema).read();
  }

  private HostTable read() {
    if (!Files.isRegularFile(file)) {
      throw new DataFileException("there is no file " + file);
    }
    List<HostTable> batches;
    try (FileChannel channel = FileChannel.open(file)) {
      requireArrow(channel);
      batches = batches(channel);
    } catch (DataFileException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Arrow trusts the lengths and positions in a file: wrong ones fail anywhere.
      throw new DataFileException(file + " is damaged or cannot be read: " + e, e);
    }
    HostTable table = HostTable.join(schema, batches);
    if (table.rows() == 0) {
      throw new DataFileException(file + " has no rows");
    }
    return table;
  }

  private List<HostTable> batches(FileChannel channel) throws IOException {
    // Lengths in a damaged file ask for any amount of memory. No good file needs more than this:
    // its
    // batches one after the other, each rounded up to a power of two.
    try (BufferAllocator allocator = new RootAllocator(2 * channel.size() + (1 << 20));
        ArrowFileReader reader = new ArrowFileReader(channel, allocator, new NoCompression())) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      List<Field> fields = root.getSchema().getFields();
      List<ArrowColumn> columns = new ArrayList<>();
      for (ColumnField field : schema.fields()) {
        int index = indexOf(field.name(), fields);
        columns.add(ArrowColumn.of(file, field, root.getVector(index), reader));
      }
      List<HostTable> batches = new ArrayList<>();
      long rows = 0;
      while (reader.loadNextBatch()) {
        long firstRow = rows;
        rows += root.getRowCount();
        if (rows > MOST_ROWS) {
          throw new DataFileException(file + " has more than " + MOST_ROWS + " rows");
        }
        batches.add(
            new HostTable(
                schema, columns.stream().map(column -> column.values(firstRow)).toArray()));
      }
      return batches;
    }
  }

  private int indexOf(String name, List<Field> fields) {
    List<String> names = fields.stream().map(Field::getName).toList();
    int index = names.indexOf(name);
    if (index < 0) {
      throw new DataFileException(
          file
              + " has no column "
              + name
              + "; it has "
              + (names.isEmpty() ? "none" : String.join(", ", names)));
    }
    if (index != names.lastIndexOf(name)) {
      throw new DataFileException(file + " has more than one column " + name);
    }
    return index;
  }

  private void requireArrow(FileChannel channel) throws IOException {
    if (channel.size() == 0) {
      throw new DataFileException(file + " is empty");
    }
    String first = text(channel, 0);
    if (first.startsWith("PAR1")) {
      throw new DataFileException(file + " is a Parquet file; it must be an Arrow IPC file");
    }
    if (first.startsWith("\u00ff\u00ff\u00ff\u00ff")) {
      throw new DataFileException(
          file + " is a stream of Arrow IPC; it must be a file of Arrow IPC, which has an index");
    }
    if (!first.equals(MAGIC)) {
      throw new DataFileException(file + " is no Arrow IPC file: it does not begin with " + MAGIC);
    }
    if (channel.size() < 2L * MAGIC.length()
        || !text(channel, channel.size() - MAGIC.length()).equals(MAGIC)) {
      throw new DataFileException(file + " is truncated: it does not end with " + MAGIC);
    }
  }

  private static String text(FileChannel channel, long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAGIC.length());
    channel.read(bytes, Math.max(position, 0));
    return new String(bytes.array(), StandardCharsets.ISO_8859_1);
  }

  /**
   * Refuses every compression: to undo it takes libraries that the demo does not need otherwise.
   */
  private final class NoCompression implements CompressionCodec.Factory {
    @Override
    public CompressionCodec createCodec(CompressionUtil.CodecType type) {
      throw new DataFileException(
          file + " is compressed with " + type + "; write it without compression");
    }

    @Override
    public CompressionCodec createCodec(CompressionUtil.CodecType type, int level) {
      return createCodec(type);
    }
  }
}
