package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.HostThreads;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/**
 * Generates the eight tables, each in one part for each thread. The threads write straight into the
 * arrays of the tables. Confined to one thread at a time.
 */
public final class TableGenerator {
  private final DataOptions options;
  private final HostThreads threads;

  private TableGenerator(DataOptions options, HostThreads threads) {
    this.options = options;
    this.threads = threads;
  }

  /** Generates all rows on new threads and waits for them. */
  public static HostTables generate(DataOptions options, int threads) {
    try (HostThreads generators = new HostThreads("generate", threads)) {
      return generate(options, generators);
    }
  }

  /** Generates all rows and waits for them. The rows do not depend on the number of threads. */
  public static HostTables generate(DataOptions options, HostThreads threads) {
    return new TableGenerator(options, threads).generate();
  }

  private HostTables generate() {
    RowSource source = new RowSource(options.scale());
    Map<TpchTable, HostTable> tables = new EnumMap<>(TpchTable.class);
    List<Callable<Object>> tasks = new ArrayList<>();
    for (TpchTable table : TpchTable.values()) {
      int partCount = source.partCount(table, threads.count());
      int[] firstRows = source.firstRows(table, partCount);
      HostTable rows = HostTable.allocate(table.schema(), firstRows[partCount]);
      tables.put(table, rows);
      for (int part = 1; part <= partCount; part++) {
        PartOfTable range = new PartOfTable(part, partCount, firstRows[part - 1], firstRows[part]);
        tasks.add(Executors.callable(() -> source.fill(table, rows, range)));
      }
    }
    threads.runAll(tasks);
    if (options.skewShare() > 0) {
      Skew.apply(new HostTables(tables), options, threads);
    }
    if (options.nullShare() > 0) {
      tables.replaceAll((table, rows) -> Nulls.in(rows, options, threads));
    }
    return new HostTables(tables);
  }
}
