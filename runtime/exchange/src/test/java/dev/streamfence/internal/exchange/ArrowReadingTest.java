package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of schemas and arrays, and what is refused. */
final class ArrowReadingTest {
  private static final Memory TEXT = new Memory(64);

  @ParameterizedTest
  @MethodSource
  void aTypeIsReadAndWritten(String text, ArrowFormat format) {
    assertThat(ArrowFormat.parse(text, "it")).isEqualTo(format);
    assertThat(format.text()).isEqualTo(text);
  }

  static List<Arguments> aTypeIsReadAndWritten() {
    return List.of(
        Arguments.of("b", ArrowFormat.of(ValueKind.BOOL, 1)),
        Arguments.of("c", ArrowFormat.of(ValueKind.INT, 8)),
        Arguments.of("C", ArrowFormat.of(ValueKind.UINT, 8)),
        Arguments.of("s", ArrowFormat.of(ValueKind.INT, 16)),
        Arguments.of("S", ArrowFormat.of(ValueKind.UINT, 16)),
        Arguments.of("i", ArrowFormat.of(ValueKind.INT, 32)),
        Arguments.of("I", ArrowFormat.of(ValueKind.UINT, 32)),
        Arguments.of("l", ArrowFormat.of(ValueKind.INT, 64)),
        Arguments.of("L", ArrowFormat.of(ValueKind.UINT, 64)),
        Arguments.of("f", ArrowFormat.of(ValueKind.FLOAT, 32)),
        Arguments.of("g", ArrowFormat.of(ValueKind.FLOAT, 64)),
        Arguments.of("tdD", ArrowFormat.of(ValueKind.DATE, 32)),
        Arguments.of("tss:", ArrowFormat.timestamp('s', "")),
        Arguments.of("tsm:UTC", ArrowFormat.timestamp('m', "UTC")),
        Arguments.of("tsu:Europe/Zurich", ArrowFormat.timestamp('u', "Europe/Zurich")),
        Arguments.of("tsn:+01:00", ArrowFormat.timestamp('n', "+01:00")),
        Arguments.of("d:38,10", ArrowFormat.decimal(38, 10, 128)),
        Arguments.of("d:18,2,64", ArrowFormat.decimal(18, 2, 64)),
        Arguments.of("d:9,-3,32", ArrowFormat.decimal(9, -3, 32)),
        Arguments.of("u", ArrowFormat.of(ValueKind.UTF8, 0)),
        Arguments.of("+s", ArrowFormat.of(ValueKind.STRUCT, 0)));
  }

  @Test
  void adecimalOf128BitsIsReadWithOrWithoutThem() {
    assertThat(ArrowFormat.parse("d:5,1,128", "it")).isEqualTo(ArrowFormat.parse("d:5,1", "it"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "e",
        "n",
        "z",
        "U",
        "vu",
        "w:4",
        "+l",
        "+m",
        "tdm",
        "tts",
        "tDs",
        "ts",
        "tss",
        "tsx:",
        "d:",
        "d:5",
        "d:5,1,63",
        "d:5,1,64,1",
        "d:x,1",
        "d:0,0",
        "d:5,99999999999",
        "ii"
      })
  void anotherTypeIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrowFormat.parse(text, "field 'x'"))
        .withMessage(
            "field 'x' has the format '%s'; supported are b, c, C, s, S, i, I, l, L, f, g, tdD, u,"
                + " timestamps as in 'tsu:UTC', decimals as in 'd:12,2,64', and +s at the top",
            text);
  }

  @Test
  void metadataAreReadAsWritten() {
    Map<String, String> pairs = new LinkedHashMap<>();
    pairs.put("ARROW:extension:name", "arrow.bool8");
    pairs.put("größe", "5 µm");
    pairs.put("", "");
    byte[] encoded = SchemaMetadata.encode(pairs);
    Memory memory = new Memory(encoded.length);
    memory.write(0, encoded, 0, encoded.length);
    Map<String, String> read = SchemaMetadata.read(Pointer.nativeValue(memory), "it");
    assertThat(read).containsExactlyEntriesOf(pairs);
    assertThat(SchemaMetadata.read(0, "it")).isEmpty();
  }

  @Test
  void aTableIsRead() {
    try (RawTable table = new RawTable()) {
      DeviceArrayNode read = table.read();
      assertThat(read.event()).isEqualTo(99);
      assertThat(read.array().children()).hasSize(3);
    }
  }

  @Test
  void nullsAndOffsetsAndLongerColumnsAreRead() {
    try (RawTable table = new RawTable()) {
      table.array().setLong(OfArray.OFFSET, 1);
      table.array().setLong(OfArray.NULL_COUNT, -1);
      table.a().setLong(OfArray.LENGTH, 9);
      table.a().setLong(OfArray.OFFSET, 1L << 56);
      table.a().setLong(OfArray.NULL_COUNT, 9);
      table.b().setLong(OfArray.LENGTH, 5);
      table.c().setLong(OfArray.LENGTH, 5);
      RawTable.buffer(table.a(), 0, 0x5555);
      ArrayNode read = table.read().array();
      assertThat(read.offset()).isEqualTo(1);
      assertThat(read.children().get(0))
          .isEqualTo(new ArrayNode(9, 9, 1L << 56, List.of(0x5555L, 0x10_0000L), List.of(), null));
    }
  }

  @Test
  void buffersOfATableWithoutRowsMayBeNull() {
    try (RawTable table = new RawTable()) {
      for (Pointer structure : List.of(table.array(), table.a(), table.b(), table.c())) {
        structure.setLong(OfArray.LENGTH, 0);
      }
      RawTable.buffer(table.a(), 1, 0);
      RawTable.buffer(table.b(), 1, 0);
      RawTable.buffer(table.b(), 2, 0);
      assertThat(table.read().array().length()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource
  void anImpossibleTableIsRefused(Consumer<RawTable> change, String message) {
    try (RawTable table = new RawTable()) {
      change.accept(table);
      assertThatIllegalArgumentException()
          .isThrownBy(table::read)
          .withMessage(
              message
                  .replace("{array}", table.arrayName())
                  .replace("{schema}", table.schemaName()));
    }
  }

  static List<Arguments> anImpossibleTableIsRefused() {
    return List.of(
        refusal(
            "released schema",
            table -> ArrowImport.releaseSchema(Pointer.nativeValue(table.schema())),
            "{schema} has been released or moved already"),
        refusal(
            "no format",
            table -> table.schemaOfA().setLong(OfSchema.FORMAT, 0),
            "field 'a': the pointer to its format is null"),
        refusal(
            "unknown format",
            table -> table.schemaOfA().setPointer(OfSchema.FORMAT, text("+l")),
            "field 'a' has the format '+l'; supported are b, c, C, s, S, i, I, l, L, f, g, tdD, u,"
                + " timestamps as in 'tsu:UTC', decimals as in 'd:12,2,64', and +s at the top"),
        refusal(
            "unknown format without a name",
            table -> {
              table.schemaOfB().setLong(OfSchema.NAME, 0);
              table.schemaOfB().setPointer(OfSchema.FORMAT, text("+s"));
            },
            "field 1 is a structure within a structure"),
        refusal(
            "children of a number",
            table -> table.schemaOfA().setLong(OfSchema.CHILD_COUNT, 1),
            "field 'a' of format 'i' has 1 children; it has none"),
        refusal(
            "negative children",
            table -> table.schema().setLong(OfSchema.CHILD_COUNT, -1),
            "{schema} of format '+s' has -1 children; it has 0 to 65536"),
        refusal(
            "too many children",
            table -> table.schema().setLong(OfSchema.CHILD_COUNT, 1L << 40),
            "{schema} of format '+s' has 1099511627776 children; it has 0 to 65536"),
        refusal(
            "no children",
            table -> table.schema().setLong(OfSchema.CHILDREN, 0),
            "{schema}: the pointer to its children is null"),
        refusal(
            "no child",
            table -> table.schema().getPointer(OfSchema.CHILDREN).setLong(8, 0),
            "{schema}: the pointer to its child 1 is null"),
        refusal(
            "dictionary of text",
            table ->
                table
                    .schemaOfB()
                    .setPointer(
                        OfSchema.DICTIONARY, table.schemaOfC().getPointer(OfSchema.DICTIONARY)),
            "field 'b' has a dictionary and the format 'u'; indices are integers"),
        refusal(
            "dictionary of a dictionary",
            table ->
                table
                    .schemaOfC()
                    .getPointer(OfSchema.DICTIONARY)
                    .setPointer(OfSchema.DICTIONARY, table.schemaOfA()),
            "the dictionary of field 'c' has a dictionary itself"),
        refusal(
            "broken metadata",
            table -> table.schemaOfA().getPointer(OfSchema.METADATA).setInt(4, -7),
            "field 'a' has metadata with the length -7 at byte 4; lengths are at least 0, and all"
                + " of it at most 67108864 bytes"),
        refusal(
            "endless metadata",
            table -> table.schemaOfA().getPointer(OfSchema.METADATA).setInt(4, (64 << 20) - 7),
            "field 'a' has metadata with the length 67108857 at byte 4; lengths are at least 0, and"
                + " all of it at most 67108864 bytes"),
        refusal(
            "released array",
            table -> table.array().setLong(OfArray.RELEASE, 0),
            "{array} has been released or moved already"),
        refusal(
            "moved child",
            table -> ArrowImport.move(Pointer.nativeValue(table.b())).release(),
            "field 'b' has been released or moved already"),
        refusal(
            "negative length",
            table -> table.a().setLong(OfArray.LENGTH, -4),
            "field 'a' has -4 rows"),
        refusal(
            "negative offset",
            table -> table.a().setLong(OfArray.OFFSET, -1),
            "field 'a' begins at row -1 of its buffers"),
        refusal(
            "impossible nulls",
            table -> table.a().setLong(OfArray.NULL_COUNT, 5),
            "field 'a' has 5 nulls in 4 rows; -1 says that it is unknown"),
        refusal(
            "negative nulls",
            table -> table.a().setLong(OfArray.NULL_COUNT, -2),
            "field 'a' has -2 nulls in 4 rows; -1 says that it is unknown"),
        refusal(
            "nulls without a bitmap",
            table -> table.a().setLong(OfArray.NULL_COUNT, 1),
            "field 'a' has 1 nulls and no validity bitmap"),
        refusal(
            "overflowing offset",
            table -> table.a().setLong(OfArray.OFFSET, Long.MAX_VALUE - 3),
            "field 'a' has 4 rows from row 9223372036854775804 of its buffers, which is more bytes"
                + " than a long counts"),
        refusal(
            "overflowing bytes",
            table -> table.a().setLong(OfArray.OFFSET, 1L << 61),
            "field 'a' has 4 rows from row 2305843009213693952 of its buffers, which is more bytes"
                + " than a long counts"),
        refusal(
            "too few buffers",
            table -> table.b().setLong(OfArray.BUFFER_COUNT, 2),
            "field 'b' has 2 buffers; one of format 'u' has 3"),
        refusal(
            "too many buffers",
            table -> table.array().setLong(OfArray.BUFFER_COUNT, 2),
            "{array} has 2 buffers; one of format '+s' has 1"),
        refusal(
            "no buffers",
            table -> table.a().setLong(OfArray.BUFFERS, 0),
            "field 'a': the pointer to its buffers is null"),
        refusal(
            "another number of children",
            table -> table.array().setLong(OfArray.CHILD_COUNT, 2),
            "{array} has 2 children; its schema has 3"),
        refusal(
            "children of a column",
            table -> table.a().setLong(OfArray.CHILD_COUNT, 1),
            "field 'a' has 1 children; its schema has 0"),
        refusal(
            "no child array",
            table -> table.array().getPointer(OfArray.CHILDREN).setLong(16, 0),
            "{array}: the pointer to its child 2 is null"),
        refusal(
            "no dictionary",
            table -> table.c().setLong(OfArray.DICTIONARY, 0),
            "field 'c' has no dictionary; its schema has one"),
        refusal(
            "a dictionary too many",
            table -> table.a().setPointer(OfArray.DICTIONARY, table.b()),
            "field 'a' has a dictionary; its schema has none"),
        refusal(
            "short column",
            table -> table.a().setLong(OfArray.LENGTH, 3),
            "field 'a' has 3 rows; {array} takes 4 from row 0"),
        refusal(
            "column that is short behind the offset",
            table -> table.array().setLong(OfArray.OFFSET, 2),
            "field 'a' has 4 rows; {array} takes 4 from row 2"),
        refusal(
            "no values",
            table -> RawTable.buffer(table.a(), 1, 0),
            "field 'a' has 4 rows and no values"),
        refusal(
            "no offsets",
            table -> RawTable.buffer(table.b(), 1, 0),
            "field 'b' has 4 rows and no offsets"),
        refusal(
            "misaligned values",
            table -> RawTable.buffer(table.a(), 1, 0x10_0002),
            "field 'a': the pointer to its values is 0x100002, which is not a multiple of 4"),
        refusal(
            "misaligned offsets of a dictionary",
            table -> RawTable.buffer(table.c().getPointer(OfArray.DICTIONARY), 1, 0x20_0001),
            "the dictionary of field 'c': the pointer to its offsets is 0x200001, which is not a"
                + " multiple of 4"),
        refusal(
            "nulls at the top",
            table -> {
              table.array().setLong(OfArray.NULL_COUNT, 2);
              RawTable.buffer(table.array(), 0, 0x5000);
            },
            "{array} has a validity bitmap of its own, with 2 nulls; nulls of the fields can be"
                + " adopted"),
        refusal(
            "perhaps nulls at the top",
            table -> {
              table.array().setLong(OfArray.NULL_COUNT, -1);
              RawTable.buffer(table.array(), 0, 0x5000);
            },
            "{array} has a validity bitmap of its own, with an unknown number of nulls; nulls of"
                + " the fields can be adopted"),
        refusal(
            "reserved field",
            table -> table.array().setLong(OfDeviceArray.RESERVED + 16, 8),
            "{array} has 8 in its reserved field 2, which must be 0"),
        refusal(
            "impossible device",
            table -> table.array().setLong(OfDeviceArray.DEVICE_ID, 1L << 32),
            "{array} is memory of device 4294967296, which cannot be"),
        refusal(
            "event at no address",
            table -> table.array().setLong(OfDeviceArray.SYNC_EVENT, 99),
            "{array}: the pointer to its event is 0x63, which is no address of a program"),
        refusal(
            "null event",
            table -> table.array().getPointer(OfDeviceArray.SYNC_EVENT).setLong(0, 0),
            "{array}: the pointer to its event points to null"));
  }

  private static Arguments refusal(String name, Consumer<RawTable> change, String message) {
    return Arguments.of(Named.of(name, change), message);
  }

  private static Pointer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    TEXT.clear();
    TEXT.write(0, bytes, 0, bytes.length);
    return TEXT;
  }
}
