package dev.streamfence.examples.e05_any_columns;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Filters a table of any number of columns. How many rows pass is known only on the device, so the
 * count comes first, and then that many rows of each column: as stages, while the caller goes on.
 */
public final class AnyColumns {
  private AnyColumns() {}

  /** Prints the three rows that pass, column by column. */
  public static void main(String[] arguments) {
    int[][] table = {{3, 9, 1, 7, 5}, {30, 90, 10, 70, 50}, {300, 900, 100, 700, 500}};
    try (DeviceRuntime device =
            DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire()) {
      CompletionStage<List<int[]>> rows = atLeast(stream, table, 5);
      System.out.println("queued");
      rows.toCompletableFuture().join().forEach(each -> System.out.println(Arrays.toString(each)));
    }
  }

  /**
   * Returns the rows whose value in the first column is at least {@code least}, column by column
   * and in any order. Does not wait for the device.
   */
  static CompletionStage<List<int[]>> atLeast(DeviceStream stream, int[][] table, int least) {
    int rows = table[0].length;
    List<DeviceArray<int[]>> arrays = new ArrayList<>();
    try {
      List<DeviceArray<int[]>> columns = new ArrayList<>();
      List<DeviceArray<int[]>> kept = new ArrayList<>();
      for (int[] column : table) {
        columns.add(keep(arrays, stream.runtime().memory().upload(stream, column)));
        kept.add(keep(arrays, stream.runtime().memory().allocate(stream, int[].class, rows)));
      }
      DeviceArray<int[]> count =
          keep(arrays, stream.runtime().memory().allocateZeroed(stream, int[].class, 1));

      ColumnKernelsLauncher.on(stream)
          .keepRows(columns.get(0), least, columns, kept, columns.size(), count, rows);

      return count
          .downloadLater(stream)
          .valueStage()
          .thenComposeAsync(passed -> firstRows(stream, kept, passed[0]))
          .whenComplete((result, failure) -> arrays.forEach(DeviceArray::close));
    } catch (RuntimeException | Error e) {
      arrays.forEach(DeviceArray::close);
      throw e;
    }
  }

  /** Begins to download the first rows of each column; completes when all are here. */
  private static CompletionStage<List<int[]>> firstRows(
      DeviceStream stream, List<DeviceArray<int[]>> columns, int rows) {
    List<Download<int[]>> downloads =
        columns.stream().map(column -> column.downloadLater(stream, 0, rows)).toList();
    CompletableFuture<?>[] all =
        downloads.stream()
            .map(download -> download.valueStage().toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(all)
        .thenApply(done -> downloads.stream().map(Download::value).toList());
  }

  private static DeviceArray<int[]> keep(List<DeviceArray<int[]>> all, DeviceArray<int[]> array) {
    all.add(array);
    return array;
  }
}
