package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a recorder says about itself and about its open launch. */
final class RecorderFactsTest extends OneStream {
  private final LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);

  @Test
  void itsStreamAndItsModeAreReadable() {
    LaunchRecorder strict = module.recorder(VectorKernels.ADD);
    LaunchRecorder permissive = module.permissiveRecorder(VectorKernels.ADD);
    assertThat(strict.stream()).isSameAs(stream);
    assertThat(permissive.stream()).isSameAs(stream);
    assertThat(strict.isStrict()).isTrue();
    assertThat(permissive.isStrict()).isFalse();
  }

  @Test
  void anArrayThatIsPassedTwiceCountsTwiceAndAnEmptyOneNot() {
    LaunchRecorder add = module.recorder(VectorKernels.ADD);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0);
        LaunchRecorder open = add.begin()) {
      assertThat(open.recordedUses()).isZero();
      assertThat(open.array(values).recordedUses()).isEqualTo(1);
      assertThat(open.array(empty).recordedUses()).isEqualTo(1);
      assertThat(open.array(values).recordedUses()).isEqualTo(2);
      // Preflight makes one use of the two, and the count stays.
      assertThat(open.threads(0).preflight().recordedUses()).isEqualTo(2);
      assertThat(open.launch().commit().recordedUses()).isEqualTo(2);
    }
    assertThatThrownBy(add::recordedUses).isInstanceOf(StreamMisuseException.class);
  }

  @Test
  void arraysInTablesCountEachAndARefusedTableNotAtAll() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (DeviceArray<int[]> first = gpu.memory().upload(stream, new int[] {1});
        DeviceArray<int[]> second = gpu.memory().upload(stream, new int[] {1});
        LaunchRecorder open = bump.begin()) {
      assertThatThrownBy(() -> open.table(List.of(first, first)))
          .isInstanceOf(StreamMisuseException.class);
      assertThat(open.recordedUses()).isZero();
      assertThat(open.table(List.of(first, second)).recordedUses()).isEqualTo(2);
    }
  }

  @Test
  void untrackedAddressesAreNoUses() {
    try (LaunchRecorder open = module.permissiveRecorder(VectorKernels.INCREMENT).begin()) {
      assertThat(open.untracked(16).recordedUses()).isZero();
    }
  }
}
