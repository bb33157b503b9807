package dev.streamfence.examples.queries;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.examples.tpch.HostThreads;
import java.math.BigDecimal;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * DuckDB in memory, with the same rows as the device. It loads no extension. Confined to one thread
 * at a time.
 */
final class DuckDb implements AutoCloseable {
  private final DuckDBConnection connection;

  private DuckDb(DuckDBConnection connection) {
    this.connection = connection;
  }

  /**
   * Opens an empty database.
   *
   * @param threads on how many threads it runs a query
   */
  static DuckDb open(int threads) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("threads", String.valueOf(threads));
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty("default_null_order", "nulls_last");
    // It writes nothing to files, also if memory is short.
    settings.setProperty("temp_directory", "");
    return new DuckDb(
        DriverManager.getConnection("jdbc:duckdb:", settings).unwrap(DuckDBConnection.class));
  }

  /** Creates the tables with all their rows and waits for them. */
  void load(HostTables tables, HostThreads threads) throws SQLException {
    for (TpchTable table : TpchTable.values()) {
      execute(
          "create table %s (%s)"
              .formatted(
                  table.tableName(),
                  tables.table(table).schema().fields().stream()
                      .map(field -> field.name() + " " + typeOf(field))
                      .collect(Collectors.joining(", "))));
    }
    for (TpchTable table : TpchTable.values()) {
      RowRanges.forAll(
          threads,
          tables.table(table).rows(),
          (first, end) ->
              new DuckDbAppender(connection, table.tableName(), tables.table(table))
                  .append(first, end));
    }
  }

  private static String typeOf(ColumnField field) {
    ColumnType type = field.type();
    String name;
    if (type.equals(ColumnType.INT64)) {
      name = "bigint";
    } else if (type.equals(ColumnType.INT32)) {
      name = "integer";
    } else if (type.equals(ColumnType.DATE32)) {
      name = "date";
    } else if (type.equals(ColumnType.UTF8) || type instanceof DictionaryType) {
      name = "varchar";
    } else {
      name = "decimal(15, 2)";
    }
    return field.isNullable() ? name : name + " not null";
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Runs a query and waits for its answer. */
  QueryAnswer answerOf(Query query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(query.sql())) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (results.next()) {
        rows.add(row(query.shape(), results));
      }
      return new QueryAnswer(query.shape(), rows);
    }
  }

  private static List<@Nullable Object> row(AnswerShape shape, ResultSet results)
      throws SQLException {
    List<@Nullable Object> row = new ArrayList<>();
    for (AnswerColumn column : shape.columns()) {
      row.add(valueOf(column, results.getObject(column.name())));
    }
    return row;
  }

  private static @Nullable Object valueOf(AnswerColumn column, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (column.kind()) {
      // A HUGEINT is a BigInteger, and so is the sum of integers.
      case INTEGER -> new BigDecimal(value.toString()).longValueExact();
      case DECIMAL ->
          ((BigDecimal) value).setScale(column.scale()).unscaledValue().longValueExact();
      case AVERAGE, DATE, TEXT -> value;
    };
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
