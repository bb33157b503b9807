package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.internal.column.ColumnDraft;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.UntrackingResource;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** A column over memory of a resource that does not wait for the uses of an allocation. */
final class UntrackedColumnTest {
  @Test
  void anExportedColumnOverUntrackedMemoryIsNotExternalAndIsRefusedAsUntracked() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu =
            Opening.of(Inside.open(device), true, RuntimeOptions.defaults())
                .withBackend(UntrackingResource::new)
                .open();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 4)) {
      VectorKernels kernels = VectorKernels.on(stream);
      DeviceColumn<int[]> column =
          new ColumnDraft<>(ColumnField.of("x", ColumnType.INT32), 4, array.view(0, 4))
              .origin(ColumnOrigin.DLPACK_EXPORT)
              .buildWritable();
      assertThat(column.isExternal()).isFalse();
      long before = device.calls();
      assertThatThrownBy(() -> kernels.increment(column.values(), 4))
          .satisfies(misuse(Misuse.UNTRACKED));
      assertThat(device.calls()).isEqualTo(before);
    }
    assertThat(device.liveObjects()).isZero();
  }
}
