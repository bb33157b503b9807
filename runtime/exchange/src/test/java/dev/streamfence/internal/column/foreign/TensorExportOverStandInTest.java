package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.jcuda.StandIn;
import java.util.List;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The driver calls of an export, through JCuda's real native library. */
final class TensorExportOverStandInTest {
  private final StandIn standIn = StandIn.loaded();
  private final List<Long> before = standIn.live();

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.live()).isEqualTo(before);
    assertThat(standIn.wrongContexts()).isZero();
  }

  @Test
  void theDefaultStreamOfTheCallingThreadWaits() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      List<String> calls =
          standIn.trace(() -> DlPack.export(array, TensorConsumer.onStream(2)).close());
      assertThat(calls).anyMatch(call -> call.matches("cuStreamWaitEvent .*stream=default 2 .*"));
      // Another order would let the other code read before the array is written.
      assertThat(calls.stream().map(call -> call.substring(0, call.indexOf(' '))))
          .containsSubsequence("cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy");
    }
  }

  @Test
  void aDeleterLeavesTheThreadsContextAsItIs() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceRuntime second = DeviceRuntime.open(1);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      long[] handle = new long[1];
      stream.submit("ask", uses -> {}, call -> handle[0] = call.streamHandle());
      long tensor = DlPack.export(array, TensorConsumer.onStream(handle[0])).handOver();
      Inside.driver(second).makeCurrent();
      List<String> calls =
          standIn.trace(
              () -> {
                DlPack.tensor(tensor).delete();
                JCudaDriver.cuCtxSynchronize();
              });
      assertThat(calls.get(calls.size() - 1)).startsWith("cuCtxSynchronize context=1");
    }
  }
}
