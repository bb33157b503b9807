package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.TpchSchema;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The texts of a column, with or without a dictionary. Immutable. */
final class Texts {
  private final HostTable table;
  private final int column;
  private final IntFunction<String> values;

  private Texts(HostTable table, int column, IntFunction<String> values) {
    this.table = table;
    this.column = column;
    this.values = values;
  }

  /** Of a column of text, or one with a dictionary. */
  static Texts of(HostTable table, String name) {
    int column = table.schema().indexOf(name);
    if (table.column(column) instanceof String[] texts) {
      return new Texts(table, column, row -> texts[row]);
    }
    List<String> dictionary = TpchSchema.textsOf(table.schema().field(column));
    byte[] codes = table.codes(name);
    return new Texts(table, column, row -> dictionary.get(codes[row]));
  }

  /** The text of a row, or null. */
  @Nullable String at(int row) {
    return table.isNull(column, row) ? null : values.apply(row);
  }
}
