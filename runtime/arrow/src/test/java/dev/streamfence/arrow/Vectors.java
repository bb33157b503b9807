package dev.streamfence.arrow;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Vectors of every supported type, with values that differ from row to row. */
final class Vectors {
  private Vectors() {}

  static Field nullable(String name, ArrowType type) {
    return new Field(name, FieldType.nullable(type), null);
  }

  static Field notNullable(String name, ArrowType type) {
    return new Field(name, FieldType.notNullable(type), null);
  }

  static Field bool8(String name) {
    Map<String, String> metadata =
        Map.of("ARROW:extension:name", "arrow.bool8", "ARROW:extension:metadata", "");
    return new Field(name, new FieldType(true, new ArrowType.Int(8, true), null, metadata), null);
  }

  /** A table of one vector. Every {@code nullEvery}th row is null; 0 for no nulls. */
  static VectorSchemaRoot table(BufferAllocator allocator, Field field, int rows, int nullEvery) {
    FieldVector vector = field.createVector(allocator);
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    for (int row = 0; row < rows; row++) {
      if (nullEvery > 0 && row % nullEvery == nullEvery - 1) {
        vector.setNull(row);
      } else {
        set(vector, row);
      }
    }
    vector.setValueCount(rows);
    return new VectorSchemaRoot(List.of(field), List.of(vector), rows);
  }

  /** A vector of text. */
  static VarCharVector words(String name, BufferAllocator allocator, String... words) {
    VarCharVector vector = new VarCharVector(name, allocator);
    vector.allocateNew();
    for (int i = 0; i < words.length; i++) {
      vector.setSafe(i, words[i].getBytes(StandardCharsets.UTF_8));
    }
    vector.setValueCount(words.length);
    return vector;
  }

  /** The rows of a vector; null for null. */
  static List<Object> rows(FieldVector vector) {
    List<Object> rows = new ArrayList<>();
    for (int row = 0; row < vector.getValueCount(); row++) {
      Object value = vector.getObject(row);
      rows.add(vector.isNull(row) ? null : value);
    }
    return rows;
  }

  private static void set(FieldVector vector, int row) {
    long value = row * 0x9E37_79B9_7F4A_7C15L;
    if (vector instanceof BitVector bits) {
      bits.set(row, (int) (value >>> 63));
    } else if (vector instanceof VarCharVector text) {
      String word = row % 5 == 0 ? "" : "größe 名前 " + row;
      text.setSafe(row, word.getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof DecimalVector decimal) {
      decimal.set(row, BigDecimal.valueOf(value % 1_000_000_000_000L, decimal.getScale()));
    } else {
      setFixed((BaseFixedWidthVector) vector, row, value);
    }
  }

  private static void setFixed(BaseFixedWidthVector vector, int row, long value) {
    if (vector instanceof TinyIntVector number) {
      number.set(row, (byte) value);
    } else if (vector instanceof SmallIntVector number) {
      number.set(row, (short) value);
    } else if (vector instanceof IntVector number) {
      number.set(row, (int) value);
    } else if (vector instanceof BigIntVector number) {
      number.set(row, value);
    } else if (vector instanceof UInt1Vector number) {
      number.set(row, (byte) value);
    } else if (vector instanceof UInt2Vector number) {
      number.set(row, (char) value);
    } else if (vector instanceof UInt4Vector number) {
      number.set(row, (int) value);
    } else if (vector instanceof UInt8Vector number) {
      number.set(row, value);
    } else if (vector instanceof Float4Vector number) {
      number.set(row, value * 0.5f);
    } else if (vector instanceof Float8Vector number) {
      number.set(row, value * 0.5);
    } else if (vector instanceof DateDayVector days) {
      days.set(row, (int) (value % 100_000));
    } else {
      ((TimeStampVector) vector).set(row, value % 1_000_000_000_000L);
    }
  }
}
