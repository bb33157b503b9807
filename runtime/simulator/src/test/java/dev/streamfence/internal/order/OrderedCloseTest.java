package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Closing a runtime waits for its work, reports what went wrong, and frees the rest. */
final class OrderedCloseTest extends ThreeStreams {
  @Test
  void closingThrowsAFaultThatItSeesFirst() {
    lost = true;
    DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, N);
    onA.overrun(values, 4096);
    assertThatThrownBy(gpu::close)
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
    assertThat(gpu.isOpen()).isFalse();
  }

  @Test
  void aModuleIsUnloadedOnlyWhenItsKernelsAreDone() {
    AtomicBoolean wasIdle = new AtomicBoolean();
    List<CudaDriver.StreamHandle> streams = new ArrayList<>();
    CudaDriver simulated = Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build());
    CudaDriver watching =
        InterceptedDriver.of(
            simulated,
            (method, call) -> {
              if (method.equals("unloadModule")) {
                wasIdle.set(streams.stream().allMatch(simulated::isStreamIdle));
              }
              Object answer = call.proceed();
              if (answer instanceof CudaDriver.StreamHandle stream) {
                streams.add(stream);
              }
              return answer;
            });
    DeviceRuntime closing = RuntimeOverDriver.open(watching, RuntimeOptions.defaults());
    DeviceStream stream = closing.streams().acquire();
    DeviceArray<int[]> values = closing.memory().allocateZeroed(stream, int[].class, N);
    VectorKernels.on(stream).increment(values, N);
    assertThat(simulated.isStreamIdle(streams.get(0))).isFalse();
    closing.close();
    assertThat(wasIdle).isTrue();
  }

  @Test
  void aRuntimeIsNotClosedWhileALaunchIsOpen() throws Exception {
    DeviceArray<int[]> values = zeros(a);
    Submission open = Inside.timeline(a).begin(new NamedUse("a launch"));
    assertThatThrownBy(gpu::close).isInstanceOf(StreamMisuseException.class);
    assertThat(gpu.isOpen()).isTrue();
    Thread closer = new Thread(gpu::close);
    closer.start();
    while (gpu.isOpen()) {
      Thread.onSpinWait();
    }
    open.use(Inside.allocation(values).hazards(), true, true, 0);
    open.preflight();
    open.commit();
    open.close();
    closer.join();
    assertThatThrownBy(() -> onA.increment(values, N)).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void oneFailureAtCloseDoesNotKeepTheRestFromBeingFreed() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);
    onB.increment(values, N);
    onA.increment(values, N);
    int before = device.liveObjects();
    for (DriverCall call :
        List.of(DriverCall.DESTROY_EVENT, DriverCall.DESTROY_STREAM, DriverCall.UNLOAD_MODULE)) {
      device.failCall(call, 1, 999);
    }
    assertThatThrownBy(gpu::close).isInstanceOf(CudaDriverException.class);
    assertThat(before).isGreaterThan(70);
    // One event, one stream, and the module, which has no variables.
    assertThat(device.liveObjects()).isEqualTo(3);
    lost = true;
  }
}
