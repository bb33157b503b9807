package dev.streamfence.examples.spark;

import java.util.function.IntConsumer;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * Rows of a vector of Spark, whose values become a Java array for the upload. A vector without
 * nulls is copied as a whole; of one with nulls, only the rows with values are read, since not
 * every vector has something to read in the others. Immutable.
 *
 * @param vector from Parquet, Arrow or another source; with a dictionary or without
 * @param from the first row
 * @param count how many rows
 */
record HostVector(ColumnVector vector, int from, int count) {
  /** A bit for each row, 0 for null; empty if no row of the vector is null. */
  byte[] validity() {
    byte[] validity = new byte[vector.hasNull() ? (count + 7) / 8 : 0];
    if (vector.hasNull()) {
      forEachValue(i -> validity[i / 8] |= (byte) (1 << (i % 8)));
    }
    return validity;
  }

  /** The values of a type of fixed width, as an array of its counterpart's {@code arrayType}. */
  Object values() {
    DataType type = vector.dataType();
    if (type.equals(DataTypes.BooleanType)) {
      return booleans();
    }
    if (type.equals(DataTypes.ByteType)) {
      return bytes();
    }
    if (type.equals(DataTypes.ShortType)) {
      return shorts();
    }
    if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      return ints();
    }
    if (type.equals(DataTypes.FloatType)) {
      return floats();
    }
    if (type.equals(DataTypes.DoubleType)) {
      return doubles();
    }
    return type instanceof DecimalType decimal ? decimals(decimal) : longs();
  }

  private boolean[] booleans() {
    if (!vector.hasNull()) {
      return vector.getBooleans(from, count);
    }
    boolean[] values = new boolean[count];
    forEachValue(i -> values[i] = vector.getBoolean(from + i));
    return values;
  }

  private byte[] bytes() {
    if (!vector.hasNull()) {
      return vector.getBytes(from, count);
    }
    byte[] values = new byte[count];
    forEachValue(i -> values[i] = vector.getByte(from + i));
    return values;
  }

  private short[] shorts() {
    if (!vector.hasNull()) {
      return vector.getShorts(from, count);
    }
    short[] values = new short[count];
    forEachValue(i -> values[i] = vector.getShort(from + i));
    return values;
  }

  private int[] ints() {
    if (!vector.hasNull()) {
      return vector.getInts(from, count);
    }
    int[] values = new int[count];
    forEachValue(i -> values[i] = vector.getInt(from + i));
    return values;
  }

  private long[] longs() {
    if (!vector.hasNull()) {
      return vector.getLongs(from, count);
    }
    long[] values = new long[count];
    forEachValue(i -> values[i] = vector.getLong(from + i));
    return values;
  }

  private float[] floats() {
    if (!vector.hasNull()) {
      return vector.getFloats(from, count);
    }
    float[] values = new float[count];
    forEachValue(i -> values[i] = vector.getFloat(from + i));
    return values;
  }

  private double[] doubles() {
    if (!vector.hasNull()) {
      return vector.getDoubles(from, count);
    }
    double[] values = new double[count];
    forEachValue(i -> values[i] = vector.getDouble(from + i));
    return values;
  }

  /** Decimals as 64-bit integers. Spark has those of up to 9 digits in 32 bits, Arrow in 128. */
  private long[] decimals(DecimalType type) {
    if (type.precision() > 9 && !(vector instanceof ArrowColumnVector)) {
      return longs();
    }
    long[] values = new long[count];
    forEachValue(
        i ->
            values[i] =
                vector.getDecimal(from + i, type.precision(), type.scale()).toUnscaledLong());
    return values;
  }

  private void forEachValue(IntConsumer action) {
    for (int i = 0; i < count; i++) {
      if (!vector.isNullAt(from + i)) {
        action.accept(i);
      }
    }
  }
}
