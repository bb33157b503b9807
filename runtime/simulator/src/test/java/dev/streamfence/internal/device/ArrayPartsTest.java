package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parts of an array, each tracked independently of the others. */
final class ArrayPartsTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);
  private final DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private long waits() {
    return device.calls(DriverCall.WAIT_FOR_EVENT);
  }

  @Test
  void partsThatAreNestedDeeplyAreClosedWithTheirArray() {
    int depth = 20_000;
    DeviceArray<int[]> outermost = gpu.memory().upload(a, new int[depth + 1]);
    DeviceArray<int[]> innermost = outermost;
    for (int i = 0; i < depth; i++) {
      innermost = innermost.split(1).get(1);
    }
    innermost.fill(b, 1);
    outermost.close();
    assertThat(outermost.isOpen()).isFalse();
    assertThat(innermost.isOpen()).isFalse();
  }

  @Test
  void launchesOnTwoPartsDoNotWaitForEachOther() {
    gpu.synchronize();
    long before = waits();
    try (DeviceParts<int[]> halves = array.split(32)) {
      for (int round = 0; round < 10; round++) {
        onA.increment(halves.get(0), 32);
        onB.increment(halves.get(1), 32);
      }
    }
    assertThat(waits()).isEqualTo(before);
    onA.increment(array, N);
    assertThat(waits()).isEqualTo(before + 1);
    assertThat(array.download(b)).containsOnly(11);
  }

  @Test
  void aPartWaitsForWhatTheArrayWaitedFor() {
    onA.increment(array, N);
    try (DeviceParts<int[]> halves = array.split(32)) {
      long before = waits();
      onB.increment(halves.get(1), 32);
      assertThat(waits()).isEqualTo(before + 1);
    }
    assertThat(array.download(a, 31, 2)).containsExactly(1, 2);
  }

  @Test
  void aPartWaitsForTheReadsOfTheArray() {
    DeviceArray<int[]> sums = gpu.memory().upload(a, new int[N]);
    gpu.synchronize();
    onA.add(array, array, sums, N);
    try (DeviceParts<int[]> halves = array.split(32)) {
      long before = waits();
      onB.increment(halves.get(1), 32);
      assertThat(waits()).isEqualTo(before + 1);
    }
    assertThat(sums.download(a)).containsOnly(0);
  }

  @Test
  void aWriteAfterTheJoinWaitsForTheReadsOfAllParts() {
    DeviceArray<int[]> sums = gpu.memory().upload(a, new int[N]);
    DeviceStream c = gpu.streams().acquire();
    gpu.synchronize();
    try (DeviceParts<int[]> halves = array.split(32);
        DeviceParts<int[]> results = sums.split(32)) {
      onA.add(halves.get(0), halves.get(0), results.get(0), 32);
      onB.add(halves.get(1), halves.get(1), results.get(1), 32);
    }
    long before = waits();
    VectorKernels.on(c).increment(array, N);
    assertThat(waits()).isEqualTo(before + 2);
    assertThat(array.download(a)).containsOnly(1);
    assertThat(sums.download(a)).containsOnly(0);
  }

  @Test
  void splittingAndJoiningMakeNoDriverCall() {
    long before = device.calls();
    DeviceParts<int[]> parts = array.split(1, 1, 60);
    assertThat(parts.count()).isEqualTo(4);
    assertThat(parts.get(0).length()).isEqualTo(1);
    assertThat(parts.get(1).length()).isZero();
    assertThat(parts.get(2).length()).isEqualTo(59);
    assertThat(parts.get(3).length()).isEqualTo(4);
    assertThat(parts.join()).isSameAs(array);
    assertThat(device.calls()).isEqualTo(before);
    assertThat(parts).hasToString("4 parts of " + array);
  }

  @Test
  void theArrayAndItsViewsRefuseUsesWhileItIsSplit() {
    DeviceArray<int[]> view = array.view(0, 8);
    DeviceParts<int[]> parts = array.split(32);
    long calls = device.calls();
    assertThat(array.isOpen()).isTrue();
    assertThatThrownBy(() -> onA.increment(array, N))
        .satisfies(misuse(Misuse.SPLIT, "increment", "values"))
        .hasMessageContaining("increment: parameter 'values'")
        .hasMessageContaining("split into 2 parts");
    assertThatThrownBy(() -> array.download(a)).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> view.fill(a, 1)).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> array.view(0, 1)).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> array.split(1)).isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> array.reinterpret(byte[].class))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(device.calls()).isEqualTo(calls);
    parts.close();
    view.fill(a, 1);
    assertThat(array.download(a, 7, 2)).containsExactly(1, 0);
  }

  @Test
  void aPartRefusesUsesAfterTheJoin() {
    DeviceParts<int[]> parts = array.split(32);
    DeviceArray<int[]> part = parts.get(1);
    DeviceArray<int[]> view = part.view(0, 1);
    parts.join();
    assertThat(part.isOpen()).isFalse();
    for (DeviceArray<int[]> gone : List.of(part, view)) {
      assertThatThrownBy(() -> onA.increment(gone, 1))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("part 1 (elements 32 to 63) of int[64]")
          .hasMessageContaining("joined");
    }
    assertThatThrownBy(parts::join)
        .satisfies(misuse(Misuse.WRONG_STEP))
        .hasMessageContaining("joined a second time");
    parts.close();
    assertThat(array.isOpen()).isTrue();
  }

  @Test
  void theJoinOfOldPartsDoesNotJoinNewOnes() {
    DeviceParts<int[]> old = array.split(32);
    old.join();
    DeviceParts<int[]> young = array.split(16);
    old.close();
    assertThat(young.get(0).isOpen()).isTrue();
    assertThatThrownBy(() -> array.fill(a, 1)).isInstanceOf(StreamMisuseException.class);
    young.close();
  }

  @Test
  void aPartIsSplitAgainAndJoinedFromTheInside() {
    DeviceParts<int[]> halves = array.split(32);
    DeviceParts<int[]> quarters = halves.get(1).split(16);
    assertThatThrownBy(halves::join).satisfies(misuse(Misuse.SPLIT));
    assertThatThrownBy(halves::close).isInstanceOf(StreamMisuseException.class);
    onA.increment(quarters.get(0), 16);
    onB.increment(quarters.get(1), 16);
    onB.increment(halves.get(0), 32);
    quarters.join();
    assertThat(halves.join()).isSameAs(array);
    assertThat(array.download(a)).containsOnly(1);
  }

  @Test
  void closingTheArrayClosesItsPartsAfterTheirLastUses() {
    DeviceParts<int[]> halves = array.split(32);
    DeviceParts<int[]> quarters = halves.get(1).split(16);
    onB.increment(quarters.get(1), 16);
    array.close();
    assertThat(halves.get(0).isOpen()).isFalse();
    assertThatThrownBy(() -> onA.increment(quarters.get(0), 1))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("closed");
    halves.close();
    quarters.close();
    gpu.synchronize();
    assertThat(gpu.memory().reap()).isEqualTo(N * Integer.BYTES);
  }

  @Test
  void aPartThatIsInALaunchWhileThePartsAreJoinedAndClosedIsFreedAfterIt() {
    LaunchRecorder increment = VectorKernels.incrementOn(b);
    DeviceParts<int[]> halves = array.split(32);
    long frees = device.calls(DriverCall.FREE_ASYNC);
    try (LaunchRecorder open = increment.begin()) {
      open.array(halves.get(1)).threads(32).preflight();
      halves.join();
      array.close();
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees);
      open.launch().commit();
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees + 1);
    gpu.synchronize();
  }

  @Test
  void aPartOfAClosedArraySaysWhereThatWasClosed() {
    RuntimeOptions options = RuntimeOptions.defaults().withTraceAllocations(true);
    try (DeviceRuntime traced =
        DeviceRuntime.simulated(SimulatedDevice.builder().build(), options)) {
      DeviceStream stream = traced.streams().acquire();
      DeviceArray<int[]> values = traced.memory().upload(stream, new int[N]);
      DeviceArray<int[]> part = values.split(32).get(0).split(16).get(1);
      values.close();
      assertThatThrownBy(() -> part.fill(stream, 1))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("which is closed")
          .hasCauseInstanceOf(Throwable.class);
    }
  }

  @Test
  void aPartOfAJoinedPartNamesWhatItWasJoinedTo() {
    DeviceParts<int[]> halves = array.split(32);
    DeviceParts<int[]> quarters = halves.get(1).split(16);
    DeviceArray<int[]> quarter = quarters.get(0);
    quarters.join();
    halves.join();
    assertThatThrownBy(() -> quarter.fill(a, 1))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("joined with the other parts; use part 1 (elements 32 to 63)");
  }

  @Test
  void afterTheRuntimeNothingIsSplitOrViewedAndTheJoinIsSilent() {
    DeviceParts<int[]> halves = array.split(32);
    gpu.close();
    assertThatThrownBy(() -> array.split(1)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> halves.get(0).view(0, 1)).isInstanceOf(RuntimeClosedException.class);
    halves.close();
  }

  @Test
  void theJoinOfAClosedArrayIsRefused() {
    DeviceParts<int[]> halves = array.split(32);
    array.close();
    assertThatThrownBy(halves::join).isInstanceOf(UseAfterFreeException.class);
    halves.close();
  }

  @Test
  void partsThatTheirArraysFailedCloseHasJoinedDoNotJoinLaterOnes() {
    DeviceParts<int[]> old = array.split(32);
    device.failCall(DriverCall.FREE_ASYNC, 1, 1);
    assertThatThrownBy(array::close).isInstanceOf(CudaDriverException.class);
    try (DeviceParts<int[]> young = array.split(16)) {
      old.close();
      assertThat(young.get(0).isOpen()).isTrue();
      assertThatThrownBy(() -> array.fill(a, 1)).isInstanceOf(StreamMisuseException.class);
    }
  }

  /** A preflight that finds one part joined holds the lock of the other. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void partsAreJoinedBesideLaunchesOnThemWithoutADeadlock() throws Exception {
    AtomicReference<DeviceParts<int[]>> parts = new AtomicReference<>(array.split(32));
    AtomicBoolean done = new AtomicBoolean();
    Thread launching =
        new Thread(
            () -> {
              while (!done.get()) {
                DeviceParts<int[]> now = parts.get();
                try {
                  onB.add(now.get(0), now.get(0), now.get(1), 32);
                } catch (UseAfterFreeException joined) {
                  // The other thread was faster.
                }
              }
            });
    launching.start();
    for (int i = 0; i < 3000; i++) {
      parts.get().join();
      parts.set(array.split(32));
    }
    done.set(true);
    launching.join();
    parts.get().close();
  }

  @Test
  void aPartCannotBeReinterpretedButAViewOfItCan() {
    try (DeviceParts<int[]> halves = array.split(32)) {
      assertThatThrownBy(() -> halves.get(0).reinterpret(byte[].class))
          .satisfies(misuse(Misuse.NOT_WHOLE))
          .hasMessageContaining("join the parts");
      assertThat(halves.get(1).view(0, 1).reinterpret(byte[].class).length()).isEqualTo(4);
      halves.get(0).close();
      assertThat(halves.get(0).isOpen()).isTrue();
    }
  }

  @Test
  void positionsThatDoNotRiseWithinTheArrayAreRefusedAndNothingIsSplit() {
    for (long[] at :
        new long[][] {{-1}, {N + 1}, {2, 1}, {1, N + 1}, {Long.MAX_VALUE}, {Long.MIN_VALUE}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.split(at))
          .withMessageContaining(Long.toString(at[0]))
          .withMessageContaining("between 0 and 64");
    }
    assertThatThrownBy(() -> array.view(0, 8).split(4)).satisfies(misuse(Misuse.NOT_WHOLE));
    array.fill(a, 1);
    try (DeviceParts<int[]> one = array.split()) {
      assertThat(one.count()).isEqualTo(1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> one.get(1))
          .withMessageContaining("part 1")
          .withMessageContaining("1 parts");
      assertThatIllegalArgumentException().isThrownBy(() -> one.get(-1));
    }
  }

  @Test
  void anEmptyArrayHasEmptyParts() {
    DeviceArray<int[]> empty = gpu.memory().allocate(a, int[].class, 0);
    try (DeviceParts<int[]> parts = empty.split(0)) {
      assertThat(parts.count()).isEqualTo(2);
      onA.increment(parts.get(1), 0);
      assertThat(parts.get(1).download(a)).isEmpty();
    }
    empty.close();
  }

  /** The race checker knows bytes, not parts, and is the judge. */
  @ParameterizedTest
  @EnumSource(Schedule.class)
  @Tag("search")
  void randomProgramsOverPartsHaveNoRacesAndTheRightResult(Schedule schedule) {
    for (int seed = 0; seed < 40; seed++) {
      SimulatedDevice other = SimulatedDevice.builder().schedule(schedule).seed(seed).build();
      try (DeviceRuntime runtime = DeviceRuntime.simulated(other)) {
        new RandomParts(runtime, seed).run();
      }
      assertThat(other.findings()).as("seed %d", seed).isEmpty();
      assertThat(other.liveObjects()).isZero();
    }
  }

  /** Increments random parts of one array on random streams, and splits and joins in between. */
  private static final class RandomParts {
    private final SplittableRandom random;
    private final List<DeviceStream> streams = new ArrayList<>();
    private final List<VectorKernels> kernels = new ArrayList<>();
    private final DeviceArray<int[]> array;
    private final int[] expected = new int[N];

    RandomParts(DeviceRuntime runtime, int seed) {
      random = new SplittableRandom(seed);
      for (int i = 0; i < 3; i++) {
        streams.add(runtime.streams().acquire());
        kernels.add(VectorKernels.on(streams.get(i)));
      }
      array = runtime.memory().upload(streams.get(0), expected);
    }

    void run() {
      for (int round = 0; round < 6; round++) {
        use(array, 0, 2);
        assertThat(array.download(streams.get(random.nextInt(3)))).isEqualTo(expected);
      }
      array.close();
    }

    private void use(DeviceArray<int[]> target, int from, int depth) {
      for (int step = 0; step < 4; step++) {
        int length = (int) target.length();
        if (depth > 0 && random.nextInt(3) == 0) {
          int at = random.nextInt(length + 1);
          try (DeviceParts<int[]> parts = target.split(at)) {
            use(parts.get(0), from, depth - 1);
            use(parts.get(1), from + at, depth - 1);
            use(parts.get(0), from, depth - 1);
          }
        } else {
          int begin = random.nextInt(length + 1);
          int count = random.nextInt(length - begin + 1);
          kernels.get(random.nextInt(3)).increment(target.view(begin, count), count);
          for (int i = begin; i < begin + count; i++) {
            expected[from + i]++;
          }
        }
      }
    }
  }
}
