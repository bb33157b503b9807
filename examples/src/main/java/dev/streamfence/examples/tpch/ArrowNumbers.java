package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DecimalType;
import java.math.BigDecimal;
import java.nio.file.Path;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;

/**
 * Integers of 64 bits, and decimals of 128 bits as the integers that they are without their point.
 */
final class ArrowNumbers extends ArrowColumn {
  /** An entry of Q12's hash table has one bit beside the key, and is zero while it is free. */
  private static final long MOST_KEY = (1L << 62) - 1;

  /** The highest retail price times the highest quantity, in hundredths: no sum overflows. */
  private static final long MOST_PRICE = 2_099_00L * 50;

  private final BaseFixedWidthVector vector;
  private final int scale;
  private final long least;
  private final long most;

  ArrowNumbers(Path file, ColumnField field, BaseFixedWidthVector vector) {
    super(file, field, vector);
    this.vector = vector;
    if (field.type() instanceof DecimalType decimal) {
      boolean isPrice = field.name().equals("l_extendedprice");
      long digits = BigDecimal.TEN.pow(decimal.precision()).longValueExact() - 1;
      this.scale = decimal.scale();
      this.least = isPrice ? 0 : -digits;
      this.most = isPrice ? MOST_PRICE : digits;
    } else {
      this.scale = 0;
      this.least = 1;
      this.most = MOST_KEY;
    }
  }

  @Override
  long[] valuesWithoutNulls(long firstRow) {
    long[] values = new long[vector.getValueCount()];
    ArrowBuf data = vector.getDataBuffer();
    long width = vector.getTypeWidth();
    for (int row = 0; row < values.length; row++) {
      long value = data.getLong(row * width);
      boolean fits = width == Long.BYTES || data.getLong(row * width + Long.BYTES) == value >> 63;
      if (!fits || value < least || value > most) {
        throw wrong(
            firstRow + row,
            vector.getObject(row) + "; it must be from " + number(least) + " to " + number(most));
      }
      values[row] = value;
    }
    return values;
  }

  private String number(long unscaled) {
    return BigDecimal.valueOf(unscaled, scale).toPlainString();
  }
}
