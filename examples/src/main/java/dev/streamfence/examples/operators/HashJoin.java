package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.cookbook.PrefixSums;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins with one table, the build side, by equal keys. Null equals nothing. Any number of threads
 * may probe it at once, each on a stream of its own. It holds a hash table until {@link #close},
 * which frees it after the last probe. The build side stays open and unchanged as long.
 *
 * <p>A key may occur any number of times on both sides: the work of a launch is shared out by pairs
 * and not by rows.
 */
public final class HashJoin implements AutoCloseable {
  private final DeviceTable build;
  private final Temporaries arrays;
  private final KeyColumns keys;
  private final Groups groups;
  private final DeviceArray<int[]> starts;
  private final DeviceArray<int[]> rowsByGroup;
  private volatile boolean isClosed;

  private HashJoin(DeviceStream stream, DeviceTable build, List<String> names, Temporaries arrays) {
    this.build = build;
    this.arrays = arrays;
    this.keys = KeyColumns.of(stream, build, names, arrays);
    this.groups = Groups.of(stream, keys, true, arrays);
    GroupKernels kernels = GroupKernelsLauncher.on(stream);
    int n = keys.rows();
    this.rowsByGroup = arrays.array(int[].class, n);
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<int[]> counts = own.zeros(int[].class, groups.count());
      kernels.countRows(groups.numbers(), counts, n);
      this.starts = arrays.add(PrefixSums.of(stream, counts));
      DeviceArray<int[]> used = own.zeros(int[].class, groups.count());
      kernels.collectRows(groups.numbers(), starts, used, rowsByGroup, n);
    }
  }

  /**
   * Builds the hash table of a table. Waits for the device, for the number of keys.
   *
   * @param build the build side: the smaller one, since its rows take memory
   * @param keys the columns of the key
   * @throws IllegalArgumentException if there is no key, or the table does not have a column, or
   *     has more than 2²⁹ rows
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static HashJoin build(DeviceStream stream, DeviceTable build, String... keys) {
    if (keys.length == 0) {
      throw new IllegalArgumentException("a join without a key; name a column");
    }
    Temporaries arrays = new Temporaries(stream);
    try {
      return new HashJoin(stream, build, List.of(keys), arrays);
    } catch (RuntimeException | Error e) {
      try (arrays) {
        throw e;
      }
    }
  }

  /**
   * Returns a table with a row for each pair of rows with equal keys: the columns of the probe
   * side, then those of the build side. The pairs are in the order of the probe side. Waits for the
   * device, for the number of pairs.
   *
   * @param keys the columns of the key, in the order of the build side's
   * @throws IllegalArgumentException if the keys do not go with those of the build side, or there
   *     are more pairs than a table has rows
   * @throws IllegalStateException if the join is closed
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public DeviceTable inner(DeviceStream stream, DeviceTable probe, String... keys) {
    return pairs(stream, probe, List.of(keys), false);
  }

  /**
   * Returns an inner join, and beside it the rows of the probe side without a partner, once each,
   * with null in the columns of the build side. Otherwise like {@link #inner}.
   */
  public DeviceTable leftOuter(DeviceStream stream, DeviceTable probe, String... keys) {
    return pairs(stream, probe, List.of(keys), true);
  }

  /**
   * Returns the rows of the probe side that have a partner, once each and in order. Waits for the
   * device, for their number. Throws as {@link #inner} does.
   */
  public DeviceTable semi(DeviceStream stream, DeviceTable probe, String... keys) {
    return rows(stream, probe, List.of(keys), true);
  }

  /**
   * Returns the rows of the probe side that have no partner, those with null in their key included,
   * in order. Waits for the device, for their number. Throws as {@link #inner} does.
   */
  public DeviceTable anti(DeviceStream stream, DeviceTable probe, String... keys) {
    return rows(stream, probe, List.of(keys), false);
  }

  private DeviceTable rows(
      DeviceStream stream, DeviceTable probe, List<String> names, boolean withPartner) {
    try (Temporaries own = new Temporaries(stream)) {
      int n = Rows.of(stream, probe);
      DeviceArray<int[]> marks = own.array(int[].class, n);
      try (Temporaries searched = new Temporaries(stream)) {
        GroupKernelsLauncher.on(stream)
            .markFound(found(stream, probe, names, searched), withPartner ? 1 : 0, marks, n);
      }
      return Gather.table(stream, probe, Rows.marked(stream, marks, n, own));
    }
  }

  private DeviceTable pairs(
      DeviceStream stream, DeviceTable probe, List<String> names, boolean isOuter) {
    int n = Rows.of(stream, probe);
    GroupKernels kernels = GroupKernelsLauncher.on(stream);
    try (Temporaries own = new Temporaries(stream)) {
      Rows probeRows;
      Rows buildRows;
      try (Temporaries searched = new Temporaries(stream)) {
        DeviceArray<int[]> found = groupsOf(stream, probe, names, searched);
        DeviceArray<int[]> counts = searched.array(int[].class, n);
        DeviceArray<long[]> total = searched.zeros(long[].class, 1);
        kernels.countPairs(found, starts, isOuter ? 1 : 0, counts, total, n);
        DeviceArray<int[]> places = searched.add(PrefixSums.of(stream, counts));
        int pairs = Rows.require(DeviceArrays.getLong(total, stream, 0), "a join");
        probeRows = new Rows(own.array(int[].class, pairs), pairs);
        buildRows = new Rows(own.array(int[].class, pairs), pairs);
        kernels.writePairs(
            found, places, n, starts, rowsByGroup, probeRows.numbers(), buildRows.numbers(), pairs);
      }
      List<DeviceColumn<?>> columns =
          new ArrayList<>(Gather.columns(stream, probe, probeRows, own));
      columns.addAll(
          isOuter
              ? Gather.columnsOrNulls(stream, build, buildRows, own)
              : Gather.columns(stream, build, buildRows, own));
      return Columns.table(stream, columns, probeRows.count(), own);
    }
  }

  /** The row of the build side that stands for the key of each row, or -1. */
  private DeviceArray<int[]> found(
      DeviceStream stream, DeviceTable probe, List<String> names, Temporaries temporaries) {
    if (isClosed) {
      throw new IllegalStateException("the join by " + keys.names() + " is closed");
    }
    KeyColumns columns = keys.probe(stream, probe, names, temporaries);
    DeviceArray<int[]> representatives = temporaries.array(int[].class, columns.rows());
    GroupKernelsLauncher.on(stream)
        .findGroups(
            columns.keys(),
            keys.keys(),
            groups.owners(),
            groups.mask(),
            representatives,
            columns.rows());
    return representatives;
  }

  /** The group of each row, or -1. */
  private DeviceArray<int[]> groupsOf(
      DeviceStream stream, DeviceTable probe, List<String> names, Temporaries temporaries) {
    DeviceArray<int[]> representatives = found(stream, probe, names, temporaries);
    int n = Math.toIntExact(representatives.length());
    DeviceArray<int[]> numbers = temporaries.array(int[].class, n);
    GroupKernelsLauncher.on(stream).lookUpGroups(representatives, groups.numbers(), numbers, n);
    return numbers;
  }

  @Override
  public void close() {
    isClosed = true;
    arrays.close();
  }
}
