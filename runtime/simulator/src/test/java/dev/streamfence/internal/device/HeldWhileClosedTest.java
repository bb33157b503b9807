package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.AllocationResource;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arrays that a graph begins to hold while they are closed: after the call, before it ends. */
final class HeldWhileClosedTest {
  private static final int N = 4;
  private static final RuntimeOptions OPTIONS = RuntimeOptions.defaults().withCachingPool(false);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      Opening.of(Inside.open(device), true, OPTIONS).withBackend(this::watched).open();
  private final DeviceStream stream = gpu.streams().acquire();
  private final VectorKernels kernels = VectorKernels.on(stream);
  private final DeviceArray<int[]> x = gpu.memory().allocateZeroed(stream, int[].class, N);
  private final DeviceArray<int[]> first = gpu.memory().allocateZeroed(stream, int[].class, N);

  private UpstreamResource upstream;

  /** Runs once before the next free, as another thread may do. */
  private Runnable beforeFree = () -> {};

  private AllocationResource watched(StreamPool streams) {
    upstream = (UpstreamResource) MemoryStack.backend(OPTIONS).apply(streams);
    return (AllocationResource)
        Proxy.newProxyInstance(
            AllocationResource.class.getClassLoader(),
            new Class<?>[] {AllocationResource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("deallocate")) {
                Runnable before = beforeFree;
                beforeFree = () -> {};
                before.run();
              }
              try {
                return method.invoke(upstream, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @AfterEach
  void nothingIsLeft() {
    first.close();
    gpu.synchronize();
    upstream.close();
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private void assertClosed() {
    assertThat(x.isOpen()).isFalse();
    assertThatThrownBy(() -> x.fill(stream, 1)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> kernels.increment(x, N)).isInstanceOf(UseAfterFreeException.class);
  }

  private void assertAllocated(int arrays) {
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo((long) arrays * N * Integer.BYTES);
  }

  @Test
  void anArrayThatIsBoundWhileItIsClosedIsClosedAndLivesAsLongAsTheGraph() {
    try (KernelGraph graph =
        gpu.graph("bound", body -> kernels.increment(body.input("x", first), N))) {
      beforeFree = () -> graph.bind("x", x);

      x.close();

      assertClosed();
      graph.launch(stream);
      assertAllocated(2);
    }
    assertAllocated(1);
  }

  @Test
  void anArrayThatIsRecordedWhileItIsClosedIsClosedAndLivesAsLongAsTheGraph() {
    KernelGraph[] graph = new KernelGraph[1];
    beforeFree = () -> graph[0] = gpu.graph("uses", body -> kernels.increment(x, N));

    x.close();

    assertClosed();
    graph[0].launch(stream);
    assertAllocated(2);
    graph[0].close();
    assertAllocated(1);
  }

  @Test
  void anArrayIsFreedIfTheGraphEndsBeforeItsClose() {
    beforeFree = () -> gpu.graph("uses", body -> kernels.increment(x, N)).close();

    x.close();

    assertClosed();
    assertAllocated(1);
  }
}
