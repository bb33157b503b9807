package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The native memory through which arguments reach the driver. */
final class ArgumentFrameTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final KernelModules modules = KernelModules.of(Inside.of(gpu));

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static List<KernelParameter.Passed> numbers(int count) {
    return Collections.nCopies(count, new KernelParameter.Value("v", ElementType.LONG));
  }

  @Test
  void theTableHasTheAddressOfEachArgumentAndNoneOverlap() {
    List<KernelParameter.Field> bytes =
        Collections.nCopies(9, new KernelParameter.Value("v", ElementType.BYTE));
    List<KernelParameter.Passed> parameters =
        List.of(
            new KernelParameter.Value("b", ElementType.BYTE),
            new KernelParameter.Struct("s", bytes),
            new KernelParameter.Value("l", ElementType.LONG));

    ArgumentFrame frame = modules.frame(parameters);

    // Three addresses, then 8 bytes for one, 16 for nine, and 8.
    assertThat(ArgumentFrame.sizeInBytes(parameters)).isEqualTo(24 + 8 + 16 + 8);
    assertThat(frame.memory().sizeInBytes()).isEqualTo(24 + 8 + 16 + 8);
    ByteBuffer table = frame.memory().buffer();
    long start = frame.memory().address();
    assertThat(table.getLong(0)).isEqualTo(start + 24);
    assertThat(table.getLong(8)).isEqualTo(start + 32);
    assertThat(table.getLong(16)).isEqualTo(start + 48);
    frame.put(frame.offset(1) + 8, (byte) 7);
    frame.put(frame.offset(2), 9L);
    assertThat(table.get(40)).isEqualTo((byte) 7);
    assertThat(frame.number(frame.offset(2), Long.BYTES)).isEqualTo(9);
    assertThat(table.getLong(48)).isEqualTo(9);
  }

  @Test
  void aKernelWithoutParametersHasAFrameToo() {
    assertThat(ArgumentFrame.sizeInBytes(List.of())).isEqualTo(8);
    assertThat(modules.frame(List.of()).memory().sizeInBytes()).isEqualTo(8);
  }

  @Test
  void framesShareMemoryUntilItIsFullAndNoneOverlap() {
    long before = device.calls(DriverCall.ALLOCATE_HOST);
    // Of 64 KiB, each takes an eighth.
    List<KernelParameter.Passed> eighth = numbers(512);

    long end = 0;
    for (int i = 0; i < 8; i++) {
      ArgumentFrame frame = modules.frame(eighth);
      assertThat(frame.memory().sizeInBytes()).isEqualTo(8192);
      if (i > 0) {
        assertThat(frame.memory().address()).isEqualTo(end);
      }
      end = frame.memory().address() + 8192;
    }
    assertThat(device.calls(DriverCall.ALLOCATE_HOST) - before).isEqualTo(1);

    modules.frame(eighth);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST) - before).isEqualTo(2);
    modules.frame(eighth);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST) - before).isEqualTo(2);
  }

  @Test
  void aFrameLargerThanAChunkHasMemoryOfItsOwn() {
    long before = device.calls(DriverCall.ALLOCATE_HOST);

    assertThat(modules.frame(numbers(5_000)).memory().sizeInBytes()).isEqualTo(80_000);

    assertThat(device.calls(DriverCall.ALLOCATE_HOST) - before).isEqualTo(1);
  }

  @Test
  void aRefusalOfFrameMemoryNamesItsPurpose() {
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);

    assertThatThrownBy(() -> modules.frame(numbers(1)))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).contains("allocating memory for arguments"));
    assertThat(modules.frame(numbers(1)).memory().sizeInBytes()).isEqualTo(16);
  }
}
