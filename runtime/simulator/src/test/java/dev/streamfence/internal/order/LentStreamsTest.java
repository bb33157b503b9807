package dev.streamfence.internal.order;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lending and returning streams. */
final class LentStreamsTest extends ThreeStreams {
  @Test
  void streamsAreLentAgain() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withStreams(2))) {
      DeviceStream first = small.streams().acquire();
      DeviceStream second = small.streams().acquire();
      assertThat(List.of(first.id(), second.id())).containsExactly(1, 2);
      assertThatThrownBy(() -> small.streams().acquire())
          .satisfies(misuse(Misuse.NO_STREAM_LEFT))
          .hasMessageContaining("all 2 streams");
      first.close();
      first.close();
      assertThat(small.streams().acquire().id()).isEqualTo(1);
      assertThat(small.streams().lent()).isEqualTo(2);
      second.close();
    }
  }

  @Test
  void aStreamOfThePriorityIsLentBeforeAnotherIsExchanged() {
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    try (DeviceRuntime small =
        DeviceRuntime.simulated(simulated, RuntimeOptions.defaults().withStreams(2))) {
      small.streams().acquire(0).close();
      small.streams().acquire(-1).close();
      assertThat(small.streams().acquire(-1).id()).isEqualTo(2);
      assertThat(simulated.calls(DriverCall.CREATE_STREAM)).isEqualTo(2);
      assertThat(small.streams().acquire(-2).id()).isEqualTo(1);
      assertThat(simulated.calls(DriverCall.CREATE_STREAM)).isEqualTo(3);
      assertThatThrownBy(() -> small.streams().acquire(-1))
          .satisfies(misuse(Misuse.NO_STREAM_LEFT));
    }
    assertThat(simulated.liveObjects()).isZero();
  }

  @Test
  void everyStreamOfAWarmPoolCanBeLentWithAnotherPriority() {
    int capacity = gpu.streams().capacity();
    List<DeviceStream> all = new ArrayList<>();
    for (int i = gpu.streams().lent(); i < capacity; i++) {
      all.add(gpu.streams().acquire());
    }
    all.forEach(DeviceStream::close);
    int lent = gpu.streams().lent();
    for (int i = lent; i < capacity; i++) {
      assertThat(gpu.streams().acquire(-1).id()).isGreaterThan(lent);
    }
    assertThat(gpu.streams().lent()).isEqualTo(capacity);
    assertThatThrownBy(() -> gpu.streams().acquire(-1)).isInstanceOf(StreamMisuseException.class);
  }

  @Test
  void alternatingPrioritiesLeaveNoDriverObjectBehind() {
    exhaust();
    c.close();
    int before = device.liveObjects();
    for (int i = 0; i < 100; i++) {
      gpu.streams().acquire(i % 2 - 1).close();
    }
    assertThat(device.liveObjects()).isEqualTo(before);
  }

  @Test
  void workOfAnExchangedStreamComesFirst() {
    exhaust();
    try (DeviceArray<int[]> values = zeros(c)) {
      onC.increment(values, N);
      c.close();
      DeviceStream urgent = gpu.streams().acquire(-1);
      assertThat(urgent.id()).isEqualTo(3);
      VectorKernels.on(urgent).increment(values, N);
      onA.increment(values, N);
      assertThat(values.download(b)).containsOnly(3);
      assertThat(urgent.isIdle()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DriverCall.class,
      names = {"CREATE_STREAM", "CREATE_EVENT", "RECORD_EVENT", "WAIT_FOR_EVENT", "DESTROY_STREAM"})
  void anExchangeThatFailsAnywhereLeavesTheStreamFree(DriverCall failing) {
    exhaust();
    int lent = gpu.streams().lent();
    try (DeviceArray<int[]> values = zeros(c)) {
      onC.increment(values, N);
      c.close();
      device.failCall(failing, 1, 999);
      DeviceStream urgent;
      try {
        urgent = gpu.streams().acquire(-1);
        assertThat(failing).isEqualTo(DriverCall.DESTROY_STREAM);
      } catch (CudaDriverException e) {
        assertThat(e.call()).isEqualTo(failing.function());
        assertThat(gpu.streams().lent()).isEqualTo(lent - 1);
        urgent = gpu.streams().acquire(-1);
      }
      assertThat(gpu.streams().lent()).isEqualTo(lent);
      VectorKernels.on(urgent).increment(values, N);
      assertThat(values.download(urgent)).containsOnly(2);
    }
  }

  @Test
  void aStreamThatOtherCodeHasAdoptedIsNotExchanged() {
    exhaust();
    long[] raw = new long[1];
    c.submit("asking", uses -> {}, call -> raw[0] = call.streamHandle());
    DeviceStream adopted = gpu.streams().adopt(raw[0]);
    c.close();
    assertThatThrownBy(() -> gpu.streams().acquire(-1)).isInstanceOf(StreamMisuseException.class);
    adopted.close();
    assertThat(gpu.streams().acquire(-1).id()).isEqualTo(3);
  }

  @Test
  void aStreamThatAThreadWaitsForIsExchangedAtOnceAndDestroyedLater() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Object> destroyed = new CopyOnWriteArrayList<>();
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(simulated),
            (method, call) -> {
              if (method.equals("synchronizeStream")) {
                waiting.countDown();
                goOn.await();
              }
              if (method.equals("destroyStream")) {
                destroyed.add(call.argument(0));
              }
              return call.proceed();
            });
    StreamPool pool = new StreamPool(driver, 1);
    Timeline only = pool.acquire();
    Object first = only.stream();
    pool.release(only);
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> only.synchronize("a test"));
    waiting.await();
    assertThat(pool.acquire(-1)).isSameAs(only);
    assertThat(only.stream()).isNotSameAs(first);
    assertThat(destroyed).isEmpty();
    pool.release(only);
    goOn.countDown();
    other.join();
    pool.acquire(0);
    assertThat(destroyed).contains(first);
    pool.destroy();
    assertThat(simulated.liveObjects()).isZero();
    driver.close();
  }

  /** Lends every stream. */
  private void exhaust() {
    while (gpu.streams().lent() < gpu.streams().capacity()) {
      gpu.streams().acquire();
    }
  }

  @Test
  void theDefaultStreamIsNumberZeroAndIsNeverReturned() {
    DeviceStream shared = gpu.streams().defaultStream();
    assertThat(shared.id()).isZero();
    shared.close();
    try (DeviceArray<int[]> values = zeros(shared)) {
      assertThat(values.download(shared)).containsOnly(0);
    }
  }

  @Test
  void aStreamThatCannotBeCreatedDoesNotReduceTheStreamsToLend() {
    int lent = gpu.streams().lent();
    device.failCall(DriverCall.CREATE_STREAM, 1, 2);
    assertThatThrownBy(() -> gpu.streams().acquire())
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.call()).isEqualTo("cuStreamCreateWithPriority"));
    assertThat(gpu.streams().lent()).isEqualTo(lent);
    for (int i = lent; i < gpu.streams().capacity(); i++) {
      assertThat(gpu.streams().acquire().id()).isEqualTo(i + 1);
    }
  }
}
