package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.LaunchShape;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LaunchRecorderTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final VectorKernels kernels = VectorKernels.on(stream);

  @AfterEach
  void nothingIsLeft() {
    boolean lost = Inside.isLost(gpu);
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  @Test
  void aKernelRunsOnTheDataItIsGiven() {
    try (DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1, 2, 3});
        DeviceArray<float[]> y = gpu.memory().upload(stream, new float[] {10, 20, 30})) {
      kernels.saxpy(2f, x, y, 3);
      assertThat(y.download(stream)).containsExactly(12, 24, 36);
    }
  }

  @Test
  void everyKindOfValueReachesTheKernel() {
    KernelSignature kinds =
        KernelSignature.entry("kinds")
            .value("z", boolean.class)
            .value("b", byte.class)
            .value("c", char.class)
            .value("s", short.class)
            .value("i", int.class)
            .value("l", long.class)
            .value("f", float.class)
            .value("d", double.class)
            .writes("out", long[].class)
            .shape("shape");
    LaunchRecorder recorder = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(kinds);
    try (DeviceArray<long[]> out = gpu.memory().allocate(stream, long[].class, 8)) {
      try (recorder) {
        recorder
            .begin()
            .value(true)
            .value((byte) -3)
            .value('\uffff')
            .value(Short.MIN_VALUE)
            .value(Integer.MIN_VALUE)
            .value(Long.MIN_VALUE)
            .value(1.5f)
            .value(-2.25)
            .array(out)
            .shape(LaunchShape.of(1, 1))
            .preflight()
            .launch()
            .commit();
      }
      assertThat(out.download(stream))
          .containsExactly(
              1,
              -3,
              0xffff,
              Short.MIN_VALUE,
              Integer.MIN_VALUE,
              Long.MIN_VALUE,
              Float.floatToRawIntBits(1.5f),
              Double.doubleToRawLongBits(-2.25));
    }
  }

  @Test
  void aShapeInThreeDimensionsReachesEveryThread() {
    LaunchShape shape = new LaunchShape(2, 3, 2, 4, 2, 2, 0);
    try (DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 12 * 16)) {
      kernels.number(values, shape);
      int[] expected = new int[12 * 16];
      Arrays.setAll(expected, i -> i / 16 * 1000 + i % 16);
      assertThat(values.download(stream)).isEqualTo(expected);
    }
  }

  @Test
  void dynamicSharedMemoryIsThere() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3, 4, 5, 6})) {
      kernels.reverse(values, LaunchShape.of(2, 3).withDynamicSharedBytes(12));
      assertThat(values.download(stream)).containsExactly(3, 2, 1, 6, 5, 4);
    }
  }

  @Test
  void staticSharedMemoryCountsWithTheDynamicOne() {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry held()
        {
          .shared .align 4 .b8 kept[4096];
          ret;
        }
        """;
    KernelImage image = KernelImage.of("held.ptx", ptx.getBytes(US_ASCII));
    int most = Inside.driver(gpu).properties().sharedBytesPerBlockOptIn() - 4096;
    KernelSignature signature = KernelSignature.entry("held").shape("shape");
    LaunchRecorder held = LoadedModule.of(stream, image).recorder(signature);
    try (LaunchRecorder recorder = held.begin()) {
      recorder.shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most + 1));
      assertThatThrownBy(recorder::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              (most + 4097) + " bytes of shared memory per block, 4096 static ones included")
          .hasMessageContaining("allows " + (most + 4096));
    }
    try (LaunchRecorder recorder = held.begin()) {
      recorder
          .shape(LaunchShape.of(1, 1).withDynamicSharedBytes(most))
          .preflight()
          .launch()
          .commit();
    }
  }

  @Test
  void dynamicSharedMemoryBeyondTheDefaultIsAllowedUpToTheDevicesLimit() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2})) {
      kernels.reverse(values, LaunchShape.of(1, 2).withDynamicSharedBytes(100 << 10));
      assertThat(values.download(stream)).containsExactly(2, 1);
      assertThatThrownBy(
              () -> kernels.reverse(values, LaunchShape.of(1, 2).withDynamicSharedBytes(300 << 10)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reverse")
          .hasMessageContaining(Integer.toString(300 << 10))
          .hasMessageContaining(Integer.toString(227 << 10));
    }
  }

  @Test
  void noThreadsLaunchNothingAndCallNoDriver() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      long before = device.calls();
      kernels.increment(values, 0);
      assertThat(device.calls()).isEqualTo(before);
      assertThat(values.download(stream)).containsExactly(1);
    }
  }

  @Test
  void aNegativeNumberOfThreadsNamesTheParameter() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      assertThatThrownBy(() -> kernels.increment(values, -1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("increment")
          .hasMessageContaining("'n'")
          .hasMessageContaining("-1");
    }
  }

  @Test
  void moreThreadsThanTheDeviceAllowsAreRefusedBeforeTheLaunch() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      assertThatThrownBy(() -> kernels.reverse(values, LaunchShape.of(1, 1025)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reverse")
          .hasMessageContaining("1025")
          .hasMessageContaining("1024");
      assertThatThrownBy(() -> kernels.reverse(values, new LaunchShape(1, 70_000, 1, 1, 1, 1, 0)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("70000")
          .hasMessageContaining("65535");
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    }
  }

  @Test
  void emptyArraysAreAccepted() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0)) {
      kernels.add(empty, empty, empty, 0);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    }
  }

  @Test
  void theSameArrayIsNotWrittenThroughTwoParametersUnlessThatIsDeclared() {
    DeviceArray<float[]> both = gpu.memory().upload(stream, new float[] {1, 2, 3});
    DeviceArray<float[]> other = gpu.memory().upload(stream, new float[] {1, 2, 3});
    long before = device.calls();
    assertThatThrownBy(() -> kernels.saxpy(1f, both, both, 3))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("saxpy: parameter 'y' is the same array as parameter 'x'")
        .hasMessageContaining("mayAlias");
    assertThat(device.calls()).isEqualTo(before);
    kernels.saxpy(1f, other, both, 3);
    assertThat(both.download(stream)).containsExactly(2, 4, 6);
    both.close();
    other.close();
  }

  @Test
  void anArrayThatIsRefusedAsAnAliasIsNoUseOfTheLaunch() {
    DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1});
    DeviceArray<float[]> y = gpu.memory().upload(stream, new float[] {1});
    LaunchRecorder saxpy =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
    int before = Inside.block(x).hazards().size();
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(1f).array(x);
      assertThatThrownBy(() -> recorder.array(x)).isInstanceOf(StreamMisuseException.class);
      recorder.array(y).threads(1).preflight().launch().commit();
    }
    // The launch reads it; as a write it would be the only use that is left.
    assertThat(Inside.block(x).hazards().size()).isEqualTo(before + 1);
    assertThat(y.download(stream)).containsExactly(2f);
    x.close();
    y.close();
  }

  @Test
  void aLaunchThatFailedIsNotCommitted() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        LaunchRecorder recorder = VectorKernels.incrementOn(stream)) {
      recorder.begin().array(values).threads(1).preflight();
      device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
      assertThatThrownBy(recorder::launch).isInstanceOf(CudaDriverException.class);
      assertThatThrownBy(recorder::commit)
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("its launch failed");
    }
    assertThat(gpu.statistics().abandonedLaunches()).isZero();
  }

  @Test
  void theSameArrayMayBeReadTwice() {
    try (DeviceArray<int[]> a = gpu.memory().upload(stream, new int[] {1, 2});
        DeviceArray<int[]> sum = gpu.memory().allocate(stream, int[].class, 2)) {
      kernels.add(a, a, sum, 2);
      assertThat(sum.download(stream)).containsExactly(2, 4);
    }
  }

  @Test
  void aClosedArrayNamesKernelAndParameterAndQueuesNothing() {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceArray<int[]> a = gpu.memory().upload(other, new int[] {1});
        DeviceArray<int[]> sum = gpu.memory().upload(other, new int[] {0})) {
      DeviceArray<int[]> closed = gpu.memory().upload(stream, new int[] {1});
      closed.close();
      long before = device.calls();
      assertThatThrownBy(() -> kernels.add(a, closed, sum, 1))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("add: parameter 'b'");
      assertThat(device.calls()).isEqualTo(before);
    }
  }

  @Test
  void aClosedEmptyArrayIsRefused() {
    DeviceArray<int[]> closed = gpu.memory().allocate(stream, int[].class, 0);
    closed.close();
    assertThatThrownBy(() -> kernels.increment(closed, 0))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("increment: parameter 'values'");
  }

  @Test
  @SuppressWarnings("NullAway")
  void aNullArrayNamesKernelAndParameter() {
    assertThatThrownBy(() -> kernels.increment(null, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("increment: parameter 'values'");
  }

  @Test
  void anArrayOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceArray<int[]> foreign =
            other.memory().upload(other.streams().acquire(), new int[] {1})) {
      assertThatThrownBy(() -> kernels.increment(foreign, 1))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("increment: parameter 'values'");
    }
  }

  @Test
  void aClosedStreamIsRefused() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      stream.close();
      assertThatThrownBy(() -> kernels.increment(values, 1))
          .isInstanceOf(StreamMisuseException.class);
    }
  }

  @Test
  void aMissingArgumentIsRefused() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (recorder;
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values);
      assertThatThrownBy(recorder::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("increment: parameter 'n' was not passed");
      recorder.close();
    }
  }

  @Test
  void argumentsOfTheWrongKindAreRefused() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    DeviceArray<float[]> floats = gpu.memory().upload(stream, new float[] {1});
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    try (recorder) {
      recorder.begin();
      refuses(
          () -> recorder.array(floats),
          "increment: parameter 'values' is " + floats + "; the kernel takes an array of int");
      String array = "increment: parameter 'values' is next, an array of int; ";
      refuses(() -> recorder.value(1), array + "an int was passed");
      refuses(() -> recorder.value(1d), array + "a double was passed");
      refuses(() -> recorder.threads(1), array + "a number of threads was passed");
      refuses(() -> recorder.shape(LaunchShape.of(1, 1)), array + "a launch shape was passed");
      refuses(
          () -> recorder.dynamicSharedBytes(1),
          array + "a size of dynamic shared memory was passed");
      recorder.array(values);
      String threads = "increment: parameter 'n' is next, the number of threads; ";
      refuses(() -> recorder.array(values), threads + "an array was passed");
      refuses(() -> recorder.struct(values), threads + "a structure was passed");
      refuses(() -> recorder.untracked(16), threads + "an address was passed");
      refuses(() -> recorder.value(1), threads + "an int was passed");
      recorder.threads(1);
      refuses(() -> recorder.value(1), "increment: parameter 'n' is the last; an int was passed");
      recorder.preflight().launch().commit();
    }
    assertThat(values.download(stream)).containsExactly(2);
    values.close();
    floats.close();
  }

  private static void refuses(ThrowingCallable argument, String message) {
    assertThatThrownBy(argument).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void aNumberOfAnotherTypeIsRefusedWithBothTypes() {
    LaunchRecorder saxpy =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
    try (LaunchRecorder recorder = saxpy.begin()) {
      String number = "saxpy: parameter 'a' is next, a float; ";
      refuses(() -> recorder.value(1d), number + "a double was passed");
      refuses(() -> recorder.value(true), number + "a boolean was passed");
      refuses(() -> recorder.field(1f), number + "a field outside of a structure was passed");
    }
  }

  @Test
  void aNumberOfThreadsThatItsTypeDoesNotHoldNamesTheParameter() {
    LaunchRecorder increment = VectorKernels.incrementOn(stream);
    DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 0);
    long before = device.calls();
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values);
      refuses(
          () -> recorder.threads(1L << 31),
          "increment: parameter 'n' is 2147483648; an int is at most 2147483647");
      refuses(recorder::preflight, "increment: parameter 'n' was not passed");
    }
    assertThat(device.calls()).isEqualTo(before);
  }

  @Test
  void aStrictRecorderRefusesAnUntrackedAddressAndAPermissiveOneTakesIt() {
    LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      long address = Inside.block(values).address();
      try (LaunchRecorder strict = module.recorder(VectorKernels.INCREMENT).begin()) {
        assertThatThrownBy(() -> strict.untracked(address))
            .isInstanceOf(StreamMisuseException.class)
            .hasMessageContaining("increment: parameter 'values'");
      }
      try (LaunchRecorder permissive = module.permissiveRecorder(VectorKernels.INCREMENT).begin()) {
        permissive.untracked(address).threads(1).preflight().launch().commit();
      }
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void stepsInTheWrongOrderAreRefused() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    assertThatThrownBy(recorder::preflight).isInstanceOf(StreamMisuseException.class);
    try (recorder;
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin();
      assertThatThrownBy(recorder::begin).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::launch).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.array(values).threads(1).preflight();
      assertThatThrownBy(() -> recorder.array(values)).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::preflight).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.launch().commit();
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.close();
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void aLateArgumentIsRefusedAndTheLaunchIsProtectedAllTheSame() {
    DeviceStream other = gpu.streams().acquire();
    VectorKernels onOther = VectorKernels.on(other);
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        DeviceArray<int[]> late = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      assertThatThrownBy(() -> recorder.array(late)).isInstanceOf(StreamMisuseException.class);
      recorder.launch().commit();
      recorder.close();
      long before = device.calls(DriverCall.WAIT_FOR_EVENT);
      onOther.increment(values, 1);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT) - before).isEqualTo(1);
      assertThat(values.download(other)).containsExactly(3);
    }
  }

  @Test
  void anArrayThatOnlyTheRecorderKnowsIsNotLostBeforeTheCommit() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    List<DeviceArray<int[]>> known = new ArrayList<>();
    known.add(gpu.memory().allocateZeroed(stream, int[].class, 1));
    recorder.begin().array(known.remove(0)).threads(1);
    collectOften();
    recorder.preflight();
    collectOften();
    recorder.launch();
    collectOften();
    recorder.commit();
    collectOften();
    assertThat(gpu.memory().statistics().lostArrays()).isZero();
    recorder.close();
    while (gpu.memory().statistics().lostArrays() == 0) {
      System.gc();
    }
  }

  /** Until an object that is garbage for sure is gone, twice. */
  private static void collectOften() {
    for (int i = 0; i < 2; i++) {
      WeakReference<Object> garbage = new WeakReference<>(new Object());
      while (garbage.get() != null) {
        System.gc();
      }
    }
  }

  @Test
  void anAbandonedLaunchLeavesTheStreamAndTheArrayUsable() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      recorder.close();
      assertThat(gpu.statistics().abandonedLaunches()).isEqualTo(1);
      VectorKernels.on(gpu.streams().acquire()).increment(values, 1);
      assertThat(gpu.statistics().abandonedLaunches()).isEqualTo(1);
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void anAbandonedLaunchIsLoggedWithItsKernelAndStream() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (RuntimeLog log = RuntimeLog.listen();
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      recorder.close();
      assertThat(log.messages()).singleElement().asString().contains("increment on stream 1");
    }
  }

  @Test
  void anArrayClosedBetweenPreflightAndCommitIsFreedAtTheEnd() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    recorder.begin().array(values).threads(1).preflight();
    values.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    assertThat(values.isOpen()).isFalse();
    recorder.launch().commit();
    recorder.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    gpu.synchronize();
  }

  @Test
  void aLaunchThatTheDriverRefusesNamesKernelAndStream() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
      assertThatThrownBy(() -> kernels.increment(values, 1))
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.call()).isEqualTo("cuLaunchKernel");
                assertThat(e.code()).isEqualTo(701);
                assertThat(e.purpose()).contains("increment on stream 1");
              });
      assertThat(gpu.statistics().abandonedLaunches()).isZero();
      kernels.increment(values, 1);
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void anAccessOutsideEveryBlockNamesKernelThreadAndAddressAndLosesTheDevice() {
    DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 128);
    kernels.overrun(values, 128);
    assertThatThrownBy(stream::synchronize)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.codeName()).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
              assertThat(e.getCause())
                  .isInstanceOfSatisfying(
                      OutOfBoundsException.class,
                      cause -> {
                        assertThat(cause.kernel()).isEqualTo("overrun");
                        assertThat(cause.thread())
                            .contains("block (4, 0, 0)")
                            .contains("thread (0, 0, 0)");
                        assertThat(cause.address()).isEqualTo(Inside.block(values).address() + 512);
                      });
            });
    assertThatThrownBy(() -> kernels.increment(values, 1))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
    values.close();
    gpu.close();
  }

  @Test
  void anArrayClosedAfterItWasPassedIsRefusedAndNothingIsQueued() {
    DeviceStream other = gpu.streams().acquire();
    DeviceArray<int[]> first = gpu.memory().allocateZeroed(other, int[].class, 1);
    DeviceArray<int[]> second = gpu.memory().allocateZeroed(other, int[].class, 1);
    DeviceArray<int[]> sum = gpu.memory().allocate(stream, int[].class, 1);
    LaunchRecorder add = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.ADD);
    try (LaunchRecorder recorder = add.begin()) {
      recorder.array(first).array(second).array(sum).threads(1);
      second.close();
      long before = device.calls();
      assertThatThrownBy(recorder::preflight)
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("add: parameter 'b'");
      assertThat(device.calls()).isEqualTo(before);
    }
    // Nothing was registered either: what the launch was to read may be written.
    VectorKernels.on(other).increment(first, 1);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
    assertThat(Inside.block(first).hazards().size()).isEqualTo(1);
    first.close();
    sum.close();
  }

  @Test
  void aLaunchThatIsNeverCommittedIsOrderedAllTheSame() {
    DeviceStream other = gpu.streams().acquire();
    VectorKernels onOther = VectorKernels.on(other);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    LaunchRecorder increment =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values).threads(1).preflight().launch();
    }
    long before = device.calls(DriverCall.WAIT_FOR_EVENT);
    onOther.increment(values, 1);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT) - before).isEqualTo(1);
    assertThat(values.download(other)).containsExactly(3);
    values.close();
  }

  @Test
  void aClosedArrayIsRefusedWithItsTagAndWhereItWasClosed() {
    try (DeviceRuntime traced =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withTraceAllocations(true))) {
      DeviceStream on = traced.streams().acquire();
      DeviceArray<int[]> keys = traced.memory().allocate(on, int[].class, 4, "keys");
      closeHere(keys);
      assertThatThrownBy(() -> VectorKernels.on(on).increment(keys, 4))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("increment: parameter 'values'")
          .hasMessageContaining("'keys'")
          .cause()
          .satisfies(
              site ->
                  assertThat(site.getStackTrace())
                      .anyMatch(frame -> frame.getMethodName().equals("closeHere")));
    }
  }

  private static void closeHere(DeviceArray<?> array) {
    array.close();
  }

  @Test
  void aSynchronousLaunchThrowsItsOwnFault() {
    try (DeviceRuntime debugged =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().schedule(Schedule.LAZY).build(),
            RuntimeOptions.defaults().withSynchronousLaunches(true))) {
      DeviceStream on = debugged.streams().acquire();
      VectorKernels launched = VectorKernels.on(on);
      DeviceArray<int[]> values = debugged.memory().allocateZeroed(on, int[].class, 128);
      launched.increment(values, 128);
      assertThatThrownBy(() -> launched.overrun(values, 128))
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.code()).isEqualTo(700);
                assertThat(e.outstanding()).singleElement().asString().startsWith("overrun on");
              });
      values.close();
    }
  }
}
