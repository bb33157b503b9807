package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations that make no driver call, beside the close of their runtime: each comes before the
 * close, which waits for it, or is refused because the runtime is closed. The close closes the
 * arrays as well, which must not be the reason that is given.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HandlesBesideCloseTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> array = gpu.memory().upload(stream, new int[10]);

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  static Stream<Named<BiConsumer<DeviceArray<int[]>, DeviceStream>>> operations() {
    return Stream.of(
        Named.of("view", (array, stream) -> array.view(0, 5)),
        Named.of("split", (array, stream) -> array.split(5)),
        Named.of("a fill of nothing", (array, stream) -> array.fill(stream, 0, 0, 1L)),
        Named.of("a download of nothing", (array, stream) -> array.download(stream, 0, 0)),
        Named.of(
            "an upload of nothing", (array, stream) -> array.upload(stream, 0, new int[0], 0, 0)));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void theCloseWaitsForThem(BiConsumer<DeviceArray<int[]>, DeviceStream> operation)
      throws InterruptedException {
    requireThatTheCloseWaits(() -> operation.accept(array, stream));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void afterTheCloseTheyNameTheRuntime(BiConsumer<DeviceArray<int[]>, DeviceStream> operation) {
    gpu.close();
    assertThatThrownBy(() -> operation.accept(array, stream))
        .isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void theCloseWaitsForAReinterpretOfAView() throws InterruptedException {
    DeviceArray<int[]> view = array.view(0, 4);
    requireThatTheCloseWaits(() -> view.reinterpret(byte[].class));
  }

  @Test
  void theCloseWaitsForAJoin() throws InterruptedException {
    DeviceParts<int[]> parts = array.split(5);
    requireThatTheCloseWaits(parts::join);
  }

  @Test
  void aJoinAfterTheCloseNamesTheRuntime() {
    DeviceParts<int[]> parts = array.split(5);
    gpu.close();
    assertThatThrownBy(parts::join).isInstanceOf(RuntimeClosedException.class);
    parts.close();
  }

  /** Stops the operation where it asks the array's hazard state, and closes the runtime. */
  private void requireThatTheCloseWaits(Runnable operation) throws InterruptedException {
    HazardState hazards = requireNonNull(TrackedArray.of(array).region()).hazards();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> closed = new AtomicReference<>();
    Thread inside = new Thread(() -> thrown.set(catchThrowable(operation::run)));
    Thread closer = new Thread(() -> closed.set(tryClose()));
    hazards.lock();
    try {
      inside.start();
      HazardLocks.awaitEndOrLock(inside);
      closer.start();
      // A close that does not wait goes on to the array, whose lock it waits for.
      HazardLocks.awaitEndOrLock(closer);
    } finally {
      hazards.unlock();
    }
    inside.join();
    closer.join();
    assertThat(closed).hasValue(false);
    assertThat(thrown).hasValue(null);
  }

  private boolean tryClose() {
    try {
      return gpu.close(Duration.ZERO);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
