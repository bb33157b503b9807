package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.Schema;
import java.util.Arrays;
import java.util.List;

/**
 * The columns that the two queries of the demo read, with the names and types of TPC-H's
 * specification, and the texts of all columns that have a dictionary.
 */
public final class TpchSchema {
  /** Of amounts of money, quantities, discounts and taxes. */
  public static final DecimalType DECIMAL = ColumnType.decimal(15, 2);

  /** Of text that has few values: a byte for each row. */
  public static final DictionaryType FEW_TEXTS = ColumnType.dictionary(ColumnType.INT8);

  /** Of ORDERS. Keys are unique, positive and below 2^62. */
  static final Schema ORDERS =
      Schema.of(
          ColumnField.of("o_orderkey", ColumnType.INT64),
          ColumnField.of("o_orderpriority", FEW_TEXTS));

  /** Of LINEITEM. */
  static final Schema LINE_ITEMS =
      Schema.of(
          ColumnField.of("l_orderkey", ColumnType.INT64),
          ColumnField.of("l_quantity", DECIMAL),
          ColumnField.of("l_extendedprice", DECIMAL),
          ColumnField.of("l_discount", DECIMAL),
          ColumnField.of("l_shipdate", ColumnType.DATE32),
          ColumnField.of("l_commitdate", ColumnType.DATE32),
          ColumnField.of("l_receiptdate", ColumnType.DATE32),
          ColumnField.of("l_shipmode", FEW_TEXTS));

  private TpchSchema() {}

  /** All texts of a column with a dictionary; a row holds the position of its own. */
  public static List<String> textsOf(ColumnField field) {
    return switch (field.name()) {
      case "o_orderpriority" ->
          Arrays.stream(OrderPriority.values()).map(OrderPriority::text).toList();
      case "l_shipmode" -> Arrays.stream(ShipMode.values()).map(ShipMode::text).toList();
      case "l_returnflag" -> List.of("A", "N", "R");
      case "l_linestatus" -> List.of("F", "O");
      case "c_mktsegment" ->
          List.of("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY");
      default -> throw new IllegalArgumentException("column " + field + " has no dictionary");
    };
  }
}
