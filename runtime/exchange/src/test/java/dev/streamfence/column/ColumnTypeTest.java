package dev.streamfence.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.launch.ElementType;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What types say, and which there are not. */
final class ColumnTypeTest {
  static Stream<Object> plainTypes() throws IllegalAccessException {
    List<Object> types = new ArrayList<>();
    for (Field constant : ColumnType.class.getFields()) {
      types.add(constant.get(null));
    }
    return types.stream();
  }

  @ParameterizedTest
  @MethodSource("plainTypes")
  void aPlainTypeIsAsWideAsAnElementOfItsArrays(PlainType type) {
    int bits = 8 * ElementType.ofArray(type.arrayType()).sizeInBytes();
    assertThat(type.bitWidth())
        .isEqualTo(
            switch (type.kind()) {
              case BIT -> 1;
              case TEXT -> 0;
              default -> bits;
            });
  }

  static Stream<ColumnType> wideTypes() {
    return Stream.of(
        ColumnType.timestamp(TimestampUnit.SECOND),
        ColumnType.decimal(18, 2),
        ColumnType.dictionary(ColumnType.UINT64));
  }

  @ParameterizedTest
  @MethodSource("wideTypes")
  void timesAndDecimalsTake64Bits(ColumnType type) {
    assertThat(type.bitWidth()).isEqualTo(64);
    assertThat(type.arrayType()).isEqualTo(long[].class);
  }

  @Test
  void aDictionaryTypeIsAsWideAsItsIndices() {
    assertThat(ColumnType.dictionary(ColumnType.UINT16).bitWidth()).isEqualTo(16);
    assertThat(ColumnType.dictionary(ColumnType.UINT16).arrayType()).isEqualTo(char[].class);
  }

  @Test
  void typesPrintTheNamesOfArrow() {
    assertThat(
            Stream.of(
                    ColumnType.BOOL,
                    ColumnType.BOOL8,
                    ColumnType.INT8,
                    ColumnType.UINT64,
                    ColumnType.FLOAT32,
                    ColumnType.FLOAT64,
                    ColumnType.DATE32,
                    ColumnType.UTF8,
                    ColumnType.timestamp(TimestampUnit.NANOSECOND),
                    ColumnType.timestamp(TimestampUnit.MICROSECOND, "Europe/Zürich"),
                    ColumnType.timestamp(TimestampUnit.MILLISECOND, "+01:00"),
                    ColumnType.decimal(12, 2),
                    ColumnType.dictionary(ColumnType.INT32),
                    new DictionaryType(ColumnType.UINT8, ColumnType.UTF8, true))
                .map(Object::toString))
        .containsExactly(
            "bool",
            "bool8",
            "int8",
            "uint64",
            "float32",
            "float64",
            "date32",
            "utf8",
            "timestamp[ns]",
            "timestamp[us, tz=Europe/Zürich]",
            "timestamp[ms, tz=+01:00]",
            "decimal64(12, 2)",
            "dictionary<values=utf8, indices=int32>",
            "dictionary<values=utf8, indices=uint8, ordered>");
  }

  @Test
  void typesAreEqualIfTheySayTheSame() {
    assertThat(ColumnType.decimal(12, 2))
        .isEqualTo(ColumnType.decimal(12, 2))
        .hasSameHashCodeAs(ColumnType.decimal(12, 2))
        .isNotEqualTo(ColumnType.decimal(12, 3))
        .isNotEqualTo(ColumnType.decimal(13, 2));
    assertThat(ColumnType.timestamp(TimestampUnit.SECOND, "UTC"))
        .isEqualTo(ColumnType.timestamp(TimestampUnit.SECOND, "UTC"))
        .isNotEqualTo(ColumnType.timestamp(TimestampUnit.SECOND))
        .isNotEqualTo(ColumnType.timestamp(TimestampUnit.MILLISECOND, "UTC"));
    assertThat(ColumnType.dictionary(ColumnType.INT8))
        .isEqualTo(ColumnType.dictionary(ColumnType.INT8))
        .isNotEqualTo(ColumnType.dictionary(ColumnType.UINT8));
  }

  @Test
  void aDecimalHasAsManyDigitsAs64BitsHold() {
    assertThat(ColumnType.decimal(1, -3).scale()).isEqualTo(-3);
    assertThat(ColumnType.decimal(18, 18).precision()).isEqualTo(18);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.decimal(19, 2))
        .withMessage("a decimal of 19 digits; 64 bits hold 1 to 18");
    assertThatIllegalArgumentException().isThrownBy(() -> ColumnType.decimal(0, 0));
  }

  @Test
  void onlyIntegersNumberADictionary() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.dictionary(ColumnType.DATE32))
        .withMessageContaining("date32");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.dictionary(ColumnType.BOOL8))
        .withMessageContaining("bool8");
  }

  @Test
  void aDictionaryHoldsText() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DictionaryType(ColumnType.INT32, ColumnType.INT64, false))
        .withMessage("a dictionary of int64; only utf8 is supported");
  }
}
