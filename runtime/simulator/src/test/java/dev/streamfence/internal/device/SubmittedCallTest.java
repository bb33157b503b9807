package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.foreign.ForeignCall;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of code that is not the runtime's, tracked like launches. */
final class SubmittedCallTest {
  private static final int INVALID_VALUE = 1;
  private static final int ILLEGAL_ADDRESS = 700;

  private final SimulatedDevice device =
      SimulatedDevice.builder().schedule(Schedule.LAZY).checkUninitializedReads(true).build();
  private final SimulatedLibrary library = device.library("blas");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);
  private final DeviceArray<int[]> x = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
  private final DeviceArray<int[]> y = gpu.memory().allocate(a, int[].class, 4);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** What the library does: writes the doubles of four numbers. */
  private void twice(long stream, long from, long to) {
    library.launch(
        stream,
        "twice",
        memory -> {
          for (int i = 0; i < 4; i++) {
            memory.putInt(to + 4 * i, 2 * memory.getInt(from + 4 * i));
          }
        });
  }

  private Completion submitTwice(DeviceStream stream) {
    return stream.submit(
        "twice",
        uses -> uses.reads(x).writes(y),
        call -> twice(call.streamHandle(), call.address(x), call.address(y)));
  }

  @Test
  void theCallIsOrderedBetweenLaunchesOnOtherStreams() {
    onB.increment(x, 4);
    submitTwice(a);
    onB.increment(y, 4);
    onB.increment(x, 4);

    assertThat(y.download(b)).containsExactly(5, 7, 9, 11);
    assertThat(x.download(a)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void itsCompletionCoversTheWorkOfTheCallAlone() {
    Completion completion = submitTwice(a);
    onA.increment(y, 4);
    assertThat(completion.isDone()).isFalse();
    completion.await();
    assertThat(completion.isDone()).isTrue();
    assertThat(a.isIdle()).isFalse();
  }

  @Test
  void onOneStreamTheCallCostsOneEventAndNoWait() {
    submitTwice(a);
    long calls = device.calls();
    long events = device.calls(DriverCall.RECORD_EVENT);
    submitTwice(a);
    assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events + 1);
    assertThat(device.calls(DriverCall.MAKE_CURRENT)).isEqualTo(2);
    assertThat(device.calls()).as("one asks for a capture").isEqualTo(calls + 3);
  }

  @Test
  void usesAreDeclaredInAnyOrder() {
    a.submit(
        "twice",
        uses -> uses.writes(y).readWrites(y).reads(x),
        call -> twice(call.streamHandle(), call.address(x), call.address(y)));
    assertThat(y.download(b)).containsExactly(2, 4, 6, 8);
  }

  @Test
  void aUseThatIsNotDeclaredIsFound() {
    device.collectFindings();
    a.submit(
        "twice",
        uses -> uses.reads(x),
        call -> twice(call.streamHandle(), call.address(x), Inside.allocation(y).address()));
    assertThat(device.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(RacyAccessException.Kind.UNDECLARED_ALLOCATION);
              assertThat(finding.toString())
                  .contains("twice of library blas in 'twice' on stream " + a.id());
            });
  }

  @Test
  void aWriteThatIsDeclaredAsAReadIsFound() {
    device.collectFindings();
    onA.increment(x, 4);
    a.submit(
        "twice",
        uses -> uses.reads(x).reads(y),
        call -> twice(call.streamHandle(), call.address(x), call.address(y)));
    assertThat(device.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(RacyAccessException.Kind.UNDECLARED_WRITE);
              assertThat(finding.second().argument()).isEqualTo(y.toString());
              assertThat(finding.toString())
                  .startsWith(
                      "twice of library blas in 'twice' on stream 1 (ticket 5), "
                          + y
                          + ", stores to 16 bytes");
            });
  }

  @Test
  void workOnAnotherStreamThanTheCallsIsFoundAsARace() {
    long theirs = library.createStream();
    device.collectFindings();
    onA.increment(x, 4);
    a.submit(
        "twice",
        uses -> uses.reads(x).writes(y),
        call -> twice(theirs, call.address(x), call.address(y)));
    assertThat(y.download(b)).hasSize(4);
    assertThat(device.findings())
        .extracting(RacyAccessException.Finding::kind)
        .contains(RacyAccessException.Kind.WRITE_READ);
    library.destroyStream(theirs);
  }

  @Test
  void workOnAnotherStreamThatTheCallWaitsForIsInOrder() {
    long theirs = library.createStream();
    long begun = library.createEvent();
    long done = library.createEvent();
    onB.increment(x, 4);
    a.submit(
        "twice",
        uses -> uses.reads(x).writes(y),
        call -> {
          library.recordEvent(begun, call.streamHandle());
          library.waitForEvent(theirs, begun);
          twice(theirs, call.address(x), call.address(y));
          library.recordEvent(done, theirs);
          library.waitForEvent(call.streamHandle(), done);
        });
    assertThat(y.download(b)).containsExactly(4, 6, 8, 10);
    assertThat(library.isDone(done)).isTrue();
    library.destroyEvent(begun);
    library.destroyEvent(done);
    library.destroyStream(theirs);
  }

  @Test
  void anAddressThatIsKeptAndUsedAfterTheFreeIsFound() {
    device.collectFindings();
    AtomicReference<Long> kept = new AtomicReference<>();
    a.submit("peek", uses -> uses.reads(x), call -> kept.set(call.address(x)));
    x.close();
    a.synchronize();
    long theirs = library.createStream();
    library.launch(theirs, "late", memory -> memory.getInt(kept.get()));
    library.synchronize(theirs);
    assertThat(device.findings())
        .extracting(RacyAccessException.Finding::kind)
        .contains(RacyAccessException.Kind.USE_AFTER_FREE);
    library.destroyStream(theirs);
  }

  @Test
  void handlesAreGivenInsideOfTheCallAlone() {
    AtomicReference<ForeignCall> keptCall = new AtomicReference<>();
    AtomicReference<ForeignUses> keptUses = new AtomicReference<>();
    a.submit(
        "peek",
        uses -> {
          keptUses.set(uses.reads(x));
          assertThatThrownBy(((ForeignCall) uses)::streamHandle)
              .satisfies(misuse(Misuse.OUT_OF_SCOPE))
              .hasMessageContaining("'peek' on stream " + a.id());
        },
        call -> {
          keptCall.set(call);
          assertThat(call.device()).isZero();
          assertThatThrownBy(() -> call.address(y))
              .satisfies(misuse(Misuse.UNTRACKED))
              .hasMessageContaining("'peek'")
              .hasMessageContaining("which it does not declare as used");
          assertThatThrownBy(() -> keptUses.get().reads(y))
              .isInstanceOf(StreamMisuseException.class);
        });
    assertThatThrownBy(keptCall.get()::streamHandle).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> keptCall.get().address(x)).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> keptUses.get().reads(x)).isInstanceOf(StreamMisuseException.class);
  }

  @Test
  void aCallThatThrowsStaysAUseOfItsArrays() {
    IOException failure = new IOException("no license");
    assertThatThrownBy(
            () ->
                a.submit(
                    "twice",
                    uses -> uses.reads(x).writes(y),
                    call -> {
                      twice(call.streamHandle(), call.address(x), call.address(y));
                      throw failure;
                    }))
        .isSameAs(failure);
    onB.increment(y, 4);
    assertThat(y.download(b)).containsExactly(3, 5, 7, 9);
    assertThat(gpu.statistics().abandonedLaunches()).isZero();
  }

  @Test
  void aRefusedUseKeepsTheCodeFromRunning() {
    long calls = device.calls();
    y.close();
    long freed = device.calls() - calls;
    assertThatThrownBy(
            () ->
                a.submit(
                    "twice",
                    uses -> uses.reads(x).writes(y),
                    call -> {
                      throw new AssertionError("the code ran");
                    }))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("'twice' on stream " + a.id() + ": use 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> a.submit("nothing", uses -> uses.reads(null), call -> {}))
        .withMessageContaining("'nothing' on stream " + a.id() + ": use 1 is null");
    assertThat(device.calls() - calls).isEqualTo(freed);
    onA.increment(x, 4);
    assertThat(x.download(a)).containsExactly(2, 3, 4, 5);
  }

  @Test
  void aDeclarationThatThrowsLeavesNothingBehind() {
    long calls = device.calls();
    assertThatThrownBy(
            () ->
                a.submit(
                    "twice",
                    uses -> {
                      uses.reads(x);
                      throw new IllegalStateException("undecided");
                    },
                    call -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("undecided");
    assertThat(device.calls()).isEqualTo(calls);
    submitTwice(a);
    assertThat(y.download(b)).containsExactly(2, 4, 6, 8);
  }

  @Test
  void nothingElseIsSubmittedInsideOfTheCall() {
    a.submit(
        "outer",
        uses -> uses.reads(x),
        call -> {
          assertThatThrownBy(() -> onB.increment(y, 4))
              .satisfies(misuse(Misuse.INSIDE_LAUNCH))
              .hasMessageContaining("'outer' on stream " + a.id());
          assertThatThrownBy(() -> submitTwice(b)).isInstanceOf(StreamMisuseException.class);
          assertThatThrownBy(() -> x.download(b)).isInstanceOf(StreamMisuseException.class);
          assertThatThrownBy(gpu::close).isInstanceOf(StreamMisuseException.class);
        });
  }

  @Test
  void anArrayThatIsClosedInsideOfTheCallIsFreedAfterIt() {
    a.submit(
        "twice",
        uses -> uses.reads(x).writes(y),
        call -> {
          twice(call.streamHandle(), call.address(x), call.address(y));
          y.close();
          twice(call.streamHandle(), call.address(x), call.address(y));
        });
    assertThat(y.isOpen()).isFalse();
    gpu.synchronize();
    assertThat(gpu.memory().reap()).isPositive();
  }

  @Test
  void anEmptyArrayHasTheNullAddress() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(a, int[].class, 0)) {
      a.submit(
          "nothing",
          uses -> uses.readWrites(empty).reads(x),
          call -> {
            assertThat(call.address(empty)).isZero();
            assertThat(call.address(x)).isEqualTo(Inside.allocation(x).address());
          });
    }
  }

  @Test
  void anArrayOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream theirs = other.streams().acquire()) {
      assertThatThrownBy(() -> theirs.submit("peek", uses -> uses.reads(x), call -> {}))
          .satisfies(misuse(Misuse.OTHER_RUNTIME))
          .hasMessageStartingWith("'peek' on stream 1: use 1 is ")
          .hasMessageContaining("has no peer access; copyTo brings");
    }
  }

  @Test
  void theAddressOfARefusedUseIsNotGivenEvenIfTheRefusalIsCaught() {
    DeviceArray<int[]> closed = gpu.memory().allocate(a, int[].class, 0);
    closed.close();
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream theirs = other.streams().acquire();
        DeviceArray<int[]> foreign = other.memory().upload(theirs, new int[] {1})) {
      List<DeviceArray<int[]>> refused = List.of(closed, foreign);
      a.submit(
          "peek",
          uses -> {
            uses.reads(x);
            refused.forEach(
                array ->
                    assertThatThrownBy(() -> uses.readWrites(array))
                        .isInstanceOf(DeviceException.class));
          },
          call -> {
            assertThat(call.address(x)).isEqualTo(Inside.allocation(x).address());
            refused.forEach(
                array ->
                    assertThatThrownBy(() -> call.address(array))
                        .satisfies(misuse(Misuse.UNTRACKED)));
          });
    }
  }

  @Test
  void aFaultOfTheCallIsAttributedByItsName() {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary theirs = second.library("blas");
    try (DeviceRuntime other = DeviceRuntime.simulated(second);
        DeviceStream stream = other.streams().acquire()) {
      stream.submit(
          "wild",
          uses -> {},
          call -> theirs.launch(call.streamHandle(), "stray", memory -> memory.getInt(8)));
      assertThatThrownBy(stream::synchronize)
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ILLEGAL_ADDRESS);
                assertThat(e.getMessage()).contains("stray of library blas in 'wild' on stream 1");
              });
    }
  }

  @Test
  void withSynchronousLaunchesTheCallItselfThrowsItsFault() {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary theirs = second.library("blas");
    try (DeviceRuntime strict =
            DeviceRuntime.simulated(
                second, RuntimeOptions.defaults().withSynchronousLaunches(true));
        DeviceStream stream = strict.streams().acquire()) {
      assertThatThrownBy(
              () ->
                  stream.submit(
                      "wild",
                      uses -> {},
                      call ->
                          theirs.launch(call.streamHandle(), "stray", memory -> memory.getInt(8))))
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("'wild'");
    }
  }

  @Test
  void everyFailingDriverCallLeavesTheArraysProtected() {
    submitTwice(b);
    onB.increment(x, 4);
    long before = device.calls();
    submitTwice(a);
    long calls = device.calls() - before;
    assertThat(calls).isEqualTo(4);
    int refusals = 0;
    for (int nth = 1; nth <= calls; nth++) {
      onB.increment(x, 4);
      device.failCall(nth, INVALID_VALUE);
      try {
        submitTwice(a);
      } catch (CudaDriverException e) {
        assertThat(e.getMessage()).contains("'twice' on stream " + a.id());
        refusals++;
      }
      onB.increment(y, 4);
    }
    assertThat(refusals).as("of all but the event, which a wait on the host replaces").isEqualTo(3);
    assertThat(x.download(a)).containsExactly(6, 7, 8, 9);
  }

  @Test
  void twoThreadsTakeTurns() throws InterruptedException {
    Thread other =
        new Thread(
            () -> {
              for (int i = 0; i < 50; i++) {
                submitTwice(a);
              }
            });
    other.start();
    for (int i = 0; i < 50; i++) {
      submitTwice(b);
    }
    other.join();
    assertThat(gpu.synchronize(Duration.ofSeconds(10))).isTrue();
    assertThat(y.download(a)).containsExactly(2, 4, 6, 8);
  }
}
