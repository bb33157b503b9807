package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A refusal names the array, the budget, the reservation or the parameter, and the remedy. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MisuseTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void workOnAnotherStreamIsRefusedInsideALaunch() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[3]);
    DeviceArray<int[]> others = gpu.memory().upload(b, new int[3]);
    VectorKernels onB = VectorKernels.on(b);
    LaunchRecorder open = VectorKernels.incrementOn(a).begin();
    List<ThrowingCallable> waiting =
        List.of(
            () -> onB.increment(others, 3),
            () -> others.fill(b, 1),
            () -> others.upload(b, new int[3]),
            () -> others.download(b),
            () -> gpu.memory().allocate(b, int[].class, 1),
            () -> others.copy(b));
    for (ThrowingCallable begins : waiting) {
      assertThatThrownBy(begins).satisfies(misuse(Misuse.INSIDE_LAUNCH));
    }
    // These wait for no other thread.
    others.close();
    b.close();
    open.close();
    VectorKernels.on(a).increment(values, 3);
    assertThat(values.download(a)).containsExactly(1, 1, 1);
  }

  @Test
  void nestedLaunchesInOppositeOrderDoNotDeadlock() throws Exception {
    CyclicBarrier bothOpen = new CyclicBarrier(2);
    StreamMisuseException[] refused = new StreamMisuseException[2];
    Thread[] threads = new Thread[2];
    for (int i = 0; i < 2; i++) {
      int self = i;
      DeviceStream own = i == 0 ? a : b;
      DeviceStream foreign = i == 0 ? b : a;
      threads[i] =
          new Thread(
              () -> {
                LaunchRecorder inner = VectorKernels.incrementOn(foreign);
                try (LaunchRecorder outer = VectorKernels.incrementOn(own).begin()) {
                  bothOpen.await();
                  assertThat(outer).isNotNull();
                  inner.begin().close();
                } catch (StreamMisuseException e) {
                  refused[self] = e;
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(refused).doesNotContainNull();
  }

  @Test
  void theRefusalOfAReinterpretedArrayNamesTheArrayWithItsMemory() {
    DeviceArray<long[]> old = gpu.memory().upload(a, new long[3]);
    DeviceArray<int[]> heir = old.reinterpret(int[].class);
    assertThatThrownBy(() -> old.download(a))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("download uses long[3]")
        .hasMessageContaining("whose memory was handed over to int[6]")
        .hasMessageEndingWith("use that");
    assertThatThrownBy(() -> old.reinterpret(byte[].class))
        .hasMessageContaining("handed over to int[6]");
    assertThat(heir.download(a)).hasSize(6);
    heir.close();
    assertThatThrownBy(() -> heir.download(a))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("which is closed");
  }

  @Test
  void aLaunchNamesTheArrayThatHasTheMemoryOfItsArgument() {
    DeviceArray<int[]> old = gpu.memory().upload(a, new int[3]);
    old.reinterpret(byte[].class);
    VectorKernels kernels = VectorKernels.on(a);
    assertThatThrownBy(() -> kernels.increment(old, 3))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("increment: parameter 'values' uses int[3]")
        .hasMessageContaining("handed over to byte[12]");
  }

  @Test
  void aClosedReservationIsRefusedAsClosed() {
    MemoryReservation reservation = gpu.memory().reserve(64);
    reservation.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> reservation.allocate(a, int[].class, 4))
        .withMessageContaining("'int[4]'")
        .withMessageContaining("a reservation of 64 bytes that is closed; reserve again");
  }

  @Test
  void aRefusalWithinABudgetNamesIt() {
    DeviceMemory batch = gpu.memory().within(64, "batch 7");
    OutOfMemoryBudgetException refused =
        catchThrowableOfType(
            OutOfMemoryBudgetException.class, () -> batch.allocate(a, int[].class, 100));
    assertThat(refused.budget()).isEqualTo("batch 7");
    assertThat(refused).hasMessageContaining("0 of 64 bytes of the budget 'batch 7' are in use");
    assertThatThrownBy(() -> batch.reserve(65)).hasMessageContaining("'batch 7'");
    OutOfMemoryBudgetException unnamed =
        catchThrowableOfType(
            OutOfMemoryBudgetException.class,
            () -> gpu.memory().within(8).allocate(a, int[].class, 100));
    assertThat(unnamed.budget()).isEqualTo("within 8 bytes");
    OutOfMemoryBudgetException ofTheRuntime =
        catchThrowableOfType(
            OutOfMemoryBudgetException.class,
            () -> gpu.memory().allocate(a, long[].class, 1L << 40));
    assertThat(ofTheRuntime.budget()).isEmpty();
  }

  @Test
  void aNullHostArrayIsNamed() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[3]);
    List<ThrowingCallable> ofSources =
        List.of(() -> gpu.memory().upload(a, (int[]) null), () -> values.upload(a, (int[]) null));
    for (ThrowingCallable upload : ofSources) {
      assertThatThrownBy(upload)
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("source");
    }
    assertThatThrownBy(() -> values.download(a, (int[]) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("target");
    assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(12);
  }

  @Test
  void nullOptionsAreRefusedAndLeaveNothingOpen() {
    assertThatThrownBy(() -> RuntimeOptions.defaults().withAllocationLog(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("allocationLog");
    assertThatThrownBy(() -> RuntimeOptions.defaults().withMemoryBudget(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("memoryBudget");
    SimulatedDevice fresh = SimulatedDevice.builder().build();
    assertThatThrownBy(() -> DeviceRuntime.simulated(fresh, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("options");
    DeviceRuntime.simulated(fresh).close();
  }

  @Test
  void parametersOfASignatureWithoutNamesAreNumbered() {
    KernelSignature unnamed =
        KernelSignature.entry("increment").readWrites("", int[].class).threads("", int.class, 256);
    DeviceArray<float[]> wrong = gpu.memory().upload(a, new float[3]);
    DeviceArray<int[]> right = gpu.memory().upload(a, new int[3]);
    LaunchRecorder recorder =
        LoadedModule.of(a, VectorKernels.COMPARED_IMAGE).recorder(unnamed).begin();
    assertThatThrownBy(() -> recorder.array(wrong))
        .hasMessageStartingWith("increment: parameter '#0' is float[3]");
    recorder.array(right);
    assertThatThrownBy(() -> recorder.value(2f))
        .hasMessage("increment: parameter '#1' is next, the number of threads; a float was passed");
    recorder.close();
  }

  @Test
  void runtimesShareOneThreadThatWatchesForLostArrays() {
    gpu.memory().upload(a, new int[1]);
    int before = ManagementFactory.getThreadMXBean().getThreadCount();
    for (int i = 0; i < 2_000; i++) {
      try (DeviceRuntime another = DeviceRuntime.simulated()) {
        another.memory().upload(another.streams().acquire(), new int[1]).close();
      }
    }
    assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
        .isLessThanOrEqualTo(before + 2);
  }

  @Test
  void anOverrunOfGuardedMemoryNamesParameterThreadAndLine() {
    SimulatedDevice guarded = SimulatedDevice.builder().build();
    try (DeviceRuntime watched =
        DeviceRuntime.simulated(
            guarded, RuntimeOptions.defaults().withGuardMemory(true).withBoundsChecks(false))) {
      DeviceStream stream = watched.streams().acquire();
      DeviceArray<int[]> values = watched.memory().upload(stream, new int[3]);
      VectorKernels.on(stream).overrun(values, 3);
      assertThatThrownBy(stream::synchronize)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("'int[3]'")
          .cause()
          .isInstanceOf(OutOfBoundsException.class)
          .hasMessageContaining(
              "kernel overrun on stream 1 (ticket 4), block (0, 0, 0), thread (3, 0, 0)")
          .hasMessageContaining("outside of parameter 'values', which has 12 bytes")
          .hasMessageContaining("the nearest argument is 'values', " + values)
          .hasMessageContaining(" of kernels/vector.ptx)");
    }
  }
}
