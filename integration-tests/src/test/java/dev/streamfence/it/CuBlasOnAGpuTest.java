package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.examples.e06_cublas.CuBlas;
import dev.streamfence.examples.e06_cublas.MatrixKernels;
import dev.streamfence.examples.e06_cublas.MatrixKernelsLauncher;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A library that the runtime does not know, cuBLAS, beside a kernel on another stream. All numbers
 * are small and whole, so that both compute the same floats.
 */
@Tag("gpu")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CuBlasOnAGpuTest {
  private static final int SIZE = 128;
  private static final int N = SIZE * SIZE;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private DeviceRuntime gpu;
  private DeviceStream a;
  private DeviceStream b;
  private MatrixKernels onA;
  private CuBlas blas;

  @BeforeEach
  void openDevice() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    assumeTrue(CuBlas.isInstalled(), "cuBLAS is not installed here");
    gpu = opened(DeviceRuntime.open(0));
    a = opened(gpu.streams().acquire());
    b = opened(gpu.streams().acquire());
    onA = MatrixKernelsLauncher.on(a);
    blas = opened(CuBlas.on(b));
  }

  @AfterEach
  void closeDevice() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.add(resource);
    return resource;
  }

  /** A matrix with one number in the diagonal, {@code shift} columns to the right, and zeros. */
  private DeviceArray<float[]> diagonal(float number, int shift) {
    float[] matrix = new float[N];
    for (int row = 0; row < SIZE; row++) {
      matrix[row * SIZE + (row + shift) % SIZE] = number;
    }
    return opened(gpu.memory().upload(a, matrix));
  }

  private DeviceArray<float[]> zeros() {
    return opened(gpu.memory().allocateZeroed(a, float[].class, N));
  }

  private void sgemm(
      DeviceArray<float[]> left, DeviceArray<float[]> right, DeviceArray<float[]> product) {
    b.submit(
        "sgemm",
        uses -> uses.reads(left).reads(right).writes(product),
        call ->
            blas.multiply(
                call.streamHandle(),
                call.address(left),
                call.address(right),
                call.address(product),
                SIZE));
  }

  /** The same work as {@link #sgemm}, of which the runtime knows nothing. */
  private void sgemmOutside(
      DeviceArray<float[]> left, DeviceArray<float[]> right, DeviceArray<float[]> product) {
    CudaDriver driver = Inside.driver(gpu);
    driver.makeCurrent();
    blas.multiply(
        driver.rawHandle(handle(b)),
        Inside.allocation(left).address(),
        Inside.allocation(right).address(),
        Inside.allocation(product).address(),
        SIZE);
  }

  private static StreamHandle handle(DeviceStream stream) {
    return Inside.timeline(stream).stream();
  }

  @Test
  void cuBlasAndAKernelComputeTheSameInManyRounds() {
    float[] start = new float[N];
    for (int i = 0; i < N; i++) {
      start[i] = i % 11 - 5;
    }
    DeviceArray<float[]> current = opened(gpu.memory().upload(a, start));
    DeviceArray<float[]> next = zeros();
    DeviceArray<float[]> turn = diagonal(1, 1);
    DeviceArray<float[]> factor = diagonal(2, 3);
    DeviceArray<float[]> byLibrary = zeros();
    DeviceArray<float[]> byKernel = zeros();
    List<Download<float[]>> ofLibrary = new ArrayList<>();
    List<Download<float[]>> ofKernel = new ArrayList<>();
    for (int round = 0; round < 300; round++) {
      // The library reads what the kernel has just written, and the kernel writes it two rounds
      // later; nothing here waits for the device.
      onA.multiply(current, turn, next, SIZE, N);
      sgemm(next, factor, byLibrary);
      onA.multiply(next, factor, byKernel, SIZE, N);
      ofLibrary.add(byLibrary.downloadLater(a));
      ofKernel.add(byKernel.downloadLater(a));
      DeviceArray<float[]> former = current;
      current = next;
      next = former;
    }
    for (int round = 0; round < 300; round++) {
      assertThat(ofLibrary.get(round).value())
          .as("round %d", round)
          .isEqualTo(ofKernel.get(round).value());
    }
    assertThat(ofLibrary.get(299).value()).isNotEqualTo(ofLibrary.get(298).value());
  }

  @Test
  void cuBlasWaitsForTheKernelOnAnotherStream() {
    assertThat(wrongRounds(true)).isZero();
  }

  @Test
  @Tag("races-on-purpose")
  void outsideOfSubmitCuBlasReadsOldValues() {
    assertThat(wrongRounds(false)).isPositive();
  }

  /** How often the library misses what a kernel writes that is held back on another stream. */
  private int wrongRounds(boolean isSubmitted) {
    DeviceArray<float[]> one = diagonal(1, 0);
    DeviceArray<float[]> two = diagonal(2, 0);
    DeviceArray<float[]> input = zeros();
    DeviceArray<float[]> product = zeros();
    // The first calls load kernels, for which they may wait for the device.
    onA.multiply(one, one, input, SIZE, N);
    sgemm(input, two, product);
    int wrong = 0;
    try (Gate gate = new Gate(gpu)) {
      for (int round = 1; round <= 30; round++) {
        DeviceArray<float[]> source = diagonal(round, 0);
        gpu.synchronize();
        gate.holdBack(a);
        onA.multiply(source, one, input, SIZE, N);
        if (isSubmitted) {
          sgemm(input, two, product);
        } else {
          sgemmOutside(input, two, product);
        }
        letRun(b);
        gate.open();
        gpu.synchronize();
        Inside.driver(gpu).synchronizeDevice();
        float[] seen = product.download(a);
        wrong += seen[0] == 2 * round && seen[N - 1] == 2 * round ? 0 : 1;
      }
    }
    return wrong;
  }

  /** Gives a stream that waits for nothing the time to finish, also work that was not tracked. */
  private void letRun(DeviceStream stream) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    while (System.nanoTime() < deadline && !Inside.driver(gpu).isStreamIdle(handle(stream))) {
      Thread.onSpinWait();
    }
  }
}
