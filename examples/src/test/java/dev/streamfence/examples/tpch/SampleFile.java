package dev.streamfence.examples.tpch;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** A small Arrow file, in which a column can be replaced by a wrong one. */
final class SampleFile {
  /** Makes the vector of a column; may add a dictionary. */
  @FunctionalInterface
  interface Column {
    FieldVector vector(String name, BufferAllocator allocator, MapDictionaryProvider dictionaries);
  }

  private final Map<String, Column> columns = new LinkedHashMap<>();

  /** Orders 1 and 2, of high and of lower priority. */
  static SampleFile orders() {
    return new SampleFile()
        .with("o_orderkey", keys(1L, 2L))
        .with("o_orderpriority", texts("1-URGENT", "3-MEDIUM"));
  }

  /** A line item of each of the two orders. Both are of interest to both queries. */
  static SampleFile lineItems() {
    return new SampleFile()
        .with("l_orderkey", keys(1L, 2L))
        .with("l_quantity", decimals(15, 2, "23.00", "1.00"))
        .with("l_extendedprice", decimals(15, 2, "100.00", "104950.00"))
        .with("l_discount", decimals(15, 2, "0.05", "0.07"))
        .with("l_shipdate", dates("1994-01-01", "1994-02-01"))
        .with("l_commitdate", dates("1994-01-02", "1994-02-02"))
        .with("l_receiptdate", dates("1994-01-03", "1994-02-03"))
        .with("l_shipmode", texts("MAIL", "SHIP"));
  }

  /** Sets a column, in the place of the one of that name if there is one. */
  SampleFile with(String name, Column column) {
    columns.put(name, column);
    return this;
  }

  SampleFile without(String name) {
    columns.remove(name);
    return this;
  }

  /** Writes the same rows as often as there shall be batches. */
  void write(Path file, int batches) throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        MapDictionaryProvider dictionaries = new MapDictionaryProvider();
        VectorSchemaRoot root = root(allocator, dictionaries);
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        ArrowFileWriter writer = new ArrowFileWriter(root, dictionaries, channel)) {
      writer.start();
      for (int batch = 0; batch < batches; batch++) {
        writer.writeBatch();
      }
      writer.end();
    }
  }

  private VectorSchemaRoot root(BufferAllocator allocator, MapDictionaryProvider dictionaries) {
    List<FieldVector> vectors = new ArrayList<>();
    columns.forEach((name, column) -> vectors.add(column.vector(name, allocator, dictionaries)));
    return new VectorSchemaRoot(vectors);
  }

  static Column keys(Long... values) {
    return (name, allocator, dictionaries) -> {
      BigIntVector vector = new BigIntVector(name, allocator);
      vector.allocateNew(values.length);
      for (int row = 0; row < values.length; row++) {
        if (values[row] != null) {
          vector.set(row, values[row]);
        }
      }
      vector.setValueCount(values.length);
      return vector;
    };
  }

  static Column decimals(int precision, int scale, String... values) {
    return (name, allocator, dictionaries) -> {
      DecimalVector vector = new DecimalVector(name, allocator, precision, scale);
      vector.allocateNew(values.length);
      for (int row = 0; row < values.length; row++) {
        vector.set(row, new BigDecimal(values[row]));
      }
      vector.setValueCount(values.length);
      return vector;
    };
  }

  static Column doubles(double... values) {
    return (name, allocator, dictionaries) -> {
      Float8Vector vector = new Float8Vector(name, allocator);
      vector.allocateNew(values.length);
      for (int row = 0; row < values.length; row++) {
        vector.set(row, values[row]);
      }
      vector.setValueCount(values.length);
      return vector;
    };
  }

  static Column dates(String... values) {
    return (name, allocator, dictionaries) -> {
      DateDayVector vector = new DateDayVector(name, allocator);
      vector.allocateNew(values.length);
      for (int row = 0; row < values.length; row++) {
        vector.set(row, (int) LocalDate.parse(values[row]).toEpochDay());
      }
      vector.setValueCount(values.length);
      return vector;
    };
  }

  static Column texts(String... values) {
    return (name, allocator, dictionaries) -> textVector(name, allocator, values);
  }

  /** Text with a dictionary, which is the given one, and indices of 16 bits. */
  static Column encoded(List<String> words, int... indices) {
    return (name, allocator, dictionaries) -> {
      DictionaryEncoding encoding =
          new DictionaryEncoding(
              dictionaries.getDictionaryIds().size(), false, new ArrowType.Int(16, true));
      dictionaries.put(
          new Dictionary(textVector(name, allocator, words.toArray(String[]::new)), encoding));
      Field field = new Field(name, new FieldType(true, encoding.getIndexType(), encoding), null);
      SmallIntVector vector = new SmallIntVector(field, allocator);
      vector.allocateNew(indices.length);
      for (int row = 0; row < indices.length; row++) {
        vector.set(row, indices[row]);
      }
      vector.setValueCount(indices.length);
      return vector;
    };
  }

  private static VarCharVector textVector(
      String name, BufferAllocator allocator, String... values) {
    VarCharVector vector = new VarCharVector(name, allocator);
    vector.allocateNew();
    for (int row = 0; row < values.length; row++) {
      if (values[row] != null) {
        vector.setSafe(row, values[row].getBytes(StandardCharsets.UTF_8));
      }
    }
    vector.setValueCount(values.length);
    return vector;
  }
}
