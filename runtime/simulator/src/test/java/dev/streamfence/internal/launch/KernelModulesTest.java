package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The modules of a runtime, on a lost device and until the runtime is closed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KernelModulesTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();

  private static KernelImage image(String name) {
    return KernelImage.of(
        name,
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"
            .getBytes(US_ASCII));
  }

  private static KernelSignature k() {
    return KernelSignature.entry("k").shape("shape");
  }

  private void lose(DeviceStream stream) {
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 700);
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
  }

  private static WeakReference<KernelImage> refused(DeviceStream stream) {
    KernelImage image = KernelImage.of("refused", "not PTX".getBytes(US_ASCII));
    assertThatThrownBy(() -> LoadedModule.of(stream, image))
        .isInstanceOf(KernelLoadException.class);
    return new WeakReference<>(image);
  }

  @Test
  void anImageThatIsRefusedIsNotKept() throws InterruptedException {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      WeakReference<KernelImage> image = refused(stream);
      while (image.get() != null) {
        System.gc();
        Thread.sleep(1);
      }
    }
  }

  private void assertRefusedWithoutADriverCall(ThrowingCallable act) {
    long before = device.calls();
    assertThatThrownBy(act)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(700);
              assertThat(e.purpose()).contains("which lost the device");
            });
    assertThat(device.calls()).isEqualTo(before);
  }

  @Test
  void onALostDeviceNothingIsLoadedAndTheDriverIsNotAsked() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      LoadedModule module = LoadedModule.of(stream, image("before"));
      lose(stream);
      assertRefusedWithoutADriverCall(() -> LoadedModule.of(stream, image("after")));
      assertRefusedWithoutADriverCall(() -> module.recorder(k()));
      KernelModules modules = KernelModules.of(Inside.of(gpu));
      List<KernelParameter.Passed> parameters = VectorKernels.SAXPY.passed();
      assertRefusedWithoutADriverCall(() -> modules.frame(parameters));
    }
  }

  @Test
  void closingTwiceUnloadsEachModuleAndFreesTheFramesOnce() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      LoadedModule.of(stream, image("one")).recorder(k());
      LoadedModule.of(stream, image("two")).recorder(k());
      KernelModules.of(Inside.of(gpu)).close();
      assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(2);
      assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
    }
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(2);
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aFailureToUnloadIsThrownAndTheRestIsStillFreed() {
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    LoadedModule.of(stream, image("one")).recorder(k());
    LoadedModule.of(stream, image("two")).recorder(k());
    device.failCall(DriverCall.UNLOAD_MODULE, 1, 1);

    assertThatThrownBy(gpu::close)
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.call()).isEqualTo("cuModuleUnload"));

    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(2);
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    assertThat(device.liveObjects()).isEqualTo(1);
  }

  @Test
  void signaturesThatSayTheSameShareAKernelAndItsFrames() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      LoadedModule module = LoadedModule.of(stream, image("one"));
      module.recorder(k());
      long before = device.calls();
      for (int i = 0; i < 10_000; i++) {
        module.recorder(k());
      }
      assertThat(device.calls()).isEqualTo(before);
      assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
    }
  }

  @Test
  void anImageIsLoadedWhileTheDriverCompilesAnother() throws Exception {
    AtomicReference<DeviceStream> other = new AtomicReference<>();
    AtomicReference<LoadedModule> loaded = new AtomicReference<>();
    try (DeviceRuntime gpu =
        RuntimeOverDriver.open(
            InterceptedDriver.of(
                Inside.open(device),
                (method, call) -> {
                  DeviceStream on = method.equals("loadModule") ? other.getAndSet(null) : null;
                  if (on != null) {
                    FutureTask<LoadedModule> meanwhile =
                        new FutureTask<>(
                            () -> {
                              LoadedModule quick = LoadedModule.of(on, image("quick"));
                              quick.recorder(k());
                              return quick;
                            });
                    new Thread(meanwhile, "meanwhile").start();
                    loaded.set(meanwhile.get(20, TimeUnit.SECONDS));
                  }
                  return call.proceed();
                }),
            RuntimeOptions.defaults())) {
      DeviceStream stream = gpu.streams().acquire();
      other.set(gpu.streams().acquire());
      LoadedModule.of(stream, image("slow"));
      assertThat(loaded.get()).isNotNull();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void anImageIsLoadedOnceByThreadsThatWantItAtTheSameTime() throws Exception {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      for (int round = 0; round < 20; round++) {
        KernelImage image = image("round " + round);
        List<Thread> threads =
            List.of(
                new Thread(() -> LoadedModule.of(stream, image)),
                new Thread(() -> LoadedModule.of(stream, image)));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
          thread.join();
        }
      }
      assertThat(device.calls(DriverCall.LOAD_MODULE)).isEqualTo(20);
    }
  }

  /** A thread that loads may still add a module that closing has to free. */
  @ParameterizedTest
  @ValueSource(strings = {"loadModule", "function", "allocateHost"})
  void closingDoesNotBeginWhileAThreadLoads(String loading) throws Exception {
    AtomicReference<DeviceRuntime> opened = new AtomicReference<>();
    AtomicReference<Boolean> closed = new AtomicReference<>();
    DeviceRuntime gpu =
        RuntimeOverDriver.open(
            InterceptedDriver.of(
                Inside.open(device),
                (method, call) -> {
                  if (method.equals(loading) && opened.get() != null) {
                    DeviceRuntime other = opened.getAndSet(null);
                    FutureTask<Boolean> closing =
                        new FutureTask<>(() -> other.close(Duration.ofMillis(1)));
                    new Thread(closing, "closer").start();
                    closed.set(closing.get(20, TimeUnit.SECONDS));
                  }
                  return call.proceed();
                }),
            RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    opened.set(gpu);

    try {
      LoadedModule.of(stream, image("late")).recorder(k());
    } catch (RuntimeClosedException e) {
      // The close that did not wait lets no operation begin any more.
      assertThat(gpu.isOpen()).isFalse();
    }

    assertThat(closed.get()).isFalse();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }
}
