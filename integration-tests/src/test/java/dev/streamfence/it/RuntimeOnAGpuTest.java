package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryBudget;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("gpu")
final class RuntimeOnAGpuTest extends RuntimeSuite {
  @Override
  DeviceRuntime open() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    return DeviceRuntime.open(0);
  }

  @Override
  int scale() {
    return (int) Load.of(100);
  }

  @Test
  @Tag("provokes-driver-errors")
  void aBinaryForAnotherArchitectureIsRefusedWithTheDriversReason() throws IOException {
    byte[] binary;
    try (InputStream resource =
        Objects.requireNonNull(getClass().getResourceAsStream("/kernels/elsewhere.cubin"))) {
      binary = resource.readAllBytes();
    }
    assertRefused(KernelImage.of("elsewhere.cubin", binary), "CUDA_ERROR_NO_BINARY_FOR_GPU");
  }

  @Test
  @Tag("provokes-driver-errors")
  void ptxOfALaterVersionThanTheDriversIsRefusedWithItsReason() {
    byte[] ptx =
        ".version 99.9\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"
            .getBytes(UTF_8);
    assertRefused(
        KernelImage.of("later.ptx", ptx), "it is PTX of version 99.9, the driver is of CUDA ");
  }

  private static void assertRefused(KernelImage image, String reason) {
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining(image.name())
          .hasMessageContaining(reason);
      gpu.memory().upload(stream, new int[] {1}).close();
    }
  }

  @Test
  @Tag("provokes-driver-errors")
  void withoutABudgetTheDriverRefusesMemoryAndTheDeviceStaysUsable() {
    RuntimeOptions options = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited());
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options)) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> gpu.memory().allocate(stream, byte[].class, 1L << 42))
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasCauseInstanceOf(CudaDriverException.class);
      gpu.memory().upload(stream, new int[] {1}).close();
    }
  }

  @Test
  void theFactsOfTheDeviceAreThoseOfTheList() {
    DeviceInfo listed = DeviceRuntime.devices().get(0);
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      assertThat(gpu.info()).hasToString(listed.toString());
      assertThat(gpu.info().uuid()).isEqualTo(listed.uuid()).isNotEqualTo(new UUID(0, 0));
    }
    assertThat(listed.pciBusId()).matches("[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\\.0");
    assertThat(listed.warpSize()).isEqualTo(32);
    assertThat(listed.maxThreadsPerMultiprocessor()).isGreaterThanOrEqualTo(1024);
    assertThat(listed.sharedBytesPerMultiprocessor())
        .isGreaterThanOrEqualTo(listed.sharedBytesPerBlockOptIn());
    assertThat(listed.sharedBytesPerBlockOptIn())
        .isGreaterThanOrEqualTo(listed.sharedBytesPerBlock());
    assertThat(listed.registersPerMultiprocessor()).isEqualTo(1 << 16);
    assertThat(listed.l2CacheBytes()).isGreaterThan(1 << 20);
    assertThat(listed.memoryBusWidthBits()).isPositive();
    assertThat(listed.hasUnifiedAddressing()).isTrue();
    assertThat(listed.hasMemoryPools()).isTrue();
    assertThat(listed.supportsCooperativeLaunches()).isTrue();
  }

  /** The driver's pool belongs to the device: runtimes of other tests would disturb this one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theThresholdDecidesHowMuchFreedMemoryIsKept(boolean caching) {
    long size = 1L << 30;
    // Some of it may have been in the driver's pool before.
    assertThat(keptAfterAFree(caching, Long.MAX_VALUE, size)).isGreaterThan(size / 2);
    assertThat(keptAfterAFree(caching, 0, size)).isLessThan(size / 2);
  }

  @Test
  void aTrimReturnsWhatNoArrayUses() {
    int size = 1 << 30;
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      DeviceStream stream = gpu.streams().acquire();
      gpu.memory().allocate(stream, byte[].class, size).close();
      long before = Inside.driver(gpu).memoryInfo().freeInBytes();
      assertThat(gpu.memory().trim()).isEqualTo(size);
      assertThat(Inside.driver(gpu).memoryInfo().freeInBytes() - before).isGreaterThan(size / 2);
    }
  }

  private static long keptAfterAFree(boolean caching, long threshold, long size) {
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withCachingPool(caching)
            .withPoolReleaseThresholdInBytes(threshold);
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options)) {
      DeviceStream stream = gpu.streams().acquire();
      stream.synchronize();
      long before = Inside.driver(gpu).memoryInfo().freeInBytes();
      DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, size);
      array.fill(stream, 1);
      array.close();
      stream.synchronize();
      return before - Inside.driver(gpu).memoryInfo().freeInBytes();
    }
  }

  @Test
  void aModuleIsUnloadedOnlyWhenItsKernelsAreDone() throws InterruptedException {
    List<String> calls = new CopyOnWriteArrayList<>();
    CudaDriver watched = WatchedDriver.of(JCudaDevices.open(0), call -> calls.add(call));
    DeviceRuntime gpu = Inside.open(watched);
    DeviceStream stream = gpu.streams().acquire();
    SuiteKernels kernels = SuiteKernelsLauncher.on(stream);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[1024]);
    kernels.increment(values, 1024);
    stream.synchronize();
    Gate gate = new Gate(gpu);
    Thread closing = new Thread(gpu::close);
    try {
      gate.holdBack(stream);
      kernels.increment(values, 1024);
      closing.start();
      closing.join(500);
      assertThat(closing.isAlive()).isTrue();
      assertThat(calls).doesNotContain("unloadModule");
    } finally {
      // Its memory goes with the context.
      gate.open();
    }
    closing.join();
    assertThat(calls).contains("unloadModule");
    assertThat(gpu.isOpen()).isFalse();
  }

  /** The simulated device cannot run this test: its queues are on the Java heap. */
  @Test
  void aLaunchAllocatesNoJavaMemory() {
    for (long bytes : bytesPerThousandLaunches()) {
      assertThat(bytes).isLessThan(1000);
    }
  }
}
