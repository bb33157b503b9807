package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;

/** Text, plain or with a dictionary of the file, as positions in the dictionary of TPC-H. */
final class ArrowTexts extends ArrowColumn {
  private final FieldVector vector;
  private final DictionaryProvider dictionaries;
  private final List<String> texts;
  private final Map<String, Byte> codes = new HashMap<>();

  ArrowTexts(Path file, ColumnField field, FieldVector vector, DictionaryProvider dictionaries) {
    super(file, field, vector);
    this.vector = vector;
    this.dictionaries = dictionaries;
    this.texts = TpchSchema.textsOf(field);
    for (int code = 0; code < texts.size(); code++) {
      codes.put(texts.get(code), (byte) code);
    }
  }

  @Override
  byte[] valuesWithoutNulls(long firstRow) {
    DictionaryEncoding encoding = vector.getField().getDictionary();
    return encoding == null
        ? plain((VarCharVector) vector, firstRow)
        : encoded((VarCharVector) dictionaries.lookup(encoding.getId()).getVector(), firstRow);
  }

  private byte[] plain(VarCharVector text, long firstRow) {
    byte[] values = new byte[text.getValueCount()];
    for (int row = 0; row < values.length; row++) {
      values[row] = code(text, row, firstRow + row);
    }
    return values;
  }

  private byte[] encoded(VarCharVector dictionary, long firstRow) {
    BaseIntVector indices = (BaseIntVector) vector;
    byte[] values = new byte[vector.getValueCount()];
    for (int row = 0; row < values.length; row++) {
      long index = indices.getValueAsLong(row);
      if (index < 0 || index >= dictionary.getValueCount()) {
        throw wrong(
            firstRow + row,
            "row " + index + " of a dictionary of " + dictionary.getValueCount() + " rows");
      }
      values[row] = code(dictionary, (int) index, firstRow + row);
    }
    return values;
  }

  private byte code(VarCharVector text, int position, long row) {
    if (text.isNull(position)) {
      throw wrong(row, "null; TPC-H has no nulls");
    }
    String value = new String(text.get(position), StandardCharsets.UTF_8);
    Byte code = codes.get(value);
    if (code == null) {
      throw wrong(row, "'" + value + "'; it must be one of " + String.join(", ", texts));
    }
    return code;
  }
}
