package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Streams that other code captures. The simulated device refuses each call that a GPU would capture
 * or refuse, so an operation that succeeds has made none.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CapturedStreamTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary library = device.library("torch");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream own = gpu.streams().acquire();
  private final long handle = library.createStream();
  private final DeviceStream adopted = gpu.streams().adopt(handle);
  private final VectorKernels onAdopted = VectorKernels.on(adopted);
  private final DeviceArray<int[]> x = gpu.memory().upload(own, new int[] {1, 2, 3, 4});

  /** What an operation of this class does. */
  enum Operation {
    LAUNCH {
      @Override
      void run(CapturedStreamTest test) {
        test.onAdopted.increment(test.x, 4);
      }
    },
    GRAPH {
      @Override
      void run(CapturedStreamTest test) {
        test.graph.launch(test.adopted);
      }
    },
    UPLOAD {
      @Override
      void run(CapturedStreamTest test) {
        test.x.upload(test.adopted, new int[4]);
      }
    },
    DOWNLOAD {
      @Override
      void run(CapturedStreamTest test) {
        test.x.download(test.adopted);
      }
    },
    DOWNLOAD_LATER {
      @Override
      void run(CapturedStreamTest test) {
        test.x.downloadLater(test.adopted);
      }
    },
    FILL {
      @Override
      void run(CapturedStreamTest test) {
        test.x.fill(test.adopted, 0);
      }
    },
    COPY {
      @Override
      void run(CapturedStreamTest test) {
        test.x.copy(test.adopted);
      }
    },
    ALLOCATE {
      @Override
      void run(CapturedStreamTest test) {
        test.gpu.memory().allocate(test.adopted, int[].class, 4);
      }
    },
    CALL {
      @Override
      void run(CapturedStreamTest test) {
        test.adopted.submit("call", uses -> uses.readWrites(test.x), call -> {});
      }
    },
    SYNCHRONIZE {
      @Override
      void run(CapturedStreamTest test) {
        test.adopted.synchronize();
      }
    },
    SYNCHRONIZE_WITH_A_TIMEOUT {
      @Override
      void run(CapturedStreamTest test) throws InterruptedException {
        test.adopted.synchronize(Duration.ZERO);
      }
    },
    QUERY {
      @Override
      void run(CapturedStreamTest test) {
        test.adopted.isIdle();
      }
    },
    ADOPT_AGAIN {
      @Override
      void run(CapturedStreamTest test) {
        test.gpu.streams().adopt(test.handle);
      }
    },
    EXPORT {
      @Override
      void run(CapturedStreamTest test) {
        ExportedArray.of(test.x, "an export", true, OptionalLong.of(test.handle));
      }
    };

    abstract void run(CapturedStreamTest test) throws InterruptedException;
  }

  private final KernelGraph graph = gpu.graph("step", body -> onAdopted.increment(x, 4));

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void refused(ThrowingCallable operation) {
    assertThatThrownBy(operation)
        .satisfies(misuse(Misuse.CAPTURING))
        .hasMessageContaining("end the capture first, or record the work with DeviceRuntime.graph");
  }

  /** Driver calls besides the question, and besides memory of the host that later calls reuse. */
  private long callsButQuestions() {
    return device.calls()
        - device.calls(DriverCall.IS_CAPTURING)
        - device.calls(DriverCall.ALLOCATE_HOST);
  }

  @ParameterizedTest
  @EnumSource
  void anOperationIsRefusedUntilTheCaptureEnds(Operation operation) throws InterruptedException {
    onAdopted.increment(x, 4);
    library.beginCapture(handle);
    long calls = callsButQuestions();
    refused(() -> operation.run(this));
    assertThat(callsButQuestions()).isEqualTo(calls);
    // The device would report a race or a use that is registered and was never queued.
    VectorKernels.on(own).increment(x, 4);
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
    assertThat(library.endCapture(handle)).isZero();
    operation.run(this);
  }

  @ParameterizedTest
  @EnumSource
  void aQuestionThatFailsLeavesNothing(Operation operation) throws InterruptedException {
    device.failCall(DriverCall.IS_CAPTURING, 1, INVALID_VALUE);
    assertThatThrownBy(() -> operation.run(this))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.purpose()).isNotEmpty());
    assertThat(x.download(own)).containsExactly(1, 2, 3, 4);
    operation.run(this);
  }

  @Test
  void theRefusalNamesTheKernelAndTheStream() {
    library.beginCapture(handle);
    assertThatThrownBy(() -> onAdopted.increment(x, 4))
        .satisfies(misuse(Misuse.CAPTURING, "increment", ""))
        .hasMessageContaining("increment on stream " + adopted.id())
        .hasMessageContaining("while other code captures adopted stream " + adopted.id());
    library.endCapture(handle);
  }

  @Test
  void whatTheOwnerLaunchesIsCapturedMeanwhile() {
    library.beginCapture(handle);
    library.launch(handle, "theirs", memory -> {});
    refused(() -> onAdopted.increment(x, 4));
    assertThat(library.endCapture(handle)).isEqualTo(1);
  }

  @Test
  void differentStreamsAreCapturedAtTheSameTime() {
    long second = library.createStream();
    try (DeviceStream other = gpu.streams().adopt(second)) {
      VectorKernels onOther = VectorKernels.on(other);
      library.beginCapture(handle);
      library.beginCapture(second);
      refused(() -> onAdopted.increment(x, 4));
      library.endCapture(handle);
      onAdopted.increment(x, 4);
      refused(() -> onOther.increment(x, 4));
      library.endCapture(second);
      onOther.increment(x, 4);
    }
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void aStreamThatIsBeingCapturedIsNotAdopted() {
    long second = library.createStream();
    library.beginCapture(second);
    assertThatThrownBy(() -> gpu.streams().adopt(second))
        .satisfies(misuse(Misuse.CAPTURING))
        .hasMessageContaining("adopting stream 0x" + Long.toHexString(second));
    library.endCapture(second);
    gpu.streams().adopt(second).close();
  }

  @Test
  void otherStreamsGoOnWithItsMemory() {
    onAdopted.increment(x, 4);
    library.beginCapture(handle);
    VectorKernels.on(own).increment(x, 4);
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
    library.endCapture(handle);
  }

  @Test
  void otherStreamsGoOnWithMemoryThatWasAllocatedOnIt() {
    DeviceArray<int[]> fresh = gpu.memory().allocate(adopted, int[].class, 4);
    library.beginCapture(handle);
    fresh.upload(own, new int[] {1, 2, 3, 4});
    assertThat(fresh.download(own)).containsExactly(1, 2, 3, 4);
    library.endCapture(handle);
  }

  @Test
  void anArrayThatWasUsedLastOnItIsFreedMeanwhile() {
    onAdopted.increment(x, 4);
    graph.close();
    library.beginCapture(handle);
    x.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    library.endCapture(handle);
  }

  @Test
  void anArrayIsFreedElsewhereIfACaptureBeginsWhileItIsClosed() {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary theirs = second.library("torch");
    Runnable[] afterQuestion = {() -> {}};
    DeviceRuntime other =
        RuntimeOverDriver.open(
            InterceptedDriver.of(
                Inside.open(second),
                (method, call) -> {
                  Object answer = call.proceed();
                  if (method.equals("isCapturing")) {
                    Runnable once = afterQuestion[0];
                    afterQuestion[0] = () -> {};
                    once.run();
                  }
                  return answer;
                }),
            RuntimeOptions.defaults());
    try (other) {
      long raw = theirs.createStream();
      DeviceArray<int[]> values =
          other.memory().upload(other.streams().adopt(raw), new int[] {1, 2});
      afterQuestion[0] = () -> theirs.beginCapture(raw);
      values.close();
      assertThat(second.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
      assertThat(theirs.endCapture(raw)).isZero();
    }
    assertThat(second.liveObjects()).isZero();
  }

  @Test
  void guardedAndCachedArraysAreFreedMeanwhile() {
    for (RuntimeOptions options :
        new RuntimeOptions[] {
          RuntimeOptions.defaults().withGuardMemory(true),
          RuntimeOptions.defaults().withCachingPool(true)
        }) {
      SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
      SimulatedLibrary theirs = second.library("torch");
      try (DeviceRuntime other = DeviceRuntime.simulated(second, options)) {
        long raw = theirs.createStream();
        DeviceStream captured = other.streams().adopt(raw);
        DeviceArray<int[]> values = other.memory().upload(captured, new int[] {1, 2, 3, 4});
        theirs.beginCapture(raw);
        values.close();
        other.synchronize();
        assertThat(other.memory().statistics().liveBytes()).isZero();
      }
      assertThat(second.liveObjects()).isZero();
    }
  }

  @Test
  void completionsOfWorkOnItAreSeenMeanwhile() {
    Completion before = adopted.submit("call", uses -> uses.readWrites(x), call -> {});
    library.beginCapture(handle);
    before.await();
    assertThat(before.isDone()).isTrue();
    library.endCapture(handle);
  }

  @Test
  void theRuntimeWaitsForItsOwnWorkThereAlone() {
    onAdopted.increment(x, 4);
    library.beginCapture(handle);
    gpu.synchronize();
    assertThat(gpu.health().state()).isEqualTo(DeviceHealth.State.HEALTHY);
    assertThat(library.endCapture(handle)).isZero();
  }

  @Test
  void theStreamIsGivenBackMeanwhile() {
    onAdopted.increment(x, 4);
    library.beginCapture(handle);
    adopted.close();
    VectorKernels.on(own).increment(x, 4);
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
    library.endCapture(handle);
  }

  @Test
  void theRuntimeIsClosedMeanwhile() {
    onAdopted.increment(x, 4);
    library.beginCapture(handle);
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aGraphMayNameTheStreamWhileItIsRecorded() {
    library.beginCapture(handle);
    try (KernelGraph recorded = gpu.graph("other", body -> onAdopted.increment(x, 4))) {
      recorded.launch(own);
    }
    library.endCapture(handle);
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  /** Their tables are written at once. */
  @Test
  void aGraphWithTablesMayNotNameTheStream() {
    TableKernels tables = TableKernels.on(adopted);
    library.beginCapture(handle);
    assertThatThrownBy(() -> gpu.graph("tables", body -> tables.bump(List.of(x), 4)))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("bump")
        .hasMessageContaining("while other code captures");
    library.endCapture(handle);
    try (KernelGraph recorded = gpu.graph("tables", body -> tables.bump(List.of(x), 4))) {
      recorded.launch(own);
      assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
    }
  }

  /** Runs come after the copies of its tables, for which the end of its code waits. */
  @Test
  void theCodeOfAGraphWithTablesDoesNotEndWhileTheStreamIsCaptured() {
    TableKernels tables = TableKernels.on(adopted);
    assertThatThrownBy(
            () ->
                gpu.graph(
                    "tables",
                    body -> {
                      tables.bump(List.of(x), 4);
                      library.beginCapture(handle);
                    }))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("the end of the code of graph 'tables'")
        .hasMessageContaining("while other code captures");
    library.endCapture(handle);
  }

  @Test
  void aUseThatConflictsWithTheStreamsExportIsRefused() {
    ExportedArray export = ExportedArray.of(x, "an export", true, OptionalLong.of(handle));
    VectorKernels.on(own).increment(x, 4);
    library.beginCapture(handle);
    assertThatThrownBy(() -> VectorKernels.on(own).increment(x, 4))
        .satisfies(misuse(Misuse.CAPTURING, "increment", ""))
        .hasMessageContaining("increment on stream 1")
        .hasMessageContaining("captures adopted stream " + adopted.id());
    library.endCapture(handle);
    VectorKernels.on(own).increment(x, 4);
    export.end();
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void anExportThatComesBackMeanwhileEndsWithTheCapture() throws InterruptedException {
    graph.close();
    ExportedArray export = ExportedArray.of(x, "an export", true, OptionalLong.of(handle));
    library.beginCapture(handle);
    export.end();
    x.close();
    Thread.sleep(5);
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    library.endCapture(handle);
    for (int i = 0; device.calls(DriverCall.FREE_ASYNC) == 0 && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void memoryThatAStreamBeingCapturedMakesReadyIsNotAdopted() {
    long theirs = library.createStream();
    long address = library.allocate(16);
    ForeignMemory memory = ForeignMemory.at(address, 16).named("tensor").readyAfterStream(theirs);
    library.beginCapture(theirs);
    assertThatThrownBy(() -> gpu.memory().adopt(own, memory, int[].class))
        .satisfies(misuse(Misuse.CAPTURING))
        .hasMessageContaining("tensor");
    library.endCapture(theirs);
    gpu.memory().adopt(own, memory, int[].class).close();
    library.free(address, theirs);
  }

  @Test
  void memoryIsReturnedToAStreamWhenItsCaptureHasEnded() throws InterruptedException {
    AtomicInteger released = new AtomicInteger();
    long theirs = library.createStream();
    long address = library.allocate(16);
    DeviceArray<int[]> tensor =
        gpu.memory()
            .adopt(
                own,
                ForeignMemory.at(address, 16)
                    .alreadyReady()
                    .returnedTo(theirs)
                    .releasedBy(released::incrementAndGet),
                int[].class);
    tensor.fill(own, 7);
    library.beginCapture(theirs);
    tensor.close();
    assertThat(released).hasValue(0);
    library.endCapture(theirs);
    gpu.synchronize();
    // By a thread of the runtime.
    for (int i = 0; released.get() == 0 && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(released).hasValue(1);
    library.free(address, theirs);
  }

  @Test
  void aCaptureThatACallLeavesOpenIsDiscardedAndNamed() {
    for (DeviceStream stream : new DeviceStream[] {own, adopted}) {
      assertThatThrownBy(
              () ->
                  stream.submit(
                      "gemm",
                      uses -> uses.readWrites(x),
                      call -> library.beginCapture(call.streamHandle())))
          .satisfies(misuse(Misuse.CAPTURING))
          .hasMessageContaining(
              "'gemm' on " + (stream == own ? "" : "adopted ") + "stream " + stream.id())
          .hasMessageContaining("end the capture in the same call");
      VectorKernels.on(stream).increment(x, 4);
    }
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void aCallThatThrowsInsideOfItsCaptureEndsItAndThrowsWhatTheCallThrew() {
    assertThatThrownBy(
            () ->
                own.submit(
                    "gemm",
                    uses -> uses.readWrites(x),
                    call -> {
                      library.beginCapture(call.streamHandle());
                      throw new IllegalArgumentException("theirs");
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("theirs")
        .satisfies(
            e -> assertThat(e.getSuppressed()).singleElement().satisfies(misuse(Misuse.CAPTURING)));
    VectorKernels.on(own).increment(x, 4);
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  @Test
  void onlyWorkOnAdoptedStreamsAsks() {
    VectorKernels onOwn = VectorKernels.on(own);
    onOwn.increment(x, 4);
    long questions = device.calls(DriverCall.IS_CAPTURING);
    onOwn.increment(x, 4);
    x.download(own);
    own.synchronize();
    assertThat(device.calls(DriverCall.IS_CAPTURING)).isEqualTo(questions);
    onAdopted.increment(x, 4);
    assertThat(device.calls(DriverCall.IS_CAPTURING)).isEqualTo(questions + 1);
  }
}
