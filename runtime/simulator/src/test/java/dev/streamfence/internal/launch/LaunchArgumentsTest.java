package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arguments that a launch accepts, and those that it refuses. */
final class LaunchArgumentsTest extends OneStream {
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
  void emptyArraysAreAccepted() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0)) {
      kernels.add(empty, empty, empty, 0);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    }
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
  void theSameArrayIsNotWrittenThroughTwoParametersUnlessThatIsDeclared() {
    DeviceArray<float[]> both = gpu.memory().upload(stream, new float[] {1, 2, 3});
    DeviceArray<float[]> other = gpu.memory().upload(stream, new float[] {1, 2, 3});
    long before = device.calls();
    assertRefused(
        () -> kernels.saxpy(1f, both, both, 3), StreamMisuseException.Misuse.ALIAS, "saxpy", "y");
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
    int before = Inside.allocation(x).hazards().size();
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(1f).array(x);
      assertThatThrownBy(() -> recorder.array(x)).isInstanceOf(StreamMisuseException.class);
      recorder.array(y).threads(1).preflight().launch().commit();
    }
    // The launch reads it; as a write it would be the only use that is left.
    assertThat(Inside.allocation(x).hazards().size()).isEqualTo(before + 1);
    assertThat(y.download(stream)).containsExactly(2f);
    x.close();
    y.close();
  }

  @Test
  void anArrayThatIsRefusedAsAnAliasNeedNotBeLongEnough() {
    DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1, 2, 3});
    DeviceArray<float[]> y = gpu.memory().upload(stream, new float[] {1, 1, 1});
    LaunchRecorder saxpy =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
    try (LaunchRecorder recorder = saxpy.begin()) {
      recorder.value(1f).array(x);
      assertThatThrownBy(() -> recorder.array(x.view(0, 1)))
          .isInstanceOf(StreamMisuseException.class);
      recorder.array(y).threads(3).preflight().launch().commit();
    }
    assertThat(y.download(stream)).containsExactly(2f, 3f, 4f);
    x.close();
    y.close();
  }

  @Test
  @SuppressWarnings("NullAway")
  void aNullArrayNamesKernelAndParameter() {
    assertRefused(
        () -> kernels.increment(null, 1),
        KernelArgumentException.Mistake.NULL,
        "increment",
        "values");
  }

  @Test
  void anArrayOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceArray<int[]> foreign =
            other.memory().upload(other.streams().acquire(), new int[] {1})) {
      assertRefused(
          () -> kernels.increment(foreign, 1),
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "increment",
          "values");
    }
  }

  @Test
  void aMissingArgumentIsRefused() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (recorder;
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values);
      assertRefused(recorder::preflight, KernelArgumentException.Mistake.MISSING, "increment", "n");
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
      assertRefused(
          () -> recorder.value(1), KernelArgumentException.Mistake.UNEXPECTED, "increment", "n");
      recorder.preflight().launch().commit();
    }
    assertThat(values.download(stream)).containsExactly(2);
    values.close();
    floats.close();
  }

  @Test
  void aNumberOfAnotherTypeIsRefusedWithBothTypes() {
    LaunchRecorder saxpy =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
    try (LaunchRecorder recorder = saxpy.begin()) {
      String number = "saxpy: parameter 'a' is next, a float; ";
      refuses(() -> recorder.value(1d), number + "a double was passed");
      refuses(() -> recorder.value(true), number + "a boolean was passed");
      refuses(() -> recorder.struct(this), number + "a structure was passed");
      refuses(() -> recorder.table(List.of()), number + "a table of arrays was passed");
    }
  }

  @Test
  void aStrictRecorderRefusesAnUntrackedAddressAndAPermissiveOneTakesIt() {
    LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      long address = Inside.allocation(values).address();
      try (LaunchRecorder strict = module.recorder(VectorKernels.INCREMENT).begin()) {
        assertRefused(
            () -> strict.untracked(address),
            StreamMisuseException.Misuse.UNTRACKED,
            "increment",
            "values");
      }
      try (LaunchRecorder permissive = module.permissiveRecorder(VectorKernels.INCREMENT).begin()) {
        permissive.untracked(address).threads(1).preflight().launch().commit();
      }
      assertThat(values.download(stream)).containsExactly(2);
    }
  }
}
