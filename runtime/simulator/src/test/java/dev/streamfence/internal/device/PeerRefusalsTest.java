package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies between devices that are refused, and what is refused without one. */
final class PeerRefusalsTest {
  private final TwoDevices two = TwoDevices.open();
  private final DeviceArray<int[]> away = two.filled(0, 5);
  private final DeviceArray<int[]> own = two.filled(1, 1);

  /** On the stream of {@code own}. */
  private final VectorKernels kernels = two.forPeers(1);

  @AfterEach
  void closeClean() {
    two.closeClean();
  }

  @Test
  void aClosedSourceIsRefusedByName() {
    away.close();

    assertThatThrownBy(() -> own.copyFrom(two.streams.get(1), away))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("from device 0 to device 1");
    assertThat(value(own)).isEqualTo(1);
  }

  @Test
  void devicesOfTwoMachinesAreRefused() {
    try (DeviceRuntime one = DeviceRuntime.simulated();
        DeviceRuntime other = DeviceRuntime.simulated()) {
      DeviceArray<int[]> source =
          one.memory().upload(one.streams().defaultStream(), new int[] {1, 2});
      DeviceStream stream = other.streams().defaultStream();

      assertMisuse(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "built together",
          () -> source.copyTo(stream));
      assertThat(other.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void aCopyInsideOfALaunchOfEitherDeviceIsRefused() {
    for (int i = 0; i < 2; i++) {
      two.streams
          .get(i)
          .submit(
              "open",
              ForeignUses::toString,
              call ->
                  assertMisuse(
                      StreamMisuseException.Misuse.INSIDE_LAUNCH,
                      "inside of a launch",
                      () -> own.copyFrom(two.streams.get(1), away)));
    }
  }

  @Test
  void aCopyInTheBodyOfAGraphIsRefused() {
    two.gpus
        .get(0)
        .graph(
            "body",
            graph ->
                assertMisuse(
                    StreamMisuseException.Misuse.INSIDE_GRAPH,
                    "copy of",
                    () -> own.copyFrom(two.streams.get(1), away)));
  }

  @Test
  void aLaunchWithAnArrayOfAnotherDeviceIsRefusedWithTheRemedies() {
    assertMisuse(
        StreamMisuseException.Misuse.OTHER_RUNTIME,
        "copyTo brings an array to the device of a stream, and @ReadWrites(peer = true) lets a"
            + " kernel use it where it is",
        () -> two.kernels.get(1).increment(away, N));
  }

  @Test
  void aLaunchWithoutPeerAccessNamesKernelParameterDevicesAndRemedy() {
    TwoDevices machine = TwoDevices.openWithoutAccess();
    DeviceArray<int[]> there = machine.filled(0, 5);
    VectorKernels launches = machine.forPeers(1);

    for (int again = 0; again < 2; again++) {
      assertThatThrownBy(() -> launches.increment(there, N))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageStartingWith("increment: parameter 'values' is ")
          .hasMessageContaining(machine.gpus.get(0).toString())
          .hasMessageContaining("the launch is on " + machine.streams.get(1))
          .hasMessageContaining(machine.gpus.get(1).toString())
          .hasMessageEndingWith(
              "the device has no peer access to that memory; copyTo brings an array to the device"
                  + " of a stream");
    }
    launches.increment(there.copyTo(machine.streams.get(1)), N);
    assertThat(value(there)).isEqualTo(5);
    machine.closeClean();
  }

  @Test
  void accessThatTheDriverFailsToEnableIsAskedForAgain() {
    two.devices.get(1).failCall(DriverCall.ENABLE_PEER_ACCESS, 1, 1);

    assertThatThrownBy(() -> kernels.increment(away, N))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("increment on stream 1");
    kernels.increment(away, N);

    assertThat(value(away)).isEqualTo(6);
  }

  @Test
  void aLaunchOnAnArrayOfADeviceOfAnotherMachineIsRefused() {
    try (DeviceRuntime one = DeviceRuntime.simulated();
        DeviceRuntime other = DeviceRuntime.simulated()) {
      DeviceArray<int[]> there =
          one.memory().upload(one.streams().defaultStream(), new int[] {1, 2});
      DeviceStream stream = other.streams().defaultStream();

      for (VectorKernels launches :
          List.of(VectorKernels.on(stream), VectorKernels.forPeersOn(stream))) {
        assertMisuse(
            StreamMisuseException.Misuse.OTHER_RUNTIME,
            "they belong to two runtimes, and neither copies nor peer access lead from one to the"
                + " other; use arrays of the launch's runtime, or open simulated devices that were"
                + " built together, by SimulatedDevice.builder().build(n)",
            () -> launches.increment(there, 2));
      }
    }
  }

  @Test
  void aLaunchInAGraphUsesArraysOfOneDeviceOnly() {
    two.gpus
        .get(1)
        .graph(
            "body",
            graph ->
                assertMisuse(
                    StreamMisuseException.Misuse.OTHER_RUNTIME,
                    "a graph has memory of one device only; copyTo brings",
                    () -> kernels.increment(away, N)));
    two.gpus
        .get(0)
        .graph(
            "body",
            graph ->
                assertMisuse(
                    StreamMisuseException.Misuse.INSIDE_GRAPH,
                    "increment on stream 1 of device 1",
                    () -> kernels.increment(away, N)));
  }

  @Test
  void workInsideOfACallOfTheOtherDeviceIsRefused() {
    DeviceStream here = two.streams.get(1);
    DeviceStream another = two.gpus.get(1).streams().acquire();
    DeviceArray<int[]> freed = two.filled(1, 3);
    List<ThrowingCallable> waiting =
        List.of(
            () -> kernels.increment(away, N),
            () -> kernels.increment(own, N),
            () -> own.fill(here, 1),
            () -> own.upload(here, new int[N]),
            () -> own.download(here),
            () -> own.copy(here),
            () -> own.copyFrom(here, away),
            () -> two.gpus.get(1).memory().allocate(here, int[].class, N),
            () -> two.gpus.get(1).graph("body", graph -> {}).launch(here));

    two.streams
        .get(0)
        .submit(
            "open",
            ForeignUses::toString,
            call -> {
              for (ThrowingCallable begins : waiting) {
                assertMisuse(StreamMisuseException.Misuse.INSIDE_LAUNCH, "", begins);
              }
              assertMisuse(
                  StreamMisuseException.Misuse.INSIDE_LAUNCH,
                  "increment on stream 1 begins while 'open' on stream 1 is open on device 0 in this"
                      + " thread; close that first",
                  () -> kernels.increment(own, N));
              // These wait for no other thread.
              freed.close();
              another.close();
            });

    kernels.increment(own, N);
    assertThat(value(own)).isEqualTo(2);
  }

  @Test
  void workInsideOfACallOfADeviceOfAnotherMachineIsNotRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated()) {
      DeviceStream stream = other.streams().defaultStream();
      stream.submit("open", ForeignUses::toString, call -> kernels.increment(own, N));
    }
    assertThat(value(own)).isEqualTo(2);
  }

  @Test
  void launchesOnEachOthersArraysInsideOfCallsDoNotDeadlock() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> launch =
        CompletableFuture.runAsync(
            () -> {
              try (LaunchRecorder recorder =
                  VectorKernels.addForPeersOn(two.streams.get(1)).begin()) {
                recorder.array(own).array(own).array(away).threads(N);
                begun.countDown();
                recorder.preflight();
                recorder.launch();
                recorder.commit();
              }
            });
    two.streams
        .get(0)
        .submit(
            "open",
            uses -> uses.writes(away),
            call -> {
              await(begun);
              // Without the refusal, it waits for the stream, and the other thread for this call.
              assertMisuse(
                  StreamMisuseException.Misuse.INSIDE_LAUNCH,
                  "close that first",
                  () -> own.fill(two.streams.get(1), 3));
            });
    launch.get(20, TimeUnit.SECONDS);
    assertThat(value(away)).isEqualTo(2);
  }

  @Test
  void workInsideOfAnAccessToMemoryOfTheOtherDeviceIsRefused() {
    try (PinnedArray<int[]> host = two.gpus.get(0).memory().pinned(int[].class, N)) {
      assertThat(host.mapped().length()).isEqualTo(N);
      host.write(
          bytes -> {
            for (DeviceArray<int[]> used : List.of(own, away)) {
              assertMisuse(
                  StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
                  "increment on stream 1 begins inside an access to a pinned array of another"
                      + " device that is mapped or in a graph, in this thread; end that first",
                  () -> kernels.increment(used, N));
            }
          });
    }
    assertThat(value(away)).isEqualTo(5);
  }

  @Test
  void aClosedArrayIsRefusedBeforeAnyDeviceRegistersTheLaunch() {
    DeviceArray<int[]> unwritten =
        two.gpus.get(0).memory().allocate(two.streams.get(0), int[].class, N);
    DeviceArray<int[]> closed = two.filled(1, 1);
    long writes = Inside.allocation(unwritten).hazards().writes();
    try (LaunchRecorder recorder = VectorKernels.addForPeersOn(two.streams.get(1)).begin()) {
      recorder.array(closed).array(closed).array(unwritten).threads(N);
      closed.close();

      for (int again = 0; again < 2; again++) {
        assertThatThrownBy(recorder::preflight)
            .isInstanceOf(UseAfterFreeException.class)
            .hasMessageContaining("add: parameter 'a'");
      }
    }
    assertThat(Inside.allocation(unwritten).hazards().writes()).isEqualTo(writes);
  }

  /** The check before has seen the array open, and one of the devices has registered the launch. */
  @Test
  void anArrayThatIsClosedMeanwhileIsRefusedAndTheOthersStayUsable() {
    AtomicReference<DeviceArray<int[]>> closes = new AtomicReference<>();
    TwoDevices machine =
        TwoDevices.open(
            Schedule.LAZY,
            0,
            (device, method, call) -> {
              DeviceArray<int[]> closed =
                  device == 0 && method.equals("waitForEvent") ? closes.getAndSet(null) : null;
              if (closed != null) {
                CompletableFuture.runAsync(closed::close).join();
              }
              return call.proceed();
            });
    DeviceArray<int[]> here = machine.filled(0, 5);
    machine.kernels.get(0).increment(here, N);
    DeviceArray<int[]> there = machine.filled(1, 1);
    VectorKernels launches = VectorKernels.forPeersOn(machine.gpus.get(0).streams().acquire());
    closes.set(there);

    assertThatThrownBy(() -> launches.add(there, there, here, N))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("add: parameter 'a'");

    assertThat(closes).hasNullValue();
    machine.kernels.get(0).increment(here, N);
    assertThat(value(here)).isEqualTo(7);
    machine.closeClean();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertMisuse(
      StreamMisuseException.Misuse kind, String words, ThrowingCallable misuse) {
    assertThatThrownBy(misuse)
        .isInstanceOfSatisfying(
            StreamMisuseException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessageContaining(words);
  }

  @Test
  void eachDeviceOfAMachineHasItsNumber() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(3);
    for (int i = 0; i < 3; i++) {
      try (DeviceRuntime gpu = DeviceRuntime.simulated(devices.get(i))) {
        assertThat(gpu.info().ordinal()).isEqualTo(i);
      }
    }
    assertThatThrownBy(() -> SimulatedDevice.builder().build(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("0 devices; a machine has at least 1");
  }
}
