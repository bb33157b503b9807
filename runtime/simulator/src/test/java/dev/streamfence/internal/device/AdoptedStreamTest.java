package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of other code in the order of the runtime. */
final class AdoptedStreamTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary library = device.library("torch");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream own = gpu.streams().acquire();
  private final long handle = library.createStream();
  private final DeviceArray<int[]> x = gpu.memory().upload(own, new int[] {1, 2, 3, 4});

  @AfterEach
  void nothingIsLeft() {
    boolean lost = Inside.isLost(gpu);
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  @Test
  void launchesOnItAreOrderedWithThoseOnOtherStreams() {
    try (DeviceStream adopted = gpu.streams().adopt(handle)) {
      VectorKernels.on(own).increment(x, 4);
      VectorKernels.on(adopted).increment(x, 4);
      VectorKernels.on(own).increment(x, 4);
      assertThat(x.download(adopted)).containsExactly(4, 5, 6, 7);
      assertThat(adopted.id()).isNotEqualTo(own.id()).isNotZero();
      assertThat(adopted).hasToString("adopted stream " + adopted.id() + " of " + gpu);
    }
  }

  @Test
  void aSecondLaunchOnItWaitsForNothing() {
    try (DeviceStream adopted = gpu.streams().adopt(handle)) {
      VectorKernels kernels = VectorKernels.on(adopted);
      kernels.increment(x, 4);
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      kernels.increment(x, 4);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    }
  }

  @Test
  void workOfItsOwnerRunsInTheOrderOfTheStream() {
    long address = library.allocate(16);
    try (DeviceStream adopted = gpu.streams().adopt(handle)) {
      VectorKernels.on(own).increment(x, 4);
      adopted.submit(
          "copy",
          uses -> uses.reads(x),
          call -> {
            long from = call.address(x);
            library.launch(handle, "copy", m -> m.putInt(address, m.getInt(from)));
          });
      library.launch(handle, "increment", m -> m.putInt(address, m.getInt(address) + 1));
      int[] seen = new int[1];
      library.launch(handle, "check", m -> seen[0] = m.getInt(address));
      adopted.synchronize();
      assertThat(seen).containsExactly(3);
    }
    library.free(address);
  }

  @Test
  void synchronizingItWaitsForTheWorkOfItsOwnerAsWell() throws InterruptedException {
    boolean[] done = new boolean[1];
    try (DeviceStream adopted = gpu.streams().adopt(handle)) {
      // Not after asking for it: a question lets the simulated device go on.
      library.launch(handle, "work", memory -> done[0] = true);
      adopted.synchronize();
      assertThat(done[0]).isTrue();
      assertThat(adopted.isIdle()).isTrue();
      done[0] = false;
      library.launch(handle, "work", memory -> done[0] = true);
      assertThat(adopted.isIdle()).isFalse();
      adopted.synchronize();
      done[0] = false;
      library.launch(handle, "work", memory -> done[0] = true);
      assertThat(adopted.synchronize(Duration.ofSeconds(10))).isTrue();
      assertThat(done[0]).isTrue();
      assertThat(adopted.isIdle()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void afterItsCloseTheOwnerMayDestroyItAndItsWorkStillCounts(Schedule schedule) {
    SimulatedDevice second = SimulatedDevice.builder().schedule(schedule).seed(7).build();
    SimulatedLibrary theirs = second.library("torch");
    try (DeviceRuntime other = DeviceRuntime.simulated(second)) {
      DeviceStream stream = other.streams().acquire();
      DeviceArray<int[]> values = other.memory().upload(stream, new int[] {1, 2, 3, 4});
      for (int i = 0; i < 50; i++) {
        long raw = theirs.createStream();
        DeviceStream adopted = other.streams().adopt(raw);
        VectorKernels.on(adopted).increment(values, 4);
        adopted.close();
        long calls = second.calls();
        adopted.close();
        assertThat(second.calls()).isEqualTo(calls);
        if (i % 3 == 0) {
          VectorKernels.on(stream).increment(values, 4);
        }
        theirs.destroyStream(raw);
      }
      assertThat(values.download(stream)).containsExactly(68, 69, 70, 71);
    }
    assertThat(second.liveObjects()).isZero();
  }

  @Test
  void aClosedHandleIsRefused() {
    DeviceStream adopted = gpu.streams().adopt(handle);
    adopted.close();
    assertThatThrownBy(() -> VectorKernels.on(adopted).increment(x, 4))
        .satisfies(misuse(Misuse.CLOSED_STREAM))
        .hasMessageContaining("adopted stream " + adopted.id());
    assertThatThrownBy(adopted::synchronize).isInstanceOf(StreamMisuseException.class);
  }

  @Test
  void aStreamThatIsAdoptedTwiceIsOneStream() {
    DeviceStream first = gpu.streams().adopt(handle);
    DeviceStream second = gpu.streams().adopt(handle);
    assertThat(second.id()).isEqualTo(first.id());
    VectorKernels.on(first).increment(x, 4);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    first.close();
    VectorKernels.on(second).increment(x, 4);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    second.close();
    assertThat(x.download(own)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void aRawHandleOfOneOfTheRuntimesStreamsIsThatStream() {
    long[] raw = new long[1];
    own.submit("peek", uses -> {}, call -> raw[0] = call.streamHandle());
    try (DeviceStream again = gpu.streams().adopt(raw[0])) {
      assertThat(again.id()).isEqualTo(own.id());
    }
    VectorKernels.on(own).increment(x, 4);
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void theLegacyDefaultStreamIsAdopted(long raw) {
    try (DeviceStream legacy = gpu.streams().adopt(raw)) {
      VectorKernels.on(legacy).increment(x, 4);
      legacy.submit("peek", uses -> {}, call -> assertThat(call.streamHandle()).isEqualTo(1));
    }
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  @Test
  void theDefaultStreamOfEachThreadIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.streams().adopt(2))
        .withMessageContaining("another stream in each thread");
  }

  @Test
  void aHandleThatTheDriverDoesNotKnowIsRefusedByItsNumber() {
    assertThatThrownBy(() -> gpu.streams().adopt(0xABC))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("stream 0xabc");
    assertThat(gpu.streams().lent()).isEqualTo(1);
  }

  @Test
  void moreStreamsThanCanBeAdoptedAreRefusedAndClosedOnesMakeRoom() {
    List<DeviceStream> adopted = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      adopted.add(gpu.streams().adopt(library.createStream()));
    }
    long oneMore = library.createStream();
    assertThatThrownBy(() -> gpu.streams().adopt(oneMore))
        .satisfies(misuse(Misuse.NO_STREAM_LEFT))
        .hasMessageContaining("16 streams are adopted");
    adopted.get(3).close();
    try (DeviceStream replacement = gpu.streams().adopt(oneMore)) {
      assertThat(replacement.id()).isEqualTo(adopted.get(3).id());
      VectorKernels.on(replacement).increment(x, 4);
    }
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  @Test
  void closingItInsideOfALaunchIsRefusedAndLeavesItAdopted() {
    DeviceStream adopted = gpu.streams().adopt(handle);
    adopted.submit(
        "close",
        uses -> uses.readWrites(x),
        call ->
            assertThatThrownBy(adopted::close)
                .satisfies(misuse(Misuse.INSIDE_LAUNCH))
                .hasMessageContaining(
                    "adopted stream " + adopted.id() + " is closed inside of a launch"));
    VectorKernels.on(adopted).increment(x, 4);
    adopted.close();
    assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
  }

  /** A thread that is inside of a call on a stream, which goes on with some code. */
  private Thread inSlowCall(DeviceStream on, Runnable code) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    Thread launching =
        new Thread(
            () ->
                on.submit(
                    "slow",
                    uses -> uses.readWrites(x),
                    call -> {
                      inside.countDown();
                      code.run();
                    }));
    launching.start();
    assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
    return launching;
  }

  @Test
  void closingItWaitsForALaunchOfAnotherThreadAndNotForThePool() throws InterruptedException {
    DeviceStream adopted = gpu.streams().adopt(handle);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    Thread launching =
        inSlowCall(
            adopted,
            () -> {
              goOn.join();
              try (DeviceStream another = gpu.streams().acquire()) {
                assertThat(another.id()).isPositive();
              }
            });
    Thread closing = Waiting.thread(adopted::close);
    goOn.complete(null);
    launching.join();
    closing.join();
    assertThat(x.download(own)).containsExactly(1, 2, 3, 4);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStreamThatAnotherThreadClosesIsAdoptedAnew() throws InterruptedException {
    DeviceStream adopted = gpu.streams().adopt(handle);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    Thread launching = inSlowCall(adopted, goOn::join);
    Thread closing = Waiting.thread(adopted::close);
    try (DeviceStream again = gpu.streams().adopt(handle)) {
      goOn.complete(null);
      launching.join();
      closing.join();
      VectorKernels.on(again).increment(x, 4);
      assertThat(x.download(own)).containsExactly(2, 3, 4, 5);
    }
  }

  @Test
  void aCloseMakesNoDriverCall() {
    DeviceStream adopted = gpu.streams().adopt(handle);
    VectorKernels.on(adopted).increment(x, 4);
    long calls = device.calls();
    adopted.close();
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void everyFailingDriverCallOfItsLastLaunchLeavesLaterWorkInOrder() {
    long calls = launchAndCloseWithFailingCall(Long.MAX_VALUE);
    assertThat(calls).as("events are made, and one is recorded").isGreaterThan(3);
    for (long nth = 1; nth <= calls; nth++) {
      launchAndCloseWithFailingCall(nth);
    }
  }

  /** Returns how many driver calls the launch on the adopted stream made. */
  private static long launchAndCloseWithFailingCall(long nth) {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary theirs = second.library("torch");
    long calls;
    try (DeviceRuntime other = DeviceRuntime.simulated(second)) {
      DeviceStream stream = other.streams().acquire();
      DeviceArray<int[]> values = other.memory().upload(stream, new int[] {1, 2, 3, 4});
      // Where one stream is in use, a launch on one of the runtime's own records no event.
      stream.close();
      long raw = theirs.createStream();
      DeviceStream adopted = other.streams().adopt(raw);
      VectorKernels kernels = VectorKernels.on(adopted);
      long before = second.calls();
      second.failCall(nth, INVALID_VALUE);
      int launched = 1;
      try {
        kernels.increment(values, 4);
      } catch (CudaDriverException refused) {
        launched = 0;
      }
      calls = second.calls() - before;
      adopted.close();
      theirs.destroyStream(raw);
      try (DeviceStream later = other.streams().acquire()) {
        VectorKernels.on(later).increment(values, 4);
        assertThat(values.download(later)[0]).isEqualTo(2 + launched);
        values.close();
      }
    }
    assertThat(second.liveObjects()).isZero();
    return calls;
  }

  @Test
  void aLaunchThatCanNeitherRecordAnEventNorWaitLosesTheDevice() {
    DeviceStream adopted = gpu.streams().adopt(handle);
    VectorKernels kernels = VectorKernels.on(adopted);
    kernels.increment(x, 4);
    device.failCall(DriverCall.RECORD_EVENT, 1, INVALID_VALUE);
    device.failCall(DriverCall.RECORD_EVENT, 2, INVALID_VALUE);
    device.failCall(DriverCall.SYNCHRONIZE_DEVICE, 1, INVALID_VALUE);
    assertThatThrownBy(() -> kernels.increment(x, 4))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("increment on stream " + adopted.id());
    adopted.close();
    assertThatThrownBy(() -> x.download(own)).isInstanceOf(CudaDriverException.class);
  }

  @Test
  void aReplacementThatCannotWaitForItsPredecessorIsNotAdopted() {
    for (int i = 0; i < 16; i++) {
      DeviceStream one = gpu.streams().adopt(library.createStream());
      VectorKernels.on(one).increment(x, 4);
      one.close();
    }
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, INVALID_VALUE);
    long second = library.createStream();
    assertThatThrownBy(() -> gpu.streams().adopt(second))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("adopting stream 0x" + Long.toHexString(second));
    try (DeviceStream again = gpu.streams().adopt(second)) {
      VectorKernels.on(again).increment(x, 4);
    }
    assertThat(x.download(own)).containsExactly(18, 19, 20, 21);
  }

  @Test
  void theEndOfTheRuntimeLeavesTheStreamToItsOwner() {
    DeviceStream adopted = gpu.streams().adopt(handle);
    VectorKernels.on(adopted).increment(x, 4);
    gpu.close();
    adopted.close();
    assertThatThrownBy(() -> gpu.streams().adopt(handle))
        .isInstanceOf(RuntimeClosedException.class);
    assertThat(device.liveObjects()).isZero();
  }
}
