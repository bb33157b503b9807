package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.device.ExportedArray;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.driver.PointerInfo.MemoryPlace;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory, streams and calls of other code on a real device, with a gate that holds one side back.
 * Each program runs twice, like those of {@link GatesOnAGpuTest}: as it is, and without the waits,
 * when its answer has to be wrong.
 */
@Tag("gpu")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ForeignCodeOnAGpuTest {
  private static final int N = 1 << 16;
  private static final long BYTES = 4L * N;
  private static final int OLD = 11;
  private static final int NEW = 22;
  private static final int ROUNDS = 5;

  @FunctionalInterface
  private interface Program {
    boolean isRight(ForeignCodeOnAGpuTest test);
  }

  private record Case(String name, Program program) {
    @Override
    public String toString() {
      return name;
    }
  }

  private boolean leaveOutWaits;
  private DeafDriver deaf;
  private DeviceRuntime gpu;
  private Gate gate;
  private OtherCode other;
  private long memory;
  private final AtomicInteger releases = new AtomicInteger();
  private DeviceStream a;
  private DeviceStream b;
  private final List<DeviceArray<?>> arrays = new ArrayList<>();

  @BeforeEach
  void openDevice() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    deaf = new DeafDriver(JCudaDevices.open(0));
    gpu = Inside.open(deaf.driver());
    gate = new Gate(gpu);
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
    other = new OtherCode();
    memory = other.allocate(BYTES);
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      deaf.setDeaf(false);
      gate.close();
      arrays.forEach(DeviceArray::close);
      gpu.close();
      other.free(memory);
      other.close();
    }
  }

  static Stream<Case> programs() {
    return Stream.of(
        new Case("a use waits for the ready event", t -> t.adopted(true)),
        new Case("a use waits for the producer's stream", t -> t.adopted(false)),
        new Case("an adopted stream waits for another", ForeignCodeOnAGpuTest::onAdoptedStream),
        new Case("another stream waits for an adopted one", ForeignCodeOnAGpuTest::afterAdopted),
        new Case("a call waits for the launch before it", ForeignCodeOnAGpuTest::callAfterFill),
        new Case("a launch waits for the call before it", ForeignCodeOnAGpuTest::fillAfterCall),
        new Case("an export waits for the write before it", ForeignCodeOnAGpuTest::exported),
        new Case("a use waits for the consumer of an export", t -> t.consumed(false)),
        new Case("a use waits for work queued before the return", t -> t.consumed(true)),
        new Case("the owner waits for the last use", ForeignCodeOnAGpuTest::returned));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theAnswerIsRight(Case program) {
    for (int round = 0; round < ROUNDS; round++) {
      leaveOutWaits = false;
      assertThat(program.program().isRight(this)).as("round %s", round).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("races-on-purpose")
  void withoutTheWaitsTheAnswerIsWrong(Case program) {
    boolean wrong = false;
    for (int round = 0; round < ROUNDS && !wrong; round++) {
      leaveOutWaits = true;
      wrong = !program.program().isRight(this);
    }
    assertThat(wrong).isTrue();
  }

  @Test
  void theDoneEventComesAfterTheLastUse() {
    for (int round = 0; round < ROUNDS; round++) {
      fillTheirs(OLD);
      DeviceArray<int[]> y = filled(0);
      settle();
      DeviceArray<int[]> borrowed =
          gpu.memory()
              .adopt(a, theirMemory().alreadyReady().signalling(other.event()), int[].class);
      gate.holdBack(b);
      GateKernelsLauncher.on(b).copyInts(borrowed, y, N);
      borrowed.close();
      assertThat(releases).hasValue(round + 1);
      other.waitForEvent();
      other.fill(memory, NEW, N);
      letTheirsRun();
      assertThat(all(y, OLD)).isTrue();
    }
  }

  @Test
  void theDriverTellsWhereMemoryOfEachKindLies() {
    PointerInfo theirs = Inside.driver(gpu).pointerInfo(memory + 4);
    assertThat(theirs).isEqualTo(new PointerInfo(MemoryPlace.DEVICE, 0, memory, BYTES));
    DeviceArray<int[]> own = filled(1);
    gpu.synchronize();
    PointerInfo ours = Inside.driver(gpu).pointerInfo(Inside.allocation(own).address());
    assertThat(ours.place()).isEqualTo(MemoryPlace.DEVICE);
    assertThat(ours.device()).isZero();
    try (PinnedArray<int[]> pinned = gpu.memory().pinned(int[].class, 4)) {
      long address = Inside.allocation(pinned.mapped()).address();
      assertThat(Inside.driver(gpu).pointerInfo(address).place()).isEqualTo(MemoryPlace.HOST);
    }
    assertThat(Inside.driver(gpu).pointerInfo(0x10).place()).isEqualTo(MemoryPlace.UNKNOWN);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                gpu.memory()
                    .adopt(a, ForeignMemory.at(memory, BYTES + 4).alreadyReady(), int[].class))
        .withMessageContaining("ends 4 bytes beyond");
  }

  @Test
  void memoryOfTheDriversPoolIsAdopted() {
    try (DeviceRuntime second = DeviceRuntime.open(0, RuntimeOptions.defaults());
        DeviceStream theirs = second.streams().acquire();
        DeviceArray<int[]> source = second.memory().upload(theirs, new int[] {1, 2, 3})) {
      long[] raw = new long[2];
      theirs.submit(
          "peek",
          uses -> uses.reads(source),
          call -> {
            raw[0] = call.streamHandle();
            raw[1] = call.address(source);
          });
      DeviceArray<int[]> borrowed =
          gpu.memory().adopt(a, ForeignMemory.at(raw[1], 12).readyAfterStream(raw[0]), int[].class);
      assertThat(borrowed.download(b)).containsExactly(1, 2, 3);
      borrowed.close();
    }
  }

  @Test
  void theLegacyDefaultStreamIsAdopted() {
    try (DeviceStream legacy = gpu.streams().adopt(0)) {
      DeviceArray<int[]> x = filled(OLD);
      GateKernelsLauncher.on(legacy).copyInts(filled(NEW), x, N);
      assertThat(all(x, NEW)).isTrue();
    }
  }

  @Test
  void workOnAStreamThatIsBeingCapturedIsRefused() {
    DeviceArray<int[]> x = filled(OLD);
    try (DeviceStream adopted = gpu.streams().adopt(other.stream())) {
      x.fill(adopted, NEW);
      other.beginCapture();
      other.fill(memory, OLD, N);
      assertCapturing(() -> x.fill(adopted, OLD));
      assertCapturing(adopted::synchronize);
      assertCapturing(() -> gpu.streams().adopt(other.stream()));
      assertThat(all(x, NEW)).isTrue();
      gpu.synchronize();
      assertThat(other.endCapture()).isEqualTo(1);
      x.fill(adopted, OLD);
      assertThat(all(x, OLD)).isTrue();
    }
  }

  @Test
  void aCaptureThatACallLeavesOpenIsDiscarded() {
    try (DeviceStream adopted = gpu.streams().adopt(other.stream())) {
      assertCapturing(() -> adopted.submit("capture", uses -> {}, call -> other.beginCapture()));
      adopted.synchronize();
    }
  }

  private static void assertCapturing(ThrowableAssert.ThrowingCallable operation) {
    assertThatThrownBy(operation)
        .isInstanceOfSatisfying(
            StreamMisuseException.class,
            e -> assertThat(e.kind()).isEqualTo(StreamMisuseException.Misuse.CAPTURING));
  }

  private boolean adopted(boolean byEvent) {
    fillTheirs(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(other.stream());
    other.fill(memory, NEW, N);
    other.recordEvent();
    ForeignMemory described =
        byEvent
            ? theirMemory().readyAfterEvent(other.event())
            : theirMemory().readyAfterStream(other.stream());
    DeviceArray<int[]> borrowed = gpu.memory().adopt(a, described, int[].class);
    y.copyFrom(b, borrowed);
    letRun(b);
    boolean right = all(y, NEW);
    int before = releases.get();
    borrowed.close();
    gpu.synchronize();
    awaitRelease(before + 1);
    return right;
  }

  private boolean onAdoptedStream() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    try (DeviceStream adopted = gpu.streams().adopt(other.stream())) {
      gate.holdBack(a);
      x.fill(a, NEW);
      GateKernelsLauncher.on(adopted).copyInts(x, y, N);
      letTheirsRun();
    }
    return all(y, NEW);
  }

  private boolean afterAdopted() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(other.stream());
    try (DeviceStream adopted = gpu.streams().adopt(other.stream())) {
      x.fill(adopted, NEW);
    }
    GateKernelsLauncher.on(b).copyInts(x, y, N);
    letRun(b);
    return all(y, NEW);
  }

  private boolean callAfterFill() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(a);
    x.fill(a, NEW);
    copyByOthers(x, y);
    letRun(b);
    return all(y, NEW);
  }

  private boolean fillAfterCall() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(b);
    copyByOthers(x, y);
    x.fill(a, NEW);
    letRun(a);
    return all(y, OLD);
  }

  private void copyByOthers(DeviceArray<int[]> x, DeviceArray<int[]> y) {
    b.submit(
        "copy",
        uses -> uses.reads(x).writes(y),
        call -> other.copy(call.address(y), call.address(x), BYTES, call.streamHandle()));
  }

  private boolean exported() {
    fillTheirs(0);
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(a);
    x.fill(a, NEW);
    ExportedArray export = export(x);
    other.copy(memory, export.address(), BYTES, other.stream());
    letTheirsRun();
    export.end();
    DeviceArray<int[]> borrowed =
        gpu.memory().adopt(a, theirMemory().readyAfterStream(other.stream()), int[].class);
    y.copyFrom(a, borrowed);
    boolean right = all(y, NEW);
    borrowed.close();
    return right;
  }

  private boolean consumed(boolean returnedBefore) {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    ExportedArray export = export(x);
    gate.holdBack(other.stream());
    other.fill(export.address(), NEW, N);
    if (returnedBefore) {
      export.end();
    }
    y.copyFrom(b, x);
    letRun(b);
    export.end();
    return all(y, NEW);
  }

  private boolean returned() {
    fillTheirs(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    DeviceArray<int[]> borrowed =
        gpu.memory().adopt(a, theirMemory().alreadyReady().returnedTo(other.stream()), int[].class);
    gate.holdBack(b);
    GateKernelsLauncher.on(b).copyInts(borrowed, y, N);
    borrowed.close();
    other.fill(memory, NEW, N);
    letTheirsRun();
    return all(y, OLD);
  }

  private ExportedArray export(DeviceArray<int[]> x) {
    return ExportedArray.of(x, "an export", true, OptionalLong.of(other.stream()));
  }

  private ForeignMemory theirMemory() {
    return ForeignMemory.at(memory, BYTES)
        .named("their memory")
        .releasedBy(releases::incrementAndGet);
  }

  private void awaitRelease(int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (releases.get() < count && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(releases).hasValue(count);
  }

  private void fillTheirs(int value) {
    other.fill(memory, value, N);
    other.synchronize();
  }

  private DeviceArray<int[]> filled(int value) {
    DeviceArray<int[]> array = gpu.memory().allocate(a, int[].class, N);
    arrays.add(array);
    array.fill(a, value);
    return array;
  }

  /** After this call, earlier work needs no wait. */
  private void settle() {
    gpu.synchronize();
    deaf.setDeaf(leaveOutWaits);
  }

  /** Gives a stream that waits for nothing the time to finish, then opens the gate. */
  private void letRun(DeviceStream stream) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    while (System.nanoTime() < deadline && !stream.isIdle()) {
      Thread.onSpinWait();
    }
    openGate();
  }

  private void letTheirsRun() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    while (System.nanoTime() < deadline && !other.isIdle()) {
      Thread.onSpinWait();
    }
    openGate();
    other.synchronize();
  }

  private void openGate() {
    gate.open();
    deaf.setDeaf(false);
    gpu.synchronize();
    other.synchronize();
  }

  private boolean all(DeviceArray<int[]> array, int value) {
    deaf.setDeaf(false);
    for (int actual : array.download(a)) {
      if (actual != value) {
        return false;
      }
    }
    return true;
  }
}
