package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each kind of refusal of a launch, with the kernel and the parameter as fields. */
@SuppressWarnings("NullAway") // Null arguments are among the refusals.
final class RefusedLaunchTest extends OneStream {
  /** Stores where a number in device memory says, unless it is too large. */
  private static final String SCATTER =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry scatter(.param .u64 index, .param .u64 out, .param .u32 n)
      {
        .reg .pred %p<2>;
        .reg .b32 %r<3>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [index];
        ld.param.u64 %rd2, [out];
        ld.param.u32 %r2, [n];
        ld.global.u32 %r1, [%rd1];
        setp.ge.u32 %p1, %r1, %r2;
        @%p1 bra DONE;
        mul.wide.u32 %rd3, %r1, 4;
        add.s64 %rd4, %rd2, %rd3;
        st.global.u32 [%rd4], 7;
      DONE:
        ret;
      }
      """;

  private static final KernelSignature ALIASED =
      KernelSignature.entry("add")
          .reads("a", int[].class)
          .reads("b", int[].class)
          .writes("sum", int[].class)
          .threads("n", int.class, 256);

  private final LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3});

  @Override
  RuntimeOptions options() {
    return RuntimeOptions.defaults().withGuardMemory(true);
  }

  @AfterEach
  void closeValues() {
    values.close();
  }

  @Test
  void aWrongArgumentHasItsKindKernelAndParameter() {
    try (DeviceArray<float[]> floats = gpu.memory().upload(stream, new float[] {1});
        LaunchRecorder increment = module.recorder(VectorKernels.INCREMENT).begin()) {
      assertRefused(
          () -> increment.array(null), KernelArgumentException.Mistake.NULL, "increment", "values");
      assertRefused(
          () -> increment.array(floats),
          KernelArgumentException.Mistake.ELEMENT_TYPE,
          "increment",
          "values");
      assertRefused(
          () -> increment.value(1),
          KernelArgumentException.Mistake.UNEXPECTED,
          "increment",
          "values");
      increment.array(values);
      assertRefused(
          increment::preflight, KernelArgumentException.Mistake.MISSING, "increment", "n");
      assertRefused(
          () -> increment.threads(-1), KernelArgumentException.Mistake.NUMBER, "increment", "n");
      assertRefused(
          () -> increment.threads(1L << 31),
          KernelArgumentException.Mistake.NUMBER,
          "increment",
          "n");
      increment.threads(1);
      assertRefused(
          () -> increment.value(1), KernelArgumentException.Mistake.UNEXPECTED, "increment", "n");
    }
  }

  @Test
  void anArrayInATableIsNamedWithItsIndex() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (LaunchRecorder open = bump.begin()) {
      assertRefused(
          () -> open.table(new ReadableArray<?>[] {values, null}),
          KernelArgumentException.Mistake.NULL,
          "bump",
          "columns[1]");
      assertRefused(
          () -> open.table(List.of(values, values)),
          StreamMisuseException.Misuse.ALIAS,
          "bump",
          "columns[1]");
    }
  }

  @Test
  void aFieldOfAStructureIsNamedWithIt() {
    LaunchRecorder valid = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.VALID);
    try (LaunchRecorder open = valid.begin()) {
      assertRefused(
          () -> open.struct(null), KernelArgumentException.Mistake.NULL, "valid", "column");
      open.struct(this);
      assertRefused(
          () -> open.array(null), KernelArgumentException.Mistake.NULL, "valid", "column.values");
    }
  }

  @Test
  void aShapeHasNoParameter() {
    LaunchRecorder reverse = module.recorder(VectorKernels.REVERSE);
    try (LaunchRecorder open = reverse.begin()) {
      open.array(values).shape(LaunchShape.of(1, 1 << 20));
      assertRefused(open::preflight, KernelArgumentException.Mistake.SHAPE, "reverse", "");
    }
  }

  @Test
  void anArrayThatIsTooShortIsToldFromOneThatIsNotProved() {
    assertRefused(
        () -> kernels.increment(values, 4),
        KernelArgumentException.Mistake.TOO_SHORT,
        "increment",
        "values");
    LaunchRecorder scatter =
        LoadedModule.of(stream, KernelImage.of("scatter.ptx", SCATTER.getBytes(US_ASCII)))
            .recorder(
                KernelSignature.entry("scatter")
                    .reads("index", int[].class)
                    .writes("out", int[].class)
                    .value("n", int.class)
                    .shape("shape")
                    .boundsRequired());
    try (DeviceArray<int[]> out = gpu.memory().upload(stream, new int[8]);
        LaunchRecorder open = scatter.begin()) {
      open.array(values).array(out).value(9).shape(LaunchShape.of(1, 1));
      assertRefused(open::preflight, KernelArgumentException.Mistake.UNPROVEN, "scatter", "out");
    }
  }

  @Test
  void aLaunchLikeTheOneBeforeIsCheckedLikeIt() {
    try (DeviceArray<int[]> block = gpu.memory().allocateZeroed(stream, int[].class, 256);
        DeviceArray<int[]> blocks = gpu.memory().allocateZeroed(stream, int[].class, 1024)) {
      for (int round = 0; round < 3; round++) {
        assertTooShort(values, 4);
        assertTooShort(values, 4);
        kernels.increment(values, 3);
        kernels.increment(blocks, 1024);
        assertTooShort(blocks, 1025);
        kernels.increment(blocks, 7);
        assertTooShort(block, 257);
        kernels.increment(block, 256);
        kernels.increment(block, 0);
        kernels.increment(block, 5);
        assertTooShort(block, 257);
      }
    }
    LaunchRecorder add =
        module.recorder(
            KernelSignature.entry("add")
                .reads("a", int[].class)
                .reads("b", int[].class)
                .writes("sum", int[].class)
                .threads("n", int.class, 256));
    DeviceArray<int[]> sum = gpu.memory().allocateZeroed(stream, int[].class, 3);
    DeviceArray<int[]> other = gpu.memory().allocateZeroed(stream, int[].class, 3);
    for (int round = 0; round < 3; round++) {
      add(add, values, other, sum);
      add(add, values, other, sum);
      try (LaunchRecorder open = add.begin()) {
        open.array(sum).array(other);
        assertRefused(() -> open.array(sum), StreamMisuseException.Misuse.ALIAS, "add", "sum");
        open.abort();
      }
      try (LaunchRecorder open = add.begin()) {
        open.array(values);
        open.abort();
      }
      add(add, other, values, sum);
      try (LaunchRecorder open = add.begin()) {
        open.array(other).array(values);
        assertRefused(() -> open.array(other), StreamMisuseException.Misuse.ALIAS, "add", "sum");
      }
    }
    add(add, values, other, sum);
    assertThat(sum.download(stream)).containsExactly(values.download(stream));
    other.close();
    try (LaunchRecorder open = add.begin()) {
      open.array(values).array(other).array(sum).threads(3);
      assertRefused(open::preflight, UseAfterFreeException.Ending.CLOSED, "add", "b");
    }
    add(add, values, values, sum);
    try (DeviceArray<float[]> floats = sum.reinterpret(float[].class);
        LaunchRecorder open = add.begin()) {
      open.array(values).array(values);
      assertRefused(() -> open.array(sum), UseAfterFreeException.Ending.HANDED_OVER, "add", "sum");
      assertRefused(
          () -> open.array(floats), KernelArgumentException.Mistake.ELEMENT_TYPE, "add", "sum");
    }
  }

  private void assertTooShort(DeviceArray<int[]> array, int n) {
    assertRefused(
        () -> kernels.increment(array, n),
        KernelArgumentException.Mistake.TOO_SHORT,
        "increment",
        "values");
  }

  private static void add(
      LaunchRecorder add, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    try (LaunchRecorder open = add.begin()) {
      open.array(a).array(b).array(sum).threads(3).preflight().launch().commit();
    }
  }

  @Test
  void memoryThatCannotBeOrderedHasItsKindKernelAndParameter() {
    LaunchRecorder add = module.recorder(ALIASED);
    try (LaunchRecorder open = add.begin()) {
      open.array(values).array(values);
      assertRefused(() -> open.array(values), StreamMisuseException.Misuse.ALIAS, "add", "sum");
      assertRefused(() -> open.untracked(16), StreamMisuseException.Misuse.UNTRACKED, "add", "sum");
    }
    try (DeviceParts<int[]> parts = values.split(1)) {
      assertRefused(
          () -> kernels.increment(values, 1),
          StreamMisuseException.Misuse.SPLIT,
          "increment",
          "values");
      DeviceArray<int[]> part = parts.get(0);
      parts.join();
      assertRefused(
          () -> kernels.increment(part, 1),
          UseAfterFreeException.Ending.JOINED,
          "increment",
          "values");
    }
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream there = other.streams().acquire();
        DeviceArray<int[]> foreign = other.memory().upload(there, new int[] {1})) {
      assertRefused(
          () -> kernels.increment(foreign, 1),
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "increment",
          "values");
    }
  }

  @Test
  void aStepOutOfTurnNamesTheKernelAlone() {
    LaunchRecorder increment = module.recorder(VectorKernels.INCREMENT);
    assertRefused(increment::preflight, StreamMisuseException.Misuse.WRONG_STEP, "increment", "");
    try (LaunchRecorder open = increment.begin()) {
      assertRefused(open::commit, StreamMisuseException.Misuse.WRONG_STEP, "increment", "");
      assertRefused(
          () -> kernels.add(values, values, values, 1),
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          "add",
          "");
    }
  }

  @Test
  void aClosedArrayHasItsKindKernelAndParameter() {
    DeviceArray<int[]> closed = gpu.memory().upload(stream, new int[] {1});
    LaunchRecorder increment = module.recorder(VectorKernels.INCREMENT);
    try (LaunchRecorder open = increment.begin()) {
      open.array(closed).threads(1);
      closed.close();
      assertRefused(open::preflight, UseAfterFreeException.Ending.CLOSED, "increment", "values");
    }
    assertRefused(
        () -> kernels.increment(closed, 1),
        UseAfterFreeException.Ending.CLOSED,
        "increment",
        "values");
    DeviceArray<int[]> given = gpu.memory().upload(stream, new int[] {1});
    try (DeviceArray<float[]> heir = given.reinterpret(float[].class)) {
      assertRefused(
          () -> kernels.increment(given, 1),
          UseAfterFreeException.Ending.HANDED_OVER,
          "increment",
          "values");
      assertThat(heir.isOpen()).isTrue();
    }
  }

  @Test
  void anArrayThatNothingHasWrittenHasItsKernelAndParameter() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 1)) {
      assertThatThrownBy(() -> kernels.increment(empty, 1))
          .isInstanceOfSatisfying(
              UninitializedReadException.class,
              e ->
                  assertThat(List.of(e.kernel(), e.parameter()))
                      .containsExactly("increment", "values"));
    }
  }

  @Test
  void aRefusalOfAnotherOperationHasNoKernel() {
    DeviceArray<int[]> closed = gpu.memory().upload(stream, new int[] {1});
    closed.close();
    assertRefused(() -> closed.download(stream), UseAfterFreeException.Ending.CLOSED, "", "");
    assertRefused(() -> values.view(0, 1).split(1), StreamMisuseException.Misuse.NOT_WHOLE, "", "");
    DeviceStream given = gpu.streams().acquire();
    given.close();
    assertRefused(() -> values.download(given), StreamMisuseException.Misuse.CLOSED_STREAM, "", "");
  }

  @Test
  void aLaunchOnAClosedStreamHasItsKernel() {
    DeviceStream given = gpu.streams().acquire();
    VectorKernels there = VectorKernels.on(given);
    given.close();

    assertRefused(
        () -> there.increment(values, 4),
        StreamMisuseException.Misuse.CLOSED_STREAM,
        "increment",
        "");
  }

  @Test
  void theAdviceOnMemoryThatNothingHasWrittenIsThatOfTheOperation() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 1)) {
      assertThatThrownBy(() -> kernels.increment(empty, 1)).hasMessageContaining("@Writes");
      assertThatThrownBy(() -> empty.download(stream))
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageEndingWith("which nothing has written; upload or fill it first");
    }
  }

  @Test
  void nothingIsQueuedByARefusal() {
    long launches = device.calls(DriverCall.LAUNCH_KERNEL);
    Throwable refusal = catchThrowable(() -> kernels.increment(values, 4));
    assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(launches);
    assertThat(values.download(stream)).containsExactly(1, 2, 3);
  }
}
