package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SharedRuntimesTest {
  private final AtomicInteger opened = new AtomicInteger();
  private final SharedRuntimes shared = new SharedRuntimes(this::open);

  private DeviceRuntime open(int ordinal) {
    opened.incrementAndGet();
    return Opening.of(
            Inside.open(SimulatedDevice.builder().build()), true, RuntimeOptions.defaults())
        .forTheProcess()
        .open();
  }

  @Test
  void everyCallReturnsTheSameRuntime() {
    assertThat(shared.get(0)).isSameAs(shared.get(0)).isNotSameAs(shared.get(1));
    assertThat(opened).hasValue(2);
  }

  @Test
  void threadsThatRaceForTheFirstRuntimeOpenItOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int ordinal = 0; ordinal < 50; ordinal++) {
        int device = ordinal;
        CyclicBarrier start = new CyclicBarrier(8);
        List<Future<DeviceRuntime>> got = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          got.add(
              threads.submit(
                  () -> {
                    start.await();
                    return shared.get(device);
                  }));
        }
        Set<DeviceRuntime> distinct = new HashSet<>();
        for (Future<DeviceRuntime> one : got) {
          distinct.add(one.get());
        }
        assertThat(distinct).hasSize(1);
        assertThat(opened).hasValue(ordinal + 1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void theNextCallTriesAgainToOpenAFailedRuntime() {
    AtomicInteger attempts = new AtomicInteger();
    SharedRuntimes flaky =
        new SharedRuntimes(
            ordinal -> {
              if (attempts.incrementAndGet() == 1) {
                throw new DeviceException("no device yet");
              }
              return open(ordinal);
            });
    assertThatThrownBy(() -> flaky.get(0)).isInstanceOf(DeviceException.class);
    assertThat(flaky.get(0)).isSameAs(flaky.get(0));
    assertThat(attempts).hasValue(2);
  }

  @Test
  void aSharedRuntimeWorksLikeAnyOtherAndIsNotClosed() {
    DeviceRuntime gpu = shared.get(0);
    DeviceStream stream = gpu.streams().acquire();
    assertThatIllegalStateException().isThrownBy(gpu::close).withMessageContaining("shared");
    assertThat(gpu.isOpen()).isTrue();
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2})) {
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(8);
      array.fill(stream, 3);
      assertThat(array.download(stream)).containsOnly(3);
    }
    stream.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void anOrdinalWithoutADeviceIsRefused() {
    assertThatThrownBy(() -> DeviceRuntime.shared(9999)).isInstanceOf(DeviceException.class);
    assertThatThrownBy(() -> DeviceRuntime.shared(-1)).isInstanceOf(DeviceException.class);
  }
}
