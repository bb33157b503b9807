package dev.streamfence.examples.queries;

import java.util.Set;

/**
 * Which rows to generate. The same options give the same rows. Immutable.
 *
 * @param scale TPC-H's scale factor
 * @param nullShare the share of values that become null in each of the nullable columns, from 0 to
 *     1
 * @param nullable the names of these columns, of {@link TpchTable#NULLABLE_COLUMNS}
 * @param skewShare the share of line items that refer to one order, of those that refer to one part
 *     and its supplier, and of orders that refer to one customer, from 0 to 1
 * @param seed chooses the rows that get nulls, and those that refer to the same key
 */
public record DataOptions(
    double scale, double nullShare, Set<String> nullable, double skewShare, long seed) {

  /** Checks the shares and the columns. */
  public DataOptions {
    nullable = Set.copyOf(nullable);
    requireShare(nullShare);
    requireShare(skewShare);
    if (!TpchTable.NULLABLE_COLUMNS.containsAll(nullable)) {
      throw new IllegalArgumentException(
          "not all of " + nullable + " can have nulls; these can: " + TpchTable.NULLABLE_COLUMNS);
    }
  }

  private static void requireShare(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share " + share + " is not from 0 to 1");
    }
  }

  /** TPC-H's own rows, which have neither nulls nor skew. */
  public static DataOptions atScale(double scale) {
    return new DataOptions(scale, 0, TpchTable.NULLABLE_COLUMNS, 0, 1);
  }

  /** The same with a share of nulls in every column that can have them. */
  public DataOptions withNulls(double share) {
    return withNulls(share, TpchTable.NULLABLE_COLUMNS);
  }

  /** The same with a share of nulls in some columns. */
  public DataOptions withNulls(double share, Set<String> columns) {
    return new DataOptions(scale, share, columns, skewShare, seed);
  }

  /** The same with a share of rows that refer to one key. */
  public DataOptions withSkew(double share) {
    return new DataOptions(scale, nullShare, nullable, share, seed);
  }

  /** The same shares in other rows. */
  public DataOptions withSeed(long newSeed) {
    return new DataOptions(scale, nullShare, nullable, skewShare, newSeed);
  }

  /** Whether a value of a column belongs to a share. Does not depend on any other value. */
  boolean chooses(double share, String column, int row) {
    return (RowHash.of(seed, column.hashCode(), row) >>> 11) * 0x1p-53 < share;
  }
}
