package dev.streamfence.examples.queries;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.Schema;
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
  static DuckDb open(int threads) {
    Properties settings = new Properties();
    settings.setProperty("threads", String.valueOf(threads));
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty("default_null_order", "nulls_last");
    // It writes nothing to files, also if memory is short.
    settings.setProperty("temp_directory", "");
    try {
      return new DuckDb(
          DriverManager.getConnection("jdbc:duckdb:", settings).unwrap(DuckDBConnection.class));
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not open", e);
    }
  }

  /** Its version. */
  String version() {
    try {
      return connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not tell its version", e);
    }
  }

  /** Creates the tables with all their rows and waits for them. */
  void load(HostTables tables, HostThreads threads) {
    for (TpchTable table : TpchTable.values()) {
      create(table.tableName(), tables.table(table).schema());
      RowRanges.forAll(
          threads,
          tables.table(table).rows(),
          (first, end) ->
              new DuckDbAppender(connection, table.tableName(), tables.table(table))
                  .append(first, end));
    }
  }

  private void create(String table, Schema schema) {
    String columns =
        schema.fields().stream()
            .map(field -> field.name() + " " + typeOf(field))
            .collect(Collectors.joining(", "));
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table " + table + " (" + columns + ")");
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not create " + table, e);
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

  /** Runs a query and waits for its answer. */
  QueryAnswer answerOf(Query query) {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(query.sql())) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (results.next()) {
        rows.add(row(query.shape(), results));
      }
      return new QueryAnswer(query.shape(), rows);
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not run " + query.name(), e);
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
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not close", e);
    }
  }
}
