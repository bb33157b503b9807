package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.ExportedArray;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Work that the host has seen finish: by default no stream waits for it, and with an order that
 * tools can follow every stream does. Each program runs both ways, and the waits are counted.
 */
final class VisibleOrderingTest {
  private static final int N = 4;

  /** One runtime on which a program has run so far. */
  private static final class World implements AutoCloseable {
    private final SimulatedDevice device =
        SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    private final SimulatedLibrary library = device.library("others");
    private final DeviceRuntime gpu;
    private final DeviceStream a;
    private final DeviceStream b;
    private final List<DeviceArray<?>> arrays = new ArrayList<>();

    private World(boolean visible) {
      gpu =
          DeviceRuntime.simulated(
              device, RuntimeOptions.defaults().withOrderingVisibleToTools(visible));
      a = gpu.streams().acquire();
      b = gpu.streams().acquire();
    }

    private DeviceArray<int[]> allocatedOn(DeviceStream stream) {
      DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, N);
      arrays.add(values);
      return values;
    }

    private DeviceArray<int[]> writtenOn(DeviceStream stream) {
      DeviceArray<int[]> values = allocatedOn(stream);
      values.fill(stream, 1);
      return values;
    }

    private static void increment(DeviceStream stream, DeviceArray<int[]> values) {
      VectorKernels.on(stream).increment(values, N);
    }

    /** How many waits of a stream for an event an action queues. */
    private long waitsOf(Runnable action) {
      long before = device.calls(DriverCall.WAIT_FOR_EVENT);
      action.run();
      return device.calls(DriverCall.WAIT_FOR_EVENT) - before;
    }

    /** How many waits a launch on the second stream queues that uses an array. */
    private long waitsOfAUse(DeviceArray<int[]> values) {
      return waitsOf(() -> increment(b, values));
    }

    @Override
    public void close() {
      arrays.forEach(DeviceArray::close);
      gpu.close();
      assertThat(device.liveObjects()).isZero();
    }
  }

  /** Runs until the host has seen some work, and then counts the waits of later work. */
  @FunctionalInterface
  private interface Program {
    long waits(World world) throws Exception;
  }

  private record Case(String name, Program program) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> programs() {
    return Stream.of(
        new Case("a stream that was synchronised", VisibleOrderingTest::afterItsStream),
        new Case("a runtime that was synchronised", VisibleOrderingTest::afterTheRuntime),
        new Case("a completion that was awaited", VisibleOrderingTest::afterACompletion),
        new Case("a completion that was queried", VisibleOrderingTest::afterAQuery),
        new Case("a stream that was found idle", VisibleOrderingTest::afterAnIdleStream),
        new Case("a download", VisibleOrderingTest::afterADownload),
        new Case("what a synchronised stream had waited for", VisibleOrderingTest::afterAnother),
        new Case("an allocation that is ready", VisibleOrderingTest::afterItsAllocation),
        new Case("a read before a write", VisibleOrderingTest::afterARead),
        new Case("a use before the free", VisibleOrderingTest::beforeTheFree),
        new Case("a stream that is made later", VisibleOrderingTest::onALaterStream),
        new Case("an adopted stream before its return", VisibleOrderingTest::afterAReturn),
        new Case("the stream that an adopted one follows", VisibleOrderingTest::afterAnAdoption),
        new Case("a consumer that has ended", VisibleOrderingTest::afterAConsumer));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void byDefaultNoStreamWaitsForWhatTheHostHasSeen(Case program) throws Exception {
    try (World world = new World(false)) {
      assertThat(program.program().waits(world)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void withAVisibleOrderAStreamWaitsAllTheSame(Case program) throws Exception {
    try (World world = new World(true)) {
      assertThat(program.program().waits(world)).isOne();
    }
  }

  private static long afterItsStream(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    world.a.synchronize();
    return world.waitsOfAUse(values);
  }

  private static long afterTheRuntime(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    world.gpu.synchronize();
    return world.waitsOfAUse(values);
  }

  private static long afterACompletion(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    world.a.submit("a call", uses -> uses.writes(values), call -> {}).await();
    return world.waitsOfAUse(values);
  }

  private static long afterAQuery(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    Completion call = world.a.submit("a call", uses -> uses.writes(values), it -> {});
    while (!call.isDone()) {
      Thread.onSpinWait();
    }
    return world.waitsOfAUse(values);
  }

  private static long afterAnIdleStream(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    while (!world.a.isIdle()) {
      Thread.onSpinWait();
    }
    return world.waitsOfAUse(values);
  }

  private static long afterADownload(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    assertThat(values.download(world.a)).containsOnly(1);
    return world.waitsOfAUse(values);
  }

  /** The host waits for one stream, and so for what that one has waited for. */
  private static long afterAnother(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    DeviceStream c = world.gpu.streams().acquire();
    world.allocatedOn(c).copyFrom(c, values);
    c.synchronize();
    DeviceArray<int[]> another = world.allocatedOn(world.b);
    return world.waitsOf(() -> another.copyFrom(world.b, values));
  }

  private static long afterItsAllocation(World world) {
    DeviceArray<int[]> values = world.allocatedOn(world.a);
    world.a.synchronize();
    return world.waitsOf(() -> values.fill(world.b, 1));
  }

  private static long afterARead(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.b);
    world.allocatedOn(world.a).copyFrom(world.a, values);
    world.a.synchronize();
    return world.waitsOfAUse(values);
  }

  /** The free is queued on the stream of the latest use. */
  private static long beforeTheFree(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    world.allocatedOn(world.b).copyFrom(world.b, values);
    world.b.synchronize();
    world.allocatedOn(world.a).copyFrom(world.a, values);
    return world.waitsOf(values::close);
  }

  private static long onALaterStream(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    world.a.synchronize();
    DeviceStream later = world.gpu.streams().acquire();
    return world.waitsOf(() -> World.increment(later, values));
  }

  /** The host sees the end of a download by an event that is not the stream's. */
  private static long afterAReturn(World world) {
    DeviceArray<int[]> values = world.allocatedOn(world.a);
    long handle = world.library.createStream();
    try (DeviceStream adopted = world.gpu.streams().adopt(handle)) {
      values.fill(adopted, 1);
      assertThat(values.download(adopted)).containsOnly(1);
    }
    world.library.destroyStream(handle);
    return world.waitsOfAUse(values);
  }

  /** A timeline goes on with the first stream that is adopted after it was returned. */
  private static long afterAnAdoption(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.a);
    for (int i = 0; i < StreamPool.ADOPTED_STREAMS; i++) {
      long handle = world.library.createStream();
      try (DeviceStream adopted = world.gpu.streams().adopt(handle)) {
        values.fill(adopted, 1);
        adopted.synchronize();
      }
      world.library.destroyStream(handle);
    }
    long next = world.library.createStream();
    long waits = world.waitsOf(() -> world.gpu.streams().adopt(next).close());
    world.library.destroyStream(next);
    return waits;
  }

  private static long afterAConsumer(World world) {
    DeviceArray<int[]> values = world.writtenOn(world.b);
    long theirs = world.library.createStream();
    lendAndSynchronize(world, values, theirs);
    return world.waitsOfAUse(values);
  }

  @Test
  void consumersThatTheHostHasSeenFinishAreForgottenByDefault() {
    assertThat(consumersAfter(2, false)).isOne();
  }

  @Test
  void withAVisibleOrderOneConsumerOfEachStreamIsRemembered() {
    assertThat(consumersAfter(2, true)).isEqualTo(2);
    assertThat(consumersAfter(100, true)).isEqualTo(StreamPool.ADOPTED_STREAMS + 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aQueryThatFindsWorkDoneIsConfirmedByAWaitIfTheOrderIsVisible(boolean visible) {
    try (World world = new World(visible)) {
      DeviceArray<int[]> values = world.writtenOn(world.a);
      Completion call = world.a.submit("a call", uses -> uses.writes(values), it -> {});
      while (!call.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(world.device.calls(DriverCall.SYNCHRONIZE_EVENT)).isEqualTo(visible ? 1 : 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64, 1000})
  void withAVisibleOrderNoFillIsStrided(int n) {
    try (World world = new World(true);
        DeviceArray<long[]> values = world.gpu.memory().allocate(world.a, long[].class, n + 1L)) {
      values.fill(world.a, -1);
      values.fill(world.a, 0, n, 5L << 32 | 7);
      assertThat(world.device.calls(DriverCall.FILL_32_STRIDED_ASYNC)).isZero();
      assertThat(values.download(world.a, 0, n)).containsOnly(5L << 32 | 7);
      assertThat(values.download(world.a, n, 1)).containsExactly(-1);
    }
  }

  /** Copies do the rest, since a strided fill is slow. */
  @ParameterizedTest
  @CsvSource({"1, 0", "1024, 0", "1025, 1", "2048, 1", "2049, 2", "5000, 3"})
  void fillsAreStridedForTheFirstValuesOnly(int n, long copies) {
    try (World world = new World(false);
        DeviceArray<long[]> values = world.gpu.memory().allocate(world.a, long[].class, n + 1L)) {
      values.fill(world.a, -1);
      values.fill(world.a, 0, n, 5L << 32 | 7);
      assertThat(world.device.calls(DriverCall.FILL_32_STRIDED_ASYNC)).isEqualTo(2);
      assertThat(world.device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isEqualTo(copies);
      assertThat(values.download(world.a, 0, n)).containsOnly(5L << 32 | 7);
      assertThat(values.download(world.a, n, 1)).containsExactly(-1);
    }
  }

  /** Each export takes the timeline that was returned longest ago. */
  private static int consumersAfter(int exports, boolean visible) {
    try (World world = new World(visible)) {
      DeviceArray<int[]> values = world.writtenOn(world.b);
      long theirs = world.library.createStream();
      for (int i = 0; i < exports; i++) {
        lendAndSynchronize(world, values, theirs);
      }
      return Inside.allocation(values).hazards().consumers();
    }
  }

  private static void lendAndSynchronize(World world, DeviceArray<int[]> values, long stream) {
    ExportedArray.of(values, "an export", false, OptionalLong.of(stream)).end();
    world.gpu.synchronize();
  }
}
