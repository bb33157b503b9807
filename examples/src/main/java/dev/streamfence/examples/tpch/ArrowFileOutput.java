package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DictionaryType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Writes a table as an Arrow IPC file: in batches, and text with dictionaries. */
final class ArrowFileOutput implements AutoCloseable {
  /** A megabyte or so in the widest column. */
  private static final int BATCH = 1 << 16;

  private static final ArrowType.Int CODE = new ArrowType.Int(Byte.SIZE, true);

  private final HostTable table;
  private final BufferAllocator allocator = new RootAllocator();
  private final MapDictionaryProvider dictionaries = new MapDictionaryProvider();
  private final VectorSchemaRoot batch;

  private ArrowFileOutput(HostTable table) {
    this.table = table;
    this.batch = new VectorSchemaRoot(table.schema().fields().stream().map(this::vector).toList());
  }

  /**
   * Writes all rows.
   *
   * @throws DataFileException if the file is there already, or cannot be written; then nothing is
   *     left of it
   */
  static void write(Path file, HostTable table) {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      throw new DataFileException(file + " is there already", e);
    } catch (IOException e) {
      throw new DataFileException("cannot write " + file + ": " + e, e);
    }
    boolean written = false;
    try {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
          ArrowFileOutput output = new ArrowFileOutput(table)) {
        output.writeTo(channel);
      }
      written = true;
    } catch (IOException e) {
      throw new DataFileException("cannot write " + file + ": " + e, e);
    } finally {
      if (!written) {
        delete(file);
      }
    }
  }

  /** The reason why the file is deleted matters more than one why it cannot be. */
  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // As above.
    }
  }

  private void writeTo(FileChannel channel) throws IOException {
    try (ArrowFileWriter writer = new ArrowFileWriter(batch, dictionaries, channel)) {
      writer.start();
      for (int from = 0; from < table.rows(); from += BATCH) {
        int count = Math.min(BATCH, table.rows() - from);
        for (int i = 0; i < table.schema().columnCount(); i++) {
          fill(batch.getVector(i), table.column(i), from, count);
        }
        batch.setRowCount(count);
        writer.writeBatch();
      }
      writer.end();
    }
  }

  private FieldVector vector(ColumnField field) {
    FieldType type =
        field.type() instanceof DictionaryType
            ? new FieldType(false, CODE, dictionary(field))
            : FieldType.notNullable(ArrowColumn.arrowType(field));
    return new Field(field.name(), type, null).createVector(allocator);
  }

  private DictionaryEncoding dictionary(ColumnField field) {
    List<String> texts = TpchSchema.textsOf(field);
    VarCharVector vector = new VarCharVector(field.name(), allocator);
    for (int i = 0; i < texts.size(); i++) {
      vector.setSafe(i, texts.get(i).getBytes(StandardCharsets.UTF_8));
    }
    vector.setValueCount(texts.size());
    DictionaryEncoding encoding =
        new DictionaryEncoding(dictionaries.getDictionaryIds().size(), false, CODE);
    dictionaries.put(new Dictionary(vector, encoding));
    return encoding;
  }

  private static void fill(FieldVector vector, Object column, int from, int count) {
    vector.setInitialCapacity(count);
    vector.allocateNew();
    for (int row = 0; row < count; row++) {
      if (vector instanceof BigIntVector keys) {
        keys.set(row, ((long[]) column)[from + row]);
      } else if (vector instanceof DecimalVector decimals) {
        decimals.set(row, ((long[]) column)[from + row]);
      } else if (vector instanceof DateDayVector days) {
        days.set(row, ((int[]) column)[from + row]);
      } else {
        ((TinyIntVector) vector).set(row, ((byte[]) column)[from + row]);
      }
    }
  }

  @Override
  public void close() {
    try (allocator;
        dictionaries) {
      batch.close();
    }
  }
}
