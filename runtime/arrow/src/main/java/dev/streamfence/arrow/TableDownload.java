package dev.streamfence.arrow;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;

/** Downloads the logical rows of a table. */
record TableDownload(DeviceStream stream, DeviceTable table, HostTransfer transfer) {

  /** Downloads into new vectors, and adds new dictionaries to the provider. */
  VectorSchemaRoot intoNew(BufferAllocator allocator, MapDictionaryProvider dictionaries) {
    List<Field> fields = new ArrayList<>();
    MapDictionaryProvider made = new MapDictionaryProvider();
    long id = 0;
    for (ReadableColumn<?> column : table.columns()) {
      while (dictionaries.lookup(id) != null) {
        id++;
      }
      Field field = ArrowTypes.field(column.field(), id);
      fields.add(field);
      if (field.getDictionary() != null) {
        Field words = ArrowTypes.field(column.dictionary().field().renamed("DICT" + id), id);
        made.put(new Dictionary(words.createVector(allocator), field.getDictionary()));
        id++;
      }
    }
    VectorSchemaRoot root =
        VectorSchemaRoot.create(new org.apache.arrow.vector.types.pojo.Schema(fields), allocator);
    into(root, made);
    made.getDictionaryIds().forEach(each -> dictionaries.put(made.lookup(each)));
    return root;
  }

  /**
   * Downloads into the vectors of a root and of its dictionaries. They are unchanged if they do not
   * fit the table or its number of rows cannot be read, and empty if something fails later.
   */
  void into(VectorSchemaRoot root, DictionaryProvider dictionaries) {
    requireSchema(ArrowTables.schemaOf(root.getSchema(), dictionaries));
    List<ColumnDownload> downloads = ofDictionaries(root, dictionaries);
    int rows = requireRows(table, table.rows(stream), "logical rows");
    for (int i = 0; i < table.columns().size(); i++) {
      downloads.add(new ColumnDownload(table.column(i), root.getVector(i), rows));
    }
    try {
      downloads.forEach(download -> download.run(stream, transfer));
      root.setRowCount(rows);
    } catch (Throwable e) {
      Closing.closeAfter(e, downloads.stream().map(ColumnDownload::vector).toList());
      Closing.closeAfter(e, List.of(root::clear));
      throw e;
    }
  }

  private List<ColumnDownload> ofDictionaries(
      VectorSchemaRoot root, DictionaryProvider dictionaries) {
    List<ColumnDownload> downloads = new ArrayList<>();
    // By identity: two dictionaries may have one vector.
    Set<FieldVector> vectors = Collections.newSetFromMap(new IdentityHashMap<>());
    vectors.addAll(root.getFieldVectors());
    for (int i = 0; i < table.columns().size(); i++) {
      Field field = root.getSchema().getFields().get(i);
      if (field.getDictionary() == null) {
        continue;
      }
      long id = field.getDictionary().getId();
      String named = "dictionary " + id + " of field '" + field.getName() + "'";
      FieldVector vector = dictionaries.lookup(id).getVector();
      if (!vectors.add(vector)) {
        throw new IllegalArgumentException(
            named + " is that of another field as well; each column has a dictionary of its own");
      }
      ReadableColumn<byte[]> words = table.column(i).dictionary();
      if (vector.getField().isNullable() != words.field().isNullable()) {
        throw new IllegalArgumentException(
            named
                + (words.field().isNullable() ? " is not nullable" : " is nullable")
                + ", unlike that of the table");
      }
      int rows = requireRows("the dictionary of " + table.column(i), words.length(), "rows");
      downloads.add(new ColumnDownload(words, vector, rows));
    }
    return downloads;
  }

  private void requireSchema(Schema schema) {
    for (int i = 0; i < Math.max(schema.columnCount(), table.schema().columnCount()); i++) {
      Optional<ColumnField> given = schema.fields().stream().skip(i).findFirst();
      Optional<ColumnField> expected = table.schema().fields().stream().skip(i).findFirst();
      if (!given.equals(expected)) {
        throw new IllegalArgumentException(
            "field "
                + i
                + " of the root is "
                + given.map(field -> "'" + field + "'").orElse("missing")
                + "; that of the table is "
                + expected.map(field -> "'" + field + "'").orElse("missing"));
      }
    }
  }

  private static int requireRows(Object subject, long rows, String kind) {
    if (rows > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          subject + " has " + rows + " " + kind + "; a vector has at most " + Integer.MAX_VALUE);
    }
    return (int) rows;
  }
}
