package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoded vectors keep their dictionaries on the device, and bring them back. */
final class ArrowDictionariesTest {
  @RegisterExtension final ArrowDevice on = new ArrowDevice();
  private final BufferAllocator allocator = on.allocator;
  private final DeviceStream stream = on.stream;

  @ParameterizedTest
  @CsvSource({
    "8, true",
    "16, true",
    "32, true",
    "64, true",
    "8, false",
    "16, false",
    "32, false",
    "64, false"
  })
  void encodedTextComesBackWithItsDictionary(int bits, boolean isSigned) {
    PlainType index = PlainType.integer(bits, isSigned);
    ArrowType.Int type = new ArrowType.Int(bits, isSigned);
    try (MapDictionaryProvider given = provider(3, type, false, "größe", "", "名前");
        MapDictionaryProvider brought = new MapDictionaryProvider();
        VectorSchemaRoot root = encoded(given.lookup(3), type, 2, 0, 1, 2, 2, 1, 0, 0, 1)) {
      root.getVector(0).setNull(4);
      try (DeviceTable table = ArrowTables.upload(stream, root, given)) {
        assertThat(table.schema().field(0).type()).isEqualTo(ColumnType.dictionary(index));
        assertThat(ArrowTables.schemaOf(root.getSchema(), given)).isEqualTo(table.schema());
        try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table, brought)) {
          assertThat(decoded(back, brought)).isEqualTo(decoded(root, given));
          assertThat(back.getVector(0).getField().getType()).isEqualTo(type);
        }
      }
    }
  }

  @Test
  void theDeviceHasCodesAndTextApart() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(0, type, true, "a", "bc");
        VectorSchemaRoot root = encoded(given.lookup(0), type, 1, 0, 1);
        DeviceTable table = ArrowTables.upload(stream, root, given)) {
      DeviceColumn<int[]> column = table.column("city", int[].class);
      assertThat(column.type())
          .isEqualTo(new DictionaryType(ColumnType.INT32, ColumnType.UTF8, true));
      assertThat(column.values().download(stream)).containsExactly(1, 0, 1);
      assertThat(column.dictionary().offsets().download(stream)).containsExactly(0, 1, 3);
      try (MapDictionaryProvider brought = new MapDictionaryProvider();
          VectorSchemaRoot back = ArrowTables.download(stream, allocator, table, brought)) {
        assertThat(back.getVector(0).getField().getDictionary().isOrdered()).isTrue();
      }
    }
  }

  @Test
  void aSliceKeepsTheWholeDictionary() {
    ArrowType.Int type = new ArrowType.Int(16, true);
    try (MapDictionaryProvider given = provider(0, type, false, "a", "b", "c");
        VectorSchemaRoot root = encoded(given.lookup(0), type, 2, 1, 0, 2, 1, 0, 2);
        DeviceTable table = ArrowTables.upload(stream, root, given);
        DeviceTable slice = table.slice(stream, 3, 2);
        MapDictionaryProvider brought = new MapDictionaryProvider();
        VectorSchemaRoot back = ArrowTables.download(stream, allocator, slice, brought)) {
      assertThat(decoded(back, brought)).containsExactly("c", "b");
      assertThat(brought.lookup(0).getVector().getValueCount()).isEqualTo(3);
    }
  }

  @Test
  void dictionariesGetIdsThatTheProviderDoesNotHave() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(0, type, false, "a", "b");
        MapDictionaryProvider brought = provider(1, type, false, "kept");
        VectorSchemaRoot one = encoded(given.lookup(0), type, 1, 0);
        DeviceTable table = ArrowTables.upload(stream, one, given);
        DeviceTable twice =
            DeviceTable.of(
                stream,
                table.append(table.column(0)).schema(),
                List.of(table.column(0).slice(0, 2), table.column(0).slice(0, 2)),
                2)) {
      try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, twice, brought)) {
        assertThat(back.getSchema().getFields())
            .extracting(field -> field.getDictionary().getId())
            .containsExactly(0L, 2L);
        assertThat(brought.getDictionaryIds()).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(decoded(back, brought)).containsExactly("b", "a");
      }
    }
  }

  @Test
  void aDictionaryThatTheProviderDoesNotHaveIsRefused() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(5, type, false, "a");
        VectorSchemaRoot root = encoded(given.lookup(5), type, 0)) {
      String message = "field 'city' refers to dictionary 5, which the provider does not have";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.schemaOf(root.getSchema()))
          .withMessage(message);
    }
  }

  @Test
  void aColumnWithADictionaryIsNotDownloadedWithoutAProvider() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(0, type, false, "a");
        VectorSchemaRoot root = encoded(given.lookup(0), type, 0);
        DeviceTable table = ArrowTables.upload(stream, root, given)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.download(stream, allocator, table))
          .withMessage(
              "column 'city' (dictionary<values=utf8, indices=int32>) has a dictionary; pass a"
                  + " provider that gets it");
    }
  }

  @Test
  void dictionariesOfOtherTypesAreRefused() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (IntVector numbers = new IntVector("numbers", allocator)) {
      numbers.allocateNew(1);
      numbers.set(0, 7);
      numbers.setValueCount(1);
      Dictionary dictionary = new Dictionary(numbers, new DictionaryEncoding(0, false, type));
      MapDictionaryProvider provider = new MapDictionaryProvider(dictionary);
      try (VectorSchemaRoot root = encoded(dictionary, type, 0)) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> ArrowTables.upload(stream, root, provider))
            .withMessage(
                "field 'city' is encoded by dictionary 0 of Int(32, true); dictionaries of utf8"
                    + " are supported");
      }
    }
  }

  @Test
  void dictionariesThatAreThereAreFilledAgain() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(3, type, false, "größe", "", "名前");
        VectorSchemaRoot root = encoded(given.lookup(3), type, 2, 0, 1, 2);
        MapDictionaryProvider reused = provider(7, type, false, "other", "words", "and", "more");
        VectorSchemaRoot codes = encoded(reused.lookup(7), type, 3);
        DeviceTable table = ArrowTables.upload(stream, root, given)) {
      for (int time = 0; time < 2; time++) {
        ArrowTables.downloadInto(stream, table, codes, reused);
        assertThat(decoded(codes, reused)).containsExactly("名前", "größe", "", "名前");
        assertThat(reused.lookup(7).getVector().getValueCount()).isEqualTo(3);
        assertThat(reused.getDictionaryIds()).containsExactly(7L);
      }
    }
  }

  @Test
  void anotherEncodingIsRefusedByNameAndTheVectorsStay() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    ArrowType.Int wide = new ArrowType.Int(64, true);
    try (MapDictionaryProvider given = provider(0, type, false, "a", "b");
        MapDictionaryProvider ordered = provider(0, type, true, "c");
        MapDictionaryProvider wider = provider(0, wide, false, "c");
        VectorSchemaRoot root = encoded(given.lookup(0), type, 1);
        VectorSchemaRoot orderedCodes = encoded(ordered.lookup(0), type, 0);
        VectorSchemaRoot widerCodes = encoded(wider.lookup(0), wide, 0);
        IntVector numbers = new IntVector("city", allocator);
        DeviceTable table = ArrowTables.upload(stream, root, given)) {
      String end = "; that of the table is 'city: dictionary<values=utf8, indices=int32>'";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, orderedCodes, ordered))
          .withMessage(
              "field 0 of the root is 'city: dictionary<values=utf8, indices=int32, ordered>'"
                  + end);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, widerCodes, wider))
          .withMessage(
              "field 0 of the root is 'city: dictionary<values=utf8, indices=int64>'" + end);
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> ArrowTables.downloadInto(stream, table, VectorSchemaRoot.of(numbers), given))
          .withMessage("field 0 of the root is 'city: int32'" + end);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, root))
          .withMessage("field 'city' refers to dictionary 0, which the provider does not have");
      assertThat(decoded(orderedCodes, ordered)).containsExactly("c");
      assertThat(decoded(widerCodes, wider)).containsExactly("c");
    }
  }

  @Test
  void aDictionaryOfTwoFieldsOrWithoutNullsIsRefusedByName() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    try (MapDictionaryProvider given = provider(0, type, false, "a", "b");
        VectorSchemaRoot one = encoded(given.lookup(0), type, 1, 0);
        VectorSchemaRoot two = encoded(given.lookup(0), type, 0, 1)) {
      VectorSchemaRoot both = VectorSchemaRoot.of(one.getVector(0), two.getVector(0));
      try (DeviceTable table = ArrowTables.upload(stream, both, given)) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> ArrowTables.downloadInto(stream, table, both, given))
            .withMessage(
                "dictionary 0 of field 'city' is that of another field as well; each column has a"
                    + " dictionary of its own");
        assertThat(decoded(both, given)).containsExactly("b", "a");
      }
      Dictionary again =
          new Dictionary(given.lookup(0).getVector(), new DictionaryEncoding(1, false, type));
      try (VectorSchemaRoot other = encoded(again, type, 0, 1)) {
        VectorSchemaRoot each = VectorSchemaRoot.of(one.getVector(0), other.getVector(0));
        MapDictionaryProvider ofBoth = new MapDictionaryProvider(given.lookup(0), again);
        try (DeviceTable table = ArrowTables.upload(stream, each, ofBoth)) {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> ArrowTables.downloadInto(stream, table, each, ofBoth))
              .withMessageStartingWith("dictionary 1 of field 'city' is that of another field");
        }
      }
      Field field = new Field("words", FieldType.notNullable(ArrowType.Utf8.INSTANCE), null);
      DictionaryEncoding encoding = given.lookup(0).getEncoding();
      try (DeviceTable table = ArrowTables.upload(stream, one, given);
          MapDictionaryProvider strict =
              new MapDictionaryProvider(
                  new Dictionary(new VarCharVector(field, allocator), encoding))) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> ArrowTables.downloadInto(stream, table, one, strict))
            .withMessage("dictionary 0 of field 'city' is not nullable, unlike that of the table");
      }
    }
  }

  @Test
  void aDictionaryThatIsAVectorOfTheRootIsRefusedByName() {
    ArrowType.Int type = new ArrowType.Int(32, true);
    Dictionary dictionary =
        new Dictionary(
            Vectors.words("words", allocator, "a", "b"), new DictionaryEncoding(0, false, type));
    MapDictionaryProvider provider = new MapDictionaryProvider(dictionary);
    try (VectorSchemaRoot codes = encoded(dictionary, type, 1, 0);
        VectorSchemaRoot both = VectorSchemaRoot.of(codes.getVector(0), dictionary.getVector());
        DeviceTable table = ArrowTables.upload(stream, both, provider)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.downloadInto(stream, table, both, provider))
          .withMessageStartingWith("dictionary 0 of field 'city' is that of another field");
      assertThat(decoded(both, provider)).containsExactly("b", "a");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDictionaryMayHaveNullsIfItsVectorMay(boolean isNullable) {
    ArrowType.Int type = new ArrowType.Int(32, true);
    Field field =
        isNullable
            ? Vectors.nullable("words", ArrowType.Utf8.INSTANCE)
            : Vectors.notNullable("words", ArrowType.Utf8.INSTANCE);
    VarCharVector words = new VarCharVector(field, allocator);
    words.setSafe(0, new byte[] {'a'});
    words.setValueCount(1);
    Dictionary dictionary = new Dictionary(words, new DictionaryEncoding(0, false, type));
    try (MapDictionaryProvider given = new MapDictionaryProvider(dictionary);
        VectorSchemaRoot root = encoded(dictionary, type, 0, 0);
        DeviceTable table = ArrowTables.upload(stream, root, given);
        MapDictionaryProvider brought = new MapDictionaryProvider();
        VectorSchemaRoot back = ArrowTables.download(stream, allocator, table, brought)) {
      assertThat(table.column("city").dictionary().field().isNullable()).isEqualTo(isNullable);
      assertThat(brought.lookup(0).getVector().getField().isNullable()).isEqualTo(isNullable);
      assertThat(decoded(back, brought)).containsExactly("a", "a");
    }
  }

  private MapDictionaryProvider provider(
      long id, ArrowType.Int index, boolean ordered, String... words) {
    VarCharVector vector = Vectors.words("words", allocator, words);
    return new MapDictionaryProvider(
        new Dictionary(vector, new DictionaryEncoding(id, ordered, index)));
  }

  private VectorSchemaRoot encoded(Dictionary dictionary, ArrowType.Int index, int... codes) {
    Field field = new Field("city", new FieldType(true, index, dictionary.getEncoding()), null);
    FieldVector vector = field.createVector(allocator);
    vector.setInitialCapacity(codes.length);
    vector.allocateNew();
    vector.setValueCount(codes.length);
    for (int row = 0; row < codes.length; row++) {
      ((BaseIntVector) vector).setWithPossibleTruncate(row, codes[row]);
    }
    return new VectorSchemaRoot(List.of(field), List.of(vector), codes.length);
  }

  private static List<String> decoded(VectorSchemaRoot root, MapDictionaryProvider provider) {
    FieldVector vector = root.getVector(0);
    Dictionary dictionary = provider.lookup(vector.getField().getDictionary().getId());
    String[] rows = new String[root.getRowCount()];
    try (VarCharVector text = (VarCharVector) DictionaryEncoder.decode(vector, dictionary)) {
      for (int row = 0; row < rows.length; row++) {
        rows[row] = text.isNull(row) ? null : text.getObject(row).toString();
      }
    }
    return Arrays.asList(rows);
  }
}
