package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import org.junit.jupiter.api.Test;

/** Arrays that a launch may leave out. */
final class OptionalArgumentTest extends OneStream {
  private final OptionalKernels optionals = OptionalKernels.on(stream);
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {7});
  private final DeviceArray<int[]> mask = gpu.memory().upload(stream, new int[] {5});
  private final DeviceArray<int[]> out = gpu.memory().upload(stream, new int[] {0});

  private int picked() {
    return out.download(stream)[0];
  }

  @Test
  void anAbsentArrayPassesTheAddress0() {
    optionals.pick(values, mask, out);
    assertThat(picked()).isEqualTo(5);
    optionals.pick(values, null, out);
    assertThat(picked()).isEqualTo(7);
    optionals.pick(values, mask, out);
    assertThat(picked()).isEqualTo(5);
  }

  @Test
  void anEmptyArrayPassesTheAddress0AsWell() {
    DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0);
    optionals.pick(values, empty, out);
    assertThat(picked()).isEqualTo(7);
    optionals.pick(values, mask.view(1, 0), out);
    assertThat(picked()).isEqualTo(7);
    empty.close();
  }

  @Test
  void anAbsentArrayOfAStructurePassesTheAddress0InItsPlace() {
    optionals.packed(values, mask, 100, out);
    assertThat(picked()).isEqualTo(105);
    optionals.packed(values, null, 100, out);
    assertThat(picked()).isEqualTo(107);
  }

  @Test
  void anAbsentArrayIsNoUse() {
    int before = Inside.allocation(mask).hazards().size();
    optionals.pick(values, null, out);
    assertThat(Inside.allocation(mask).hazards().size()).isEqualTo(before);
    assertThat(device.findings()).isEmpty();
    assertThat(picked()).isEqualTo(7);
  }

  @Test
  void anotherParameterRefusesNullWithKernelAndName() {
    assertRefused(
        () -> optionals.pick(null, mask, out),
        KernelArgumentException.Mistake.NULL,
        "pick",
        "values");
    assertRefused(
        () -> optionals.pick(values, mask, null),
        KernelArgumentException.Mistake.NULL,
        "pick",
        "out");
    assertRefused(
        () -> optionals.packed(null, mask, 1, out),
        KernelArgumentException.Mistake.NULL,
        "packed",
        "column.values");
    assertThat(picked()).isZero();
  }

  @Test
  void aRefusedNullLeavesTheParametersTurn() {
    LoadedModule module = LoadedModule.of(stream, OptionalKernels.IMAGE);
    try (LaunchRecorder recorder = module.recorder(OptionalKernels.PICK).begin()) {
      assertThatThrownBy(() -> recorder.array(null)).isInstanceOf(IllegalArgumentException.class);
      recorder.array(values).array(null).array(out).threads(1).preflight().launch().commit();
    }
    assertThat(picked()).isEqualTo(7);
  }

  @Test
  void anAbsentArrayIsPassedInItsTurnOnly() {
    LoadedModule module = LoadedModule.of(stream, OptionalKernels.IMAGE);
    try (LaunchRecorder recorder = module.permissiveRecorder(OptionalKernels.PICK).begin()) {
      recorder.array(values).array(null).array(out);
      assertRefused(
          () -> recorder.array(null), KernelArgumentException.Mistake.UNEXPECTED, "pick", "n");
      recorder.threads(1).preflight().launch().commit();
    }
    assertThat(picked()).isEqualTo(7);
  }

  @Test
  void aPresentArrayIsCheckedLikeAnyOther() {
    DeviceArray<int[]> closed = gpu.memory().upload(stream, new int[] {1});
    closed.close();
    assertThatThrownBy(() -> optionals.pick(values, closed, out))
        .hasMessageContaining("pick: parameter 'mask'");
    assertThatThrownBy(() -> optionals.pick(values, out, out))
        .hasMessageContaining("pick: parameter 'out' is the same array as parameter 'mask'");
  }

  @Test
  void aKernelThatFollowsTheAddress0Faults() {
    optionals.careless(mask, out);
    assertThat(picked()).isEqualTo(5);
    optionals.careless(null, out);
    assertThatThrownBy(stream::synchronize).hasMessageContaining("careless");
  }
}
