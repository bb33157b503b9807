package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.TpchSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The texts of a column, with or without a dictionary. Immutable. */
final class Texts {
  private final HostTable table;
  private final int column;

  private Texts(HostTable table, int column) {
    this.table = table;
    this.column = column;
  }

  /** Of a column of text, or one with a dictionary. */
  static Texts of(HostTable table, String column) {
    return new Texts(table, table.schema().indexOf(column));
  }

  /** The text of a row, or null. */
  @Nullable String at(int row) {
    if (table.isNull(column, row)) {
      return null;
    }
    if (table.column(column) instanceof String[] texts) {
      return texts[row];
    }
    List<String> dictionary = TpchSchema.textsOf(table.schema().field(column));
    return dictionary.get(((byte[]) table.column(column))[row]);
  }
}
