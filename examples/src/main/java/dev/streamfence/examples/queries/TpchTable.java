package dev.streamfence.examples.queries;

import static dev.streamfence.column.ColumnType.DATE32;
import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.INT64;
import static dev.streamfence.column.ColumnType.UTF8;
import static dev.streamfence.examples.tpch.TpchSchema.DECIMAL;
import static dev.streamfence.examples.tpch.TpchSchema.FEW_TEXTS;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.Schema;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * A table of TPC-H with the columns that the seven queries read, under the names of TPC-H's
 * specification. Immutable.
 */
public enum TpchTable {
  REGION(column("r_regionkey", INT64), column("r_name", UTF8)),
  NATION(column("n_nationkey", INT64), column("n_name", UTF8), column("n_regionkey", INT64)),
  SUPPLIER(column("s_suppkey", INT64), column("s_nationkey", INT64)),
  PART(column("p_partkey", INT64), column("p_name", UTF8)),
  PARTSUPP(
      column("ps_partkey", INT64), column("ps_suppkey", INT64), column("ps_supplycost", DECIMAL)),
  CUSTOMER(
      column("c_custkey", INT64),
      column("c_name", UTF8),
      column("c_nationkey", INT64),
      column("c_mktsegment", FEW_TEXTS)),
  ORDERS(
      column("o_orderkey", INT64),
      column("o_custkey", INT64),
      column("o_totalprice", DECIMAL),
      column("o_orderdate", DATE32),
      column("o_orderpriority", FEW_TEXTS),
      column("o_shippriority", INT32)),
  LINEITEM(
      column("l_orderkey", INT64),
      column("l_partkey", INT64),
      column("l_suppkey", INT64),
      column("l_quantity", DECIMAL),
      column("l_extendedprice", DECIMAL),
      column("l_discount", DECIMAL),
      column("l_tax", DECIMAL),
      column("l_returnflag", FEW_TEXTS),
      column("l_linestatus", FEW_TEXTS),
      column("l_shipdate", DATE32),
      column("l_commitdate", DATE32),
      column("l_receiptdate", DATE32),
      column("l_shipmode", FEW_TEXTS));

  /**
   * All columns that can have nulls: those that are no part of a primary key, and {@code
   * l_orderkey}. Without the name of a region, of which there are five, the queries find little.
   */
  public static final Set<String> NULLABLE_COLUMNS =
      Set.of(
          "n_name",
          "n_regionkey",
          "s_nationkey",
          "p_name",
          "ps_supplycost",
          "c_name",
          "c_nationkey",
          "c_mktsegment",
          "o_custkey",
          "o_totalprice",
          "o_orderdate",
          "o_orderpriority",
          "o_shippriority",
          "l_orderkey",
          "l_partkey",
          "l_suppkey",
          "l_quantity",
          "l_extendedprice",
          "l_discount",
          "l_tax",
          "l_returnflag",
          "l_linestatus",
          "l_shipdate",
          "l_commitdate",
          "l_receiptdate",
          "l_shipmode");

  @SuppressWarnings("ImmutableEnumChecker") // A schema is immutable, without saying so.
  private final Schema schema;

  TpchTable(ColumnField... columns) {
    this.schema = new Schema(Arrays.asList(columns));
  }

  private static ColumnField column(String name, ColumnType type) {
    return ColumnField.of(name, type);
  }

  /** Its name in SQL. */
  public String tableName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its columns, none of them nullable. */
  public Schema schema() {
    return schema;
  }
}
