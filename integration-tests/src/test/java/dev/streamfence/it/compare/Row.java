package dev.streamfence.it.compare;

import static dev.streamfence.it.compare.Unit.BYTES;
import static dev.streamfence.it.compare.Unit.CALLS;
import static dev.streamfence.it.compare.Unit.NANOSECONDS;
import static dev.streamfence.it.compare.Unit.PER_SECOND;

import java.util.List;

/**
 * One line of the table.
 *
 * @param id what the opponents know it by
 * @param title what the table calls it
 */
record Row(String id, String title, Unit unit) {
  /** All of them, in the order of the table. */
  static final List<Row> ALL =
      List.of(
          new Row("recorder-1", "the recorder alone, 1 array", NANOSECONDS),
          new Row("recorder-4", "the recorder alone, 4 arrays", NANOSECONDS),
          new Row("recorder-16", "the recorder alone, 16 arrays", NANOSECONDS),
          new Row("recorder-1-cold", "the recorder alone, 1 array, caches evicted", NANOSECONDS),
          new Row("recorder-4-cold", "the recorder alone, 4 arrays, caches evicted", NANOSECONDS),
          new Row("recorder-16-cold", "the recorder alone, 16 arrays, caches evicted", NANOSECONDS),
          new Row("recorder-table", "the recorder alone, a table of 16 arrays", NANOSECONDS),
          new Row("recorder-graph", "a graph of 64 nodes and 16 arrays, no driver", NANOSECONDS),
          new Row("recorder-allocate", "allocate + close, no driver", NANOSECONDS),
          new Row("driver-context", "`cuCtxSetCurrent` alone", NANOSECONDS),
          new Row("driver-launch", "`cuCtxSetCurrent` and `cuLaunchKernel` alone", NANOSECONDS),
          new Row("launch-one-stream", "launch, 4 arrays and 2 numbers, one stream", NANOSECONDS),
          new Row("launch-two-streams", "launch, 4 arrays, two streams in use", NANOSECONDS),
          new Row("launch-ping-pong", "launch, 4 arrays, two streams in turns", NANOSECONDS),
          new Row("launch-16-arrays", "launch, 16 arrays as parameters", NANOSECONDS),
          new Row("launch-table", "launch, a table of 16 arrays that stays", NANOSECONDS),
          new Row("launch-new-table", "launch, a new table of 16 arrays", NANOSECONDS),
          new Row("launch-bytes", "Java heap per launch, 4 arrays", BYTES),
          new Row("numbers-checked", "launch, 4 arrays, numbers that change", NANOSECONDS),
          new Row("numbers-unchecked", "numbers that change, no checks of bounds", NANOSECONDS),
          new Row("observed-by-recording", "launch under Flight Recorder", NANOSECONDS),
          new Row("observed-by-trace", "launch under a trace", NANOSECONDS),
          new Row(
              "observed-by-trace-with-times",
              "launch under a trace with device times",
              NANOSECONDS),
          new Row("graph-64", "a graph of 64 launches, host time", NANOSECONDS),
          new Row("graph-64-run", "a graph of 64 launches, until it is done", NANOSECONDS),
          new Row("graph-64-bound", "the same, with another array in 4 launches", NANOSECONDS),
          new Row("graph-64-change", "of that, the change of the 4 launches", NANOSECONDS),
          new Row("graph-diamond", "a graph of two long launches side by side", NANOSECONDS),
          new Row("graph-bytes", "Java heap per launch of a graph", BYTES),
          new Row(
              "threads-driver", "`cuCtxSetCurrent` and `cuLaunchKernel` of 8 threads", PER_SECOND),
          new Row("threads-own", "launches of 8 threads, own arrays", PER_SECOND),
          new Row("threads-shared-1", "launches of 8 threads, 1 shared array is read", PER_SECOND),
          new Row(
              "threads-shared-15", "launches of 8 threads, 15 shared arrays are read", PER_SECOND),
          new Row("allocate-1-MiB", "allocate + close 1 MiB", NANOSECONDS),
          new Row("allocate-1-GiB", "allocate + close 1 GiB", NANOSECONDS),
          new Row(
              "allocate-1-MiB-synchronized", "allocate + close 1 MiB, synchronised", NANOSECONDS),
          new Row(
              "allocate-1-GiB-synchronized", "allocate + close 1 GiB, synchronised", NANOSECONDS),
          new Row("driver-pool-1-MiB", "allocate + close 1 MiB, driver's pool", NANOSECONDS),
          new Row("driver-pool-1-MiB-synchronized", "the driver's pool, synchronised", NANOSECONDS),
          new Row("reuse", "launch on memory freed on another stream", NANOSECONDS),
          new Row("reuse-calls", "driver calls for memory freed on another stream", CALLS),
          new Row("live-1000-launch", "launch, 1,000 arrays live", NANOSECONDS),
          new Row("live-1000000-launch", "launch, 1,000,000 arrays live", NANOSECONDS),
          new Row("live-1000-allocate", "allocate + close, 1,000 arrays live", NANOSECONDS),
          new Row("live-1000000-allocate", "allocate + close, 1,000,000 arrays live", NANOSECONDS),
          new Row("cold-start-checked", "process start to first launch, 30 kernels", NANOSECONDS),
          new Row(
              "cold-start-unchecked",
              "process start to first launch, no checks of bounds",
              NANOSECONDS),
          new Row(
              "cold-start-archived",
              "process start to first launch, from an archive of classes",
              NANOSECONDS),
          new Row("pageable-up-1-MiB", "1 MiB up from pageable memory", NANOSECONDS),
          new Row("pageable-down-1-MiB", "1 MiB down to pageable memory", NANOSECONDS),
          new Row("pageable-up-16-MiB", "16 MiB up from pageable memory", NANOSECONDS),
          new Row("pageable-down-16-MiB", "16 MiB down to pageable memory", NANOSECONDS),
          new Row("pageable-up-1024-MiB", "1 GiB up from pageable memory", NANOSECONDS),
          new Row("pageable-down-1024-MiB", "1 GiB down to pageable memory", NANOSECONDS),
          new Row("host-copy-1024-MiB", "1 GiB copied by 8 threads of the host", NANOSECONDS),
          new Row("pinned-up-1-MiB", "1 MiB up from pinned memory", NANOSECONDS),
          new Row("pinned-down-1-MiB", "1 MiB down to pinned memory", NANOSECONDS),
          new Row("pinned-up-1024-MiB", "1 GiB up from pinned memory", NANOSECONDS),
          new Row("pinned-down-1024-MiB", "1 GiB down to pinned memory", NANOSECONDS),
          new Row("peer-copy-1-MiB", "1 MiB to another device", NANOSECONDS),
          new Row("peer-copy-1024-MiB", "1 GiB to another device", NANOSECONDS),
          new Row("one-int-down", "one `int` to the host", NANOSECONDS),
          new Row("arrow-up", "Arrow table of 1 GiB up", NANOSECONDS),
          new Row("arrow-down", "Arrow table of 1 GiB down, new vectors", NANOSECONDS),
          new Row(
              "arrow-down-again",
              "Arrow table of 1 GiB down, vectors of the caller, warm",
              NANOSECONDS));
}
