package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.PinnedArray;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/** {@code SIMULATION.md} lists the driver calls of each operation. */
final class DriverCallsTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final List<String> rows = new ArrayList<>();

  /** Adds a row with the calls that an action makes. */
  private void measure(String operation, Runnable action) {
    long[] before = counts();
    action.run();
    long[] after = counts();
    StringJoiner calls = new StringJoiner(", ");
    calls.setEmptyValue("none");
    for (DriverCall call : DriverCall.values()) {
      long made = after[call.ordinal()] - before[call.ordinal()];
      if (made > 0) {
        calls.add("`" + call + "`" + (made > 1 ? " × " + made : ""));
      }
    }
    rows.add("| " + operation + " | " + calls + " |");
  }

  private long[] counts() {
    long[] counts = new long[DriverCall.values().length];
    for (DriverCall call : DriverCall.values()) {
      counts[call.ordinal()] = device.calls(call);
    }
    return counts;
  }

  private void measureEverything() {
    DeviceRuntime[] opened = new DeviceRuntime[1];
    measure("opening a runtime", () -> opened[0] = DeviceRuntime.simulated(device));
    DeviceRuntime gpu = opened[0];
    DeviceStream[] streams = new DeviceStream[1];
    measure("`streams().acquire()`, a new stream", () -> streams[0] = gpu.streams().acquire());
    DeviceStream stream = streams[0];
    DeviceArray<int[]> x = gpu.memory().allocate(stream, int[].class, N);
    measure("the first upload of a runtime", () -> x.upload(stream, new int[N]));
    VectorKernels[] kernels = new VectorKernels[1];
    measure(
        "the first launcher of an interface with six kernels",
        () -> kernels[0] = VectorKernels.on(stream));
    measure("another launcher of that interface", () -> VectorKernels.on(stream));
    List<DeviceArray<int[]>> made = new ArrayList<>();
    measure(
        "`memory().allocate(…)`", () -> made.add(gpu.memory().allocate(stream, int[].class, N)));
    device.failCall(DriverCall.ALLOCATE_ASYNC, 1, ResultCode.OUT_OF_MEMORY);
    measure(
        "the same, after `failCall(DriverCall.ALLOCATE_ASYNC, 1, 2)`: succeeds",
        () -> made.add(gpu.memory().allocate(stream, int[].class, N)));
    device.failCall(DriverCall.ALLOCATE_ASYNC, 1, ResultCode.OUT_OF_MEMORY);
    device.failCall(DriverCall.ALLOCATE_ASYNC, 2, ResultCode.OUT_OF_MEMORY);
    measure(
        "the same, after `failCall` of the first and the second: `OutOfMemoryBudgetException`",
        () ->
            assertThrows(
                OutOfMemoryBudgetException.class,
                () -> gpu.memory().allocate(stream, int[].class, N)));
    measure(
        "`memory().allocateZeroed(…)`",
        () -> made.add(gpu.memory().allocateZeroed(stream, int[].class, N)));
    measure("`memory().upload(…)`", () -> made.add(gpu.memory().upload(stream, new int[N])));
    DeviceArray<int[]> y = made.get(0);
    measure("`upload(…)` of an array", () -> x.upload(stream, new int[N]));
    measure("`download(…)`", () -> x.download(stream));
    x.downloadLater(stream).value();
    measure("`downloadLater(…)` and its `value()`", () -> x.downloadLater(stream).value());
    measure("`fill(…)` of 32-bit elements", () -> x.fill(stream, 1));
    measure("`copyFrom(…)`", () -> y.copyFrom(stream, x));
    measure("a launch", () -> kernels[0].increment(x, N));
    Completion[] completion = new Completion[1];
    measure(
        "`submit(…)`",
        () ->
            completion[0] =
                stream.submit("call", uses -> uses.reads(x), call -> call.streamHandle()));
    measure("`isDone()` of its completion", () -> completion[0].isDone());
    measure("`synchronize()` of a stream", stream::synchronize);
    measure("`close()` of an array", y::close);
    measure("`memory().reap()`", () -> gpu.memory().reap());
    List<PinnedArray<int[]>> pinned = new ArrayList<>();
    measure("`memory().pinned(…)`", () -> pinned.add(gpu.memory().pinned(int[].class, N)));
    measure("`upload(…)` from a pinned array", () -> x.upload(stream, pinned.get(0)));
    measure("`download(…)` to a pinned array", () -> x.download(stream, pinned.get(0)));
    measure("`mapped()` of a pinned array", () -> pinned.get(0).mapped());
    measure("`close()` of a pinned array", () -> pinned.get(0).close());
    SimulatedLibrary library = device.library("torch");
    long theirs = library.createStream();
    ForeignMemory foreign =
        ForeignMemory.at(library.allocate(N * Integer.BYTES), N * Integer.BYTES);
    List<DeviceArray<int[]>> adopted = new ArrayList<>();
    measure(
        "`memory().adopt(…)`, `alreadyReady()`",
        () -> adopted.add(gpu.memory().adopt(stream, foreign.alreadyReady(), int[].class)));
    adopted.get(0).close();
    measure(
        "`memory().adopt(…)`, `readyAfterStream(…)`",
        () ->
            adopted.add(gpu.memory().adopt(stream, foreign.readyAfterStream(theirs), int[].class)));
    adopted.get(1).close();
    measure("`streams().adopt(…)`", () -> gpu.streams().adopt(theirs).close());
    try (DeviceStream other = gpu.streams().acquire()) {
      VectorKernels onOther = VectorKernels.on(other);
      onOther.increment(x, N);
      kernels[0].increment(x, N);
      measure("a launch while two streams are in use", () -> kernels[0].increment(x, N));
      measure("a launch that uses what the other stream used last", () -> onOther.increment(x, N));
      device.failCall(DriverCall.RECORD_EVENT, 1, ResultCode.INVALID_VALUE);
      measure(
          "a launch, after `failCall(DriverCall.RECORD_EVENT, 1, 1)`: succeeds",
          () -> onOther.increment(x, N));
      measure("`synchronize()` of the runtime, two streams in use", gpu::synchronize);
    }
    gpu.close();
  }

  @Test
  void thePageListsTheCallsOfEachOperation() throws IOException {
    measureEverything();
    List<String> page = Files.readAllLines(Path.of("../SIMULATION.md"));
    int header = page.indexOf("| operation | driver calls |");
    assertThat(header).as("the table in SIMULATION.md").isNotNegative();
    List<String> listed =
        page.subList(header + 2, page.size()).stream().takeWhile(line -> !line.isEmpty()).toList();
    assertThat(listed).containsExactlyElementsOf(rows);
  }
}
