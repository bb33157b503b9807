package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A runtime whose driver may fail, with the objects that a scenario has opened on it. Every
 * operation goes through {@link #op}, which checks the error of a failed operation and repeats the
 * operation, as its contract allows. Used by one thread at a time.
 */
final class FailureWorld {
  /** Ends a scenario: the device is lost, or an operation has failed too often. */
  static final class Over extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A Java error that a test has planned. */
  static final class PlannedError extends VirtualMachineError {
    private static final long serialVersionUID = 1L;

    PlannedError(String message) {
      super(message);
    }
  }

  /**
   * Small, since each run makes chunks of its own, and clearing them would take most of its time.
   */
  static final int CHUNK_BYTES = 16 << 10;

  private static final KernelImage OTHER =
      KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream);
  private static final Set<String> FUNCTIONS =
      Arrays.stream(DriverCall.values()).map(DriverCall::function).collect(Collectors.toSet());

  private final List<SimulatedDevice> machine;
  final SimulatedDevice device;
  final DeviceRuntime gpu;
  final List<DeviceArray<?>> arrays = new ArrayList<>();
  final List<DeviceStream> streams = new ArrayList<>();
  final List<LaunchRecorder> recorders = new ArrayList<>();
  final List<KernelGraph> graphs = new ArrayList<>();
  final List<SpillableArray<int[]>> spillables = new ArrayList<>();
  private final Set<Integer> codes;
  private final long callsAtOpening;
  private final int retries;
  private final Executor other;

  /** How many operations have failed. */
  int failures;

  /**
   * Opens the first device of a machine.
   *
   * @param codes the errors that are planned
   * @param retries how often an operation may be repeated: the number of errors that are planned
   * @param other a second thread
   */
  FailureWorld(
      List<SimulatedDevice> machine,
      RuntimeOptions options,
      Set<Integer> codes,
      int retries,
      Executor other) {
    this(machine, options, codes, retries, other, driver -> driver);
  }

  /**
   * Opens the first device of a machine.
   *
   * @param disturbance stands between the runtime and that device
   */
  FailureWorld(
      List<SimulatedDevice> machine,
      RuntimeOptions options,
      Set<Integer> codes,
      int retries,
      Executor other,
      UnaryOperator<CudaDriver> disturbance) {
    this.machine = machine;
    this.device = machine.get(0);
    this.gpu =
        Opening.of(disturbance.apply(Inside.open(device)), true, options)
            .withCopies(pool -> new DeviceCopies(pool, CHUNK_BYTES, 1))
            .open();
    this.codes = codes;
    this.retries = retries;
    this.other = other;
    device.collectFindings();
    this.callsAtOpening = device.calls();
  }

  /** Driver calls since the runtime was opened. */
  long calls() {
    return device.calls() - callsAtOpening;
  }

  /** The second device, whose calls do not fail. */
  DeviceRuntime openPeer() {
    return DeviceRuntime.simulated(machine.get(1));
  }

  DeviceStream stream() {
    DeviceStream stream = op("acquiring a stream", () -> gpu.streams().acquire());
    streams.add(stream);
    return stream;
  }

  DeviceArray<int[]> upload(DeviceStream stream, int... values) {
    return make("uploading", () -> gpu.memory().upload(stream, values));
  }

  DeviceArray<int[]> allocate(DeviceStream stream, int length) {
    return make("allocating", () -> gpu.memory().allocate(stream, int[].class, length));
  }

  /** An operation that makes an array, which is closed at the end. */
  <A> DeviceArray<A> make(String what, Supplier<DeviceArray<A>> operation) {
    DeviceArray<A> array = op(what, operation);
    arrays.add(array);
    return array;
  }

  SpillableArray<int[]> spillable(DeviceStream stream, int... values) {
    SpillableArray<int[]> array =
        op("uploading", () -> gpu.memory().spillable(gpu.memory().upload(stream, values)));
    spillables.add(array);
    return array;
  }

  void holds(SpillableArray<int[]> array, DeviceStream stream, int... values) {
    try (SpillableArray.Use<int[]> use = op("bringing back", () -> array.use(stream))) {
      holds(use.array(), stream, values);
    }
  }

  LaunchRecorder recorder(DeviceStream stream, KernelImage image, FailureKernel kernel) {
    LaunchRecorder recorder =
        op("loading " + kernel, () -> LoadedModule.of(stream, image).recorder(kernel.signature()));
    recorders.add(recorder);
    return recorder;
  }

  void holds(DeviceArray<int[]> array, DeviceStream stream, int... values) {
    assertThat(op("downloading", () -> array.download(stream))).containsExactly(values);
  }

  /** An operation in another thread, waited for. */
  void elsewhere(String what, Runnable operation) {
    run(what, () -> inOtherThread(operation));
  }

  void inOtherThread(Runnable operation) {
    try {
      CompletableFuture.runAsync(operation, other).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof PlannedError planned) {
        throw planned;
      }
      throw e;
    }
  }

  void run(String what, Runnable operation) {
    op(
        what,
        () -> {
          operation.run();
          return true;
        });
  }

  /** Carries out one operation, and again when it fails and the device is not lost. */
  <T> T op(String what, Supplier<T> operation) {
    for (int attempt = 0; ; attempt++) {
      try {
        return operation.get();
      } catch (CudaDriverException | OutOfMemoryBudgetException e) {
        failures++;
        requireDocumented(what, e);
        if (isLost()) {
          throw new Over();
        }
        if (attempt >= retries) {
          throw new AssertionError(what + " fails when it is repeated", e);
        }
      } catch (PlannedError e) {
        failures++;
        if (isLost()) {
          throw new Over();
        }
      }
    }
  }

  /** An operation that is finally refused because other code captures its stream. */
  void capturing(String what, Runnable operation) {
    Misuse refusal =
        op(
            what,
            () -> {
              try {
                operation.run();
                throw new AssertionError(what + " is not refused");
              } catch (StreamMisuseException e) {
                return e.kind();
              }
            });
    assertThat(refusal).as(what).isEqualTo(Misuse.CAPTURING);
  }

  /** Whether an operation is finally refused for lack of memory, and for no other reason. */
  void refused(String what, Supplier<DeviceArray<int[]>> operation) {
    boolean refused =
        op(
            what,
            () -> {
              try {
                arrays.add(operation.get());
                return false;
              } catch (OutOfMemoryBudgetException e) {
                return true;
              }
            });
    assertThat(refused).as("%s is refused", what).isTrue();
  }

  boolean isLost() {
    return Inside.of(gpu).sticky().error() != null;
  }

  void requireDocumented(String what, RuntimeException e) {
    if (e instanceof CudaDriverException error) {
      assertThat(error.call()).as(what).isIn(FUNCTIONS);
      assertThat(error.code()).as("%s: %s", what, error).isIn(codes);
      assertThat(error.codeName()).as(what).isNotEmpty();
      assertThat(error.purpose()).as("the purpose of %s in %s", error, what).isNotEmpty();
    } else {
      assertThat(e).as(what).isInstanceOf(OutOfMemoryBudgetException.class);
    }
  }

  /** Closes all open objects and checks that no bytes count any more. */
  void closeAll() {
    for (KernelGraph graph : graphs) {
      run("closing " + graph, graph::close);
    }
    for (DeviceArray<?> array : arrays) {
      run("closing " + array, array::close);
    }
    spillables.forEach(array -> run("closing " + array, array::close));
    run("synchronising", gpu::synchronize);
    while (op("reaping", () -> gpu.memory().reap()) > 0) {}
    requireNothingOutstanding();
    streams.forEach(stream -> run("closing " + stream, stream::close));
    streams.clear();
    // Their streams are closed, so that they refuse for another reason even if an error that was
    // met while bytes were returned is still to be told.
    recorders.clear();
    assertThat(gpu.streams().lent()).isZero();
  }

  /** Checks that a lost device refuses every operation with its error, without a driver call. */
  void requireFailsFast() {
    // Their page-locked memory is freed nevertheless.
    spillables.forEach(SpillableArray::close);
    long calls = device.calls();
    refusesAsLost(() -> gpu.streams().acquire());
    refusesAsLost(() -> gpu.streams().defaultStream());
    refusesAsLost(gpu::synchronize);
    for (DeviceStream stream : streams) {
      refusesAsLost(stream::synchronize);
      refusesAsLost(() -> gpu.memory().allocate(stream, int[].class, 1));
      refusesAsLost(() -> gpu.memory().upload(stream, new int[1]));
      refusesAsLost(() -> LoadedModule.of(stream, OTHER));
      for (DeviceArray<?> array : arrays) {
        if (array.isOpen()) {
          refusesAsLost(() -> array.download(stream));
          refusesAsLost(() -> array.copy(stream));
        }
      }
    }
    recorders.forEach(recorder -> refusesAsLost(recorder::begin));
    for (KernelGraph graph : graphs) {
      if (graph.isOpen() && !streams.isEmpty()) {
        refusesAsLost(() -> graph.launch(streams.get(0)));
      }
      graph.close();
    }
    arrays.forEach(DeviceArray::close);
    while (gpu.memory().reap() > 0) {}
    requireNothingOutstanding();
    streams.forEach(DeviceStream::close);
    assertThat(device.calls()).as("driver calls on a lost device").isEqualTo(calls);
  }

  private void refusesAsLost(Runnable operation) {
    Throwable thrown = catchThrowable(operation::run);
    assertThat(thrown).isInstanceOf(CudaDriverException.class);
    CudaDriverException refusal = (CudaDriverException) thrown;
    assertThat(refusal.code()).isIn(codes);
    assertThat(refusal.purpose()).isNotEmpty();
    assertThat(refusal).hasCause(Inside.of(gpu).sticky().error());
  }

  private void requireNothingOutstanding() {
    if (retries > 1) {
      // When an upload fails and then the free of what it allocated, nobody holds that array: it
      // is freed when the collector finds it, or with the runtime.
      return;
    }
    MemoryStatistics end = gpu.memory().statistics();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(end.liveBytes()).isZero();
    assertThat(end.pendingBytes()).isZero();
    assertThat(end.promisedBytes()).isZero();
    assertThat(end.guardViolations()).isZero();
  }
}
