package dev.streamfence.internal.launch;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One launch of a recorder leaves nothing to the next. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SharedRecorderTest {
  private static final int N = 4;
  private static final int DECLARED_BYTES = 64;

  /** A kernel that any launch shape suits, with dynamic shared memory of its own. */
  private static final KernelSignature REVERSE =
      KernelSignature.entry("reverse")
          .readWrites("values", int[].class)
          .shape("shape")
          .dynamicSharedBytes(DECLARED_BYTES);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final List<Integer> sharedBytes = new ArrayList<>();
  private final AtomicReference<Runnable> beforeAFree = new AtomicReference<>(() -> {});
  private final DeviceRuntime gpu =
      RuntimeOverDriver.open(
          InterceptedDriver.of(
              Inside.open(device),
              (method, call) -> {
                if (method.equals("launchKernel")) {
                  sharedBytes.add(((KernelLaunch) call.argument(0)).dynamicSharedBytes());
                }
                if (method.equals("freeAsync")) {
                  beforeAFree.getAndSet(() -> {}).run();
                }
                return call.proceed();
              }),
          RuntimeOptions.defaults());
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static void finish(LaunchRecorder open) {
    open.preflight().launch().commit();
  }

  /**
   * The array that the first launch closes is freed on the other stream, after the first thread has
   * let go of this one: then the second thread's launch begins, and the first thread's ends.
   */
  @Test
  void theEndOfALaunchDoesNotChangeTheNextThreadsLaunch() throws Exception {
    LaunchRecorder saxpy =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
    DeviceArray<float[]> closed = gpu.memory().upload(stream, new float[N]);
    DeviceArray<float[]> y = gpu.memory().upload(stream, new float[N]);
    DeviceArray<float[]> z = gpu.memory().upload(stream, new float[N]);
    DeviceArray<float[]> copy = gpu.memory().allocate(other, float[].class, N);
    CountDownLatch passed = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();
    try (LaunchRecorder open = saxpy.begin()) {
      open.value(1f).array(closed).array(y).threads(N);
      finish(open);
      CompletableFuture.runAsync(() -> copy.copyFrom(other, closed)).join();
      closed.close();
      beforeAFree.set(
          () -> {
            second.set(CompletableFuture.runAsync(() -> passTwice(saxpy, z, passed, ended)));
            await(passed);
          });
    }
    gpu.memory().reap();
    ended.countDown();
    assertThat(second.get()).isNotNull();
    second.get().get();
    copy.close();
    y.close();
    z.close();
  }

  /** Passes one array for two parameters, the second time after the launch before has ended. */
  private static void passTwice(
      LaunchRecorder saxpy,
      DeviceArray<float[]> array,
      CountDownLatch passed,
      CountDownLatch ended) {
    try (LaunchRecorder open = saxpy.begin()) {
      open.value(1f).array(array);
      passed.countDown();
      await(ended);
      assertThatThrownBy(() -> open.array(array)).satisfies(misuse(Misuse.ALIAS));
    }
  }

  @Test
  void dynamicSharedMemoryIsSetForOneLaunch() {
    LaunchRecorder reverse = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(REVERSE);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3, 4})) {
      try (LaunchRecorder open = reverse.begin()) {
        open.array(values).shape(LaunchShape.of(1, N).withDynamicSharedBytes(4096));
        finish(open);
      }
      try (LaunchRecorder open = reverse.begin()) {
        open.array(values).shape(LaunchShape.of(1, N).withDynamicSharedBytes(128));
        finish(open);
      }
    }
    assertThat(sharedBytes).containsExactly(4096, 128);
  }

  @Test
  void aLaunchThatSetsNoSharedMemoryHasTheDeclaredSize() {
    KernelSignature increment =
        KernelSignature.entry("increment")
            .readWrites("values", int[].class)
            .threads("n", int.class, 256)
            .dynamicSharedBytes(DECLARED_BYTES);
    LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
    LaunchRecorder declared = module.recorder(increment);
    LaunchRecorder sized = module.recorder(increment.dynamicSharedBytes("bytes"));
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[N])) {
      for (int i = 0; i < 2; i++) {
        try (LaunchRecorder open = declared.begin()) {
          open.array(values).threads(N);
          finish(open);
        }
        try (LaunchRecorder open = sized.begin()) {
          open.array(values).threads(N).dynamicSharedBytes(4096);
          finish(open);
        }
      }
    }
    assertThat(sharedBytes).containsExactly(DECLARED_BYTES, 4096, DECLARED_BYTES, 4096);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
