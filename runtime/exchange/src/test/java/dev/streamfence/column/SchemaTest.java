package dev.streamfence.column;

import static dev.streamfence.column.ColumnType.BOOL;
import static dev.streamfence.column.ColumnType.BOOL8;
import static dev.streamfence.column.ColumnType.FLOAT64;
import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.UINT32;
import static dev.streamfence.column.ColumnType.UINT64;
import static dev.streamfence.column.ColumnType.UTF8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fields of a table, in order. */
final class SchemaTest {
  private final Schema schema =
      Schema.of(
          ColumnField.of("key", INT32),
          ColumnField.nullable("größe", FLOAT64),
          ColumnField.nullable("名前", UTF8));

  @Test
  void fieldsAreFoundByPositionAndByName() {
    assertThat(schema.columnCount()).isEqualTo(3);
    assertThat(schema.field(1)).isEqualTo(ColumnField.nullable("größe", FLOAT64));
    assertThat(schema.field("名前")).isSameAs(schema.field(2));
    assertThat(schema.indexOf("key")).isZero();
    assertThat(schema.contains("größe")).isTrue();
    assertThat(schema.contains("grösse")).isFalse();
  }

  @Test
  void whatIsNotThereIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> schema.field("price"))
        .withMessage("no field is named 'price'; the schema is " + schema);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> schema.field(3))
        .withMessageStartingWith("field 3 of a schema of 3");
    assertThatIllegalArgumentException().isThrownBy(() -> schema.field(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> schema.select("key", "price"));
    assertThatIllegalArgumentException().isThrownBy(() -> schema.rename("price", "cost"));
  }

  @Test
  void fieldsOfOneNameAreFoundByPositionOnly() {
    Schema twice = schema.append(ColumnField.of("key", UINT64));
    assertThat(twice.field(3).type()).isEqualTo(UINT64);
    assertThat(twice.contains("key")).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> twice.field("key"))
        .withMessage("fields 0 and 3 are both named 'key'; use a position");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> twice.append(ColumnField.of("key", UINT64)).select("key"))
        .withMessage("fields 0 and 3 are both named 'key'; use a position");
    assertThat(twice.field("名前").type()).isEqualTo(UTF8);
  }

  @Test
  void aSchemaDoesNotChange() {
    List<ColumnField> fields = new ArrayList<>(schema.fields());
    Schema copy = new Schema(fields);
    fields.clear();
    assertThat(copy).isEqualTo(schema).hasSameHashCodeAs(schema);
    assertThat(schema.select("名前", "key"))
        .hasToString("(名前: utf8, key: int32 not null)")
        .isNotEqualTo(schema);
    assertThat(schema.rename("key", "id").field(0)).isEqualTo(ColumnField.of("id", INT32));
    assertThat(schema.append(ColumnField.of("x", BOOL)).columnCount()).isEqualTo(4);
    assertThat(schema).hasToString("(key: int32 not null, größe: float64, 名前: utf8)");
  }

  @Test
  void ofManyFieldsTheFirstTenAreNamed() {
    Schema many = Schema.of();
    for (int i = 0; i < 10; i++) {
      many = many.append(ColumnField.of("c" + i, BOOL));
    }
    assertThat(many.toString()).endsWith("c8: bool not null, c9: bool not null)");
    assertThat(many.append(ColumnField.of("x", BOOL)).append(ColumnField.of("y", BOOL)).toString())
        .endsWith("c8: bool not null, c9: bool not null and 2 more)");
  }

  @Test
  void columnsOfSchemaTakeTheBytesOfTheirParts() {
    Schema wide = Schema.of(ColumnField.of("a", UINT32), ColumnField.of("b", UINT64));
    assertThat(wide.sizeInBytes(100)).isEqualTo(1200);
    assertThat(Schema.of(ColumnField.of("flag", BOOL)).sizeInBytes(9)).isEqualTo(2);
    assertThat(Schema.of(ColumnField.of("flag", BOOL8)).sizeInBytes(9)).isEqualTo(9);
    assertThat(Schema.of(ColumnField.nullable("x", INT32)).sizeInBytes(9)).isEqualTo(36 + 2);
    assertThat(Schema.of(ColumnField.of("text", UTF8)).sizeInBytes(9)).isEqualTo(40);
    assertThat(Schema.of().sizeInBytes(1000)).isZero();
    assertThat(wide.sizeInBytes(0)).isZero();
  }

  @Test
  void sizesThatALongDoesNotCountAreRefused() {
    Schema wide = Schema.of(ColumnField.of("a", UINT64), ColumnField.of("b", UINT64));
    assertThat(wide.sizeInBytes(Long.MAX_VALUE / 16)).isEqualTo(Long.MAX_VALUE - 15);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> wide.sizeInBytes(Long.MAX_VALUE / 16 + 1))
        .withMessageContaining("have more bytes than a long counts");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Schema.of(ColumnField.of("text", UTF8)).sizeInBytes(Long.MAX_VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> wide.sizeInBytes(-1))
        .withMessageStartingWith("-1 rows");
  }
}
