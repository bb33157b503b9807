package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.KernelLoadException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryStatistics;
import java.lang.management.ManagementFactory;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The promises of every device, tested through generated launchers. */
abstract class RuntimeSuite extends TwoStreamSuite {
  @Test
  void saxpyIsComputed() {
    int n = 1000 * scale() + 7;
    float[] x = new float[n];
    float[] y = new float[n];
    float[] expected = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = i * 0.5f;
      y[i] = -i;
      expected[i] = Math.fma(2f, x[i], y[i]);
    }
    try (DeviceArray<float[]> deviceX = gpu.memory().upload(a, x);
        DeviceArray<float[]> deviceY = gpu.memory().upload(a, y)) {
      onA.saxpy(2f, deviceX, deviceY, n);
      assertThat(deviceY.download(a)).isEqualTo(expected);
    }
  }

  @Test
  void aLaunchThatLeavesAnArrayIsRefusedAndTheDeviceGoesOn() {
    int n = 1000 * scale();
    try (DeviceArray<float[]> x = gpu.memory().upload(a, new float[n]);
        DeviceArray<float[]> y = gpu.memory().upload(a, new float[n + 1])) {
      assertThatThrownBy(() -> onA.saxpy(2f, x, y, n + 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "saxpy: parameter 'x' has "
                  + n
                  + " elements; the kernel reads element "
                  + n
                  + " (n = "
                  + (n + 1)
                  + ")");
      assertThatThrownBy(() -> onA.saxpy(2f, x.view(1, n - 1), y, n))
          .hasMessageContaining("the kernel reads element " + (n - 1));
      for (int fitting : new int[] {n, 1, 0, n - 1}) {
        onA.saxpy(2f, x, y, fitting);
      }
      assertThat(y.download(a)).containsOnly(0f);
    }
  }

  /** As the structure of that name, without its flag. */
  record Sample(byte small, int number, double wide) {}

  @Test
  void arraysOfRecordsComeBackAsTheyWere() {
    Sample[] samples = new Sample[100 * scale() + 3];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = new Sample((byte) i, -i, i * 0.25);
    }
    try (DeviceArray<Sample[]> array = gpu.memory().upload(a, samples)) {
      assertThat(array.download(b)).isEqualTo(samples);
      assertThat(array.view(2, 1).download(a)).containsExactly(samples[2]);
    }
  }

  @Test
  void everyKindOfValueReachesTheKernel() {
    try (DeviceArray<long[]> out = gpu.memory().allocate(a, long[].class, 8)) {
      onA.kinds(
          true,
          (byte) -3,
          '\uffff',
          Short.MIN_VALUE,
          Integer.MIN_VALUE,
          Long.MIN_VALUE,
          1.5f,
          -2.25,
          out,
          LaunchShape.of(1, 1));
      assertThat(out.download(a))
          .containsExactly(
              1,
              -3,
              0xffff,
              Short.MIN_VALUE,
              Integer.MIN_VALUE,
              Long.MIN_VALUE,
              Float.floatToRawIntBits(1.5f),
              Double.doubleToRawLongBits(-2.25));
    }
  }

  @Test
  void asManyBlocksAsADeviceHoldsWaitForEachOtherAndOneMoreIsRefused() {
    CooperativeKernels kernels = CooperativeKernelsLauncher.on(a);
    int blocks = 2 * Inside.driver(gpu).properties().multiprocessors();
    try (DeviceArray<int[]> counter = gpu.memory().allocateZeroed(a, int[].class, 1);
        DeviceArray<int[]> seen = gpu.memory().allocate(a, int[].class, blocks)) {
      kernels.meet(counter, seen, LaunchShape.of(blocks, 1024));
      assertThat(seen.download(a)).containsOnly(blocks);
      assertThatThrownBy(() -> kernels.meet(counter, seen, LaunchShape.of(blocks + 1, 1024)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("meet: " + (blocks + 1) + " blocks that run at the same time")
          .hasMessageContaining("allows " + blocks);
      assertThat(counter.download(a)).containsExactly(blocks);
    }
  }

  @Test
  void variablesOfAModuleAreArrays() {
    SymbolKernels kernels = SymbolKernelsLauncher.on(a);
    DeviceArray<float[]> weights = kernels.weights();

    assertThat(weights.length()).isEqualTo(3);
    assertThat(weights.download(a)).containsExactly(1, 2, 3);
    assertThat(kernels.outside().download(b)).containsExactly(0);
    assertThat(SymbolKernelsLauncher.on(b).weights()).isSameAs(weights);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    try (PinnedArray<float[]> host = gpu.memory().pinned(float[].class, 3)) {
      host.write(buffer -> buffer.asFloatBuffer().put(new float[] {4, 5, 6}));
      weights.upload(a, host);
      assertThat(weights.downloadLater(b).value()).containsExactly(4, 5, 6);
    }
  }

  /** Initcheck takes a copy of a variable for memory that nothing has written. */
  @Test
  @Tag("misjudged-by-initcheck")
  void aVariableOfAModuleIsCopied() {
    DeviceArray<float[]> weights = SymbolKernelsLauncher.on(a).weights();
    weights.view(1, 2).fill(b, 8.0);
    DeviceArrays.setFloat(weights, a, 2, 9);
    try (DeviceArray<float[]> copy = weights.copy(b)) {
      weights.fill(a, 0.0);
      assertThat(copy.download(a)).containsExactly(1, 8, 9);
    }
  }

  @Test
  void launchesAreOrderedWithTransfersOfTheVariablesThatTheyUse() {
    SymbolKernels kernelsOfA = SymbolKernelsLauncher.on(a);
    SymbolKernels kernelsOfB = SymbolKernelsLauncher.on(b);
    int n = 30 * scale();
    int rounds = 10 * scale();
    float[] ones = new float[n];
    Arrays.fill(ones, 1);
    int calls = 0;
    try (DeviceArray<float[]> source = gpu.memory().upload(a, ones);
        DeviceArray<float[]> target = gpu.memory().allocate(b, float[].class, n)) {
      for (float step = 1; step < 8; step++) {
        kernelsOfA.weights().upload(a, new float[] {step, step, step});
        kernelsOfB.weigh(source, target, n, rounds);
        kernelsOfA.weights().upload(a, new float[] {0, 0, 0});
        assertThat(target.download(a)).containsOnly(step);
        kernelsOfB.outside().fill(a, 0);
        kernelsOfA.countOutside(source, n, rounds);
        kernelsOfB.countOutside(source, n, rounds);
        calls += 2;
        assertThat(DeviceArrays.getInt(kernelsOfA.outside(), b, 0)).isEqualTo(2 * n);
      }
      assertThat(kernelsOfA.countedCalls().download(b)).containsExactly(calls);
    }
  }

  @Test
  void aLaunchThatUsesAVariableIsOneDriverCall() {
    SymbolKernels kernels = SymbolKernelsLauncher.on(a);
    try (DeviceArray<float[]> values = gpu.memory().allocateZeroed(a, float[].class, 8)) {
      kernels.countOutside(values, 8, 1);
      long before = gpu.statistics().driverCalls();

      kernels.countOutside(values, 8, 1);

      assertThat(gpu.statistics().driverCalls() - before).isEqualTo(1);
    }
  }

  @Test
  void aLauncherTellsTheOccupancyOfItsKernels() {
    LoadedModule kernels = SuiteKernelsLauncher.module(a);
    KernelOccupancy saxpy = kernels.occupancy("saxpy");
    DeviceInfo device = gpu.info();

    int suggested = saxpy.suggestedBlockSize(0);
    int blocks = saxpy.blocksPerMultiprocessor(suggested, 0);

    assertThat(suggested).isBetween(device.warpSize(), device.maxThreadsPerBlock());
    assertThat(blocks).isPositive();
    assertThat(suggested * blocks).isLessThanOrEqualTo(device.maxThreadsPerMultiprocessor());
    for (int size = device.warpSize(); size <= device.maxThreadsPerBlock(); size *= 2) {
      assertThat(size * saxpy.blocksPerMultiprocessor(size, 0))
          .isLessThanOrEqualTo(suggested * blocks);
    }
    int most = device.sharedBytesPerBlockOptIn();
    assertThat(saxpy.blocksPerMultiprocessor(32, most)).isEqualTo(1);
    assertThat(saxpy.blocksPerMultiprocessor(32, most + 1)).isZero();
    assertThat(saxpy.blocksPerMultiprocessor(device.maxThreadsPerBlock() + 1, 0)).isZero();
    KernelOccupancy atMost64 = kernels.occupancy("atMost64");
    assertThat(atMost64.suggestedBlockSize(0)).isBetween(1, 64);
    assertThat(atMost64.blocksPerMultiprocessor(65, 0)).isZero();
  }

  @Test
  void aLauncherWhoseModuleIsUnloadedIsRefusedAndTheNextOneLoadsItAnew() {
    SuiteKernelsLauncher before = SuiteKernelsLauncher.on(a);
    try (DeviceArray<int[]> sizes = gpu.memory().allocate(a, int[].class, 1)) {
      before.blockSizes(sizes, 1);
      SuiteKernelsLauncher.module(a).unload();
      assertThatIllegalStateException().isThrownBy(() -> before.blockSizes(sizes, 1));
      SuiteKernelsLauncher.on(a).blockSizes(sizes, 1);
      assertThat(sizes.download(a)[0]).isPositive();
    }
  }

  @Test
  void anAutomaticBlockSizeIsTheOneThatTheDriverSuggests() {
    SuiteKernelsLauncher kernels = SuiteKernelsLauncher.on(a);
    int n = 10_000;
    int[] expected = new int[n];
    Arrays.fill(
        expected, SuiteKernelsLauncher.module(a).occupancy("blockSizes").suggestedBlockSize(0));
    try (DeviceArray<int[]> sizes = gpu.memory().allocate(a, int[].class, n)) {
      kernels.blockSizes(sizes, n);
      assertThat(sizes.download(a)).isEqualTo(expected);
      long before = gpu.statistics().driverCalls();

      kernels.blockSizes(sizes, n);

      assertThat(gpu.statistics().driverCalls() - before).isEqualTo(1);
    }
  }

  @Test
  void aBlockThatTheInterfaceDoesNotAllowIsRefusedWithBoth() {
    try (DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, 16)) {
      assertThatThrownBy(() -> onA.numberEights(values, LaunchShape.of(2, 8)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("number: blocks of 8 x 1 x 1 threads; the interface requires 4 x 2 x 1");
      onA.numberEights(values, LaunchShape.of(2, 1, 4, 2));
      assertThat(values.download(a)).startsWith(0, 1, 2).endsWith(1006, 1007);
    }
  }

  @Test
  void aKernelTakesAViewAndItsResultIsDownloadedInPart() {
    int n = 100 * scale();
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 3L * n)) {
      onA.increment(values.view(n, n), n);
      onB.add(values.view(n, n), values.view(0, n), values.view(2L * n, n), n);
      int[] seen = values.download(b);
      for (int i = 0; i < 3 * n; i++) {
        assertThat(seen[i]).as("element %d", i).isEqualTo(i < n ? 0 : 1);
      }
      assertThat(values.download(a, n - 1, 2)).containsExactly(0, 1);
    }
  }

  @Test
  void partsAreWrittenOnTwoStreamsAndJoined() {
    int n = 100 * scale();
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 2L * n)) {
      for (int round = 1; round <= 20; round++) {
        try (DeviceParts<int[]> halves = values.split(n)) {
          onA.incrementSlowly(halves.get(0), n, 100);
          onB.incrementSlowly(halves.get(1), n, 100);
        }
        onA.increment(values, 2 * n);
      }
      int[] expected = new int[2 * n];
      int[] seen = values.download(b);
      Arrays.fill(expected, seen[0]);
      assertThat(seen).isEqualTo(expected);
      assertThat(seen[0]).isGreaterThanOrEqualTo(20);
    }
  }

  @Test
  void rangesAndBuffersAndSingleElementsGoUpAndDown() {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 10)) {
      values.upload(a, 5, new int[] {1, 2, 3, 4}, 1, 2);
      values.upload(a, 0, IntBuffer.wrap(new int[] {8, 9}));
      values.fill(b, 8, 2, 7L);
      DeviceArrays.setInt(values, a, 4, -1);
      values.copyFrom(b, 2, values, 0, 2);
      assertThat(DeviceArrays.getInt(values, b, 4)).isEqualTo(-1);
      IntBuffer target = IntBuffer.allocate(10);
      values.download(a, 0, target);
      assertThat(target.array()).containsExactly(8, 9, 8, 9, -1, 2, 3, 0, 7, 7);
    }
  }

  @Test
  void pinnedArraysAreCopiedInTheBackgroundAndFenced() {
    int n = 1000 * scale();
    try (DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, n);
        PinnedArray<int[]> host = gpu.memory().pinned(int[].class, n)) {
      for (int round = 0; round < 20; round++) {
        int value = 10 * round;
        host.write(
            bytes -> {
              while (bytes.hasRemaining()) {
                bytes.putInt(value);
              }
            });
        values.upload(a, host);
        onB.increment(values, n);
        values.download(a, host);
        int[] expected = new int[n];
        Arrays.fill(expected, value + 1);
        assertThat(host.get(0, n)).isEqualTo(expected);
      }
    }
  }

  @Test
  void kernelsReadAndWriteMappedHostMemory() {
    int n = 1000 * scale();
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, n);
        DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, n)) {
      DeviceArray<int[]> mapped = host.mapped();
      host.put(0, new int[n]);
      for (int round = 1; round <= 20; round++) {
        onA.increment(mapped, n);
        onB.increment(mapped, n);
        int[] expected = new int[n];
        Arrays.fill(expected, 3 * round - 1);
        assertThat(host.get(0, n)).isEqualTo(expected);
        Arrays.fill(expected, 3 * round);
        host.put(0, expected);
      }
      // Copies and fills take it like device memory.
      values.copyFrom(a, mapped);
      mapped.fill(b, 0, 10, 7);
      mapped.copyFrom(a, 10, values, 0, 10);
      mapped.upload(b, 20, new int[] {8, 9}, 0, 2);
      assertThat(mapped.download(a, 8, 15))
          .containsExactly(7, 7, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 8, 9, 60);
      values.download(b, 0, host, 30, 10);
      mapped.upload(a, 40, host, 20, 2);
      assertThat(host.get(38, 5)).containsExactly(60, 60, 8, 9, 60);
      assertThat(mapped.downloadLater(b, 40, 2).value()).containsExactly(8, 9);
    }
  }

  @Test
  void downloadsThatAreBegunBringTheElementsOfThatMoment() {
    int n = 1000 * scale();
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, n)) {
      List<Download<int[]>> downloads = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        onA.increment(values, n);
        downloads.add(values.downloadLater(round % 2 == 0 ? a : b, 0, n - round));
      }
      for (int round = 0; round < 20; round++) {
        int[] expected = new int[n - round];
        Arrays.fill(expected, round + 1);
        assertThat(downloads.get(round).value()).isEqualTo(expected);
      }
    }
  }

  @Test
  void everyFieldOfAStructureReachesTheKernel() {
    try (DeviceArray<long[]> out = gpu.memory().allocate(a, long[].class, 4)) {
      onA.spread(new SuiteKernels.Mixed((byte) -3, 1 << 20, -2.5, true), out, LaunchShape.of(1, 1));
      assertThat(out.download(a)).containsExactly(-3, 1 << 20, Double.doubleToRawLongBits(-2.5), 1);
    }
  }

  @Test
  void aCompletionIsDoneWhenItsLaunchIs() throws Exception {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 64)) {
      Completion first = onA.slowly(values, 64, 1000 * scale());
      first.await();
      assertThat(first.isDone()).isTrue();
      Completion second = onA.slowly(values, 64, 1000 * scale());
      second.stage().toCompletableFuture().get();
      assertThat(second.isDone()).isTrue();
      assertThat(values.download(b)).containsOnly(2);
    }
  }

  @Test
  void aBlockThatTheKernelDoesNotAllowIsRefusedWithBothNumbers() {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 128)) {
      assertThatThrownBy(() -> onA.atMost64(values, 128, LaunchShape.of(1, 128)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("atMost64: 128 threads per block")
          .hasMessageContaining("allows 64");
      onA.atMost64(values, 128, LaunchShape.of(2, 64));
      assertThat(values.download(a)).containsOnly(1);
    }
  }

  @Test
  void theSameArrayForTwoParametersOfWhichOneIsWrittenIsRefused() {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 4)) {
      assertThatThrownBy(() -> onA.add(values, values, values, 4))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("mayAlias");
      assertThat(values.download(a)).containsOnly(0);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void aDownloadOnAnotherStreamReturnsTheUpload(Object host) {
    try (DeviceArray<Object> array = gpu.memory().upload(a, host);
        DeviceArray<Object> copy = array.copy(b)) {
      assertThat(copy.download(a)).isEqualTo(host);
    }
  }

  @Test
  void fillsOfEveryWidthReachEveryElement() {
    try (DeviceArray<byte[]> bytes = gpu.memory().allocate(a, byte[].class, 1001);
        DeviceArray<short[]> shorts = gpu.memory().allocate(a, short[].class, 1001);
        DeviceArray<float[]> floats = gpu.memory().allocate(a, float[].class, 1001);
        DeviceArray<double[]> doubles = gpu.memory().allocate(a, double[].class, 1001);
        DeviceArray<long[]> zeros = gpu.memory().allocateZeroed(a, long[].class, 1001)) {
      bytes.fill(a, -7);
      shorts.fill(a, -700);
      floats.fill(a, 0.1);
      doubles.fill(a, Math.PI);
      assertThat(bytes.download(b)).containsOnly(-7);
      assertThat(shorts.download(b)).containsOnly((short) -700);
      assertThat(floats.download(b)).containsOnly(0.1f);
      assertThat(doubles.download(b)).containsOnly(Math.PI);
      assertThat(zeros.download(b)).containsOnly(0);
    }
  }

  @Test
  void arraysLargerThanTheStagingMemoryAreCopiedInPieces() {
    int[] host = new int[(36 << 20) / 4 + 3];
    Arrays.setAll(host, i -> i * 31);
    try (DeviceArray<int[]> array = gpu.memory().upload(a, host)) {
      assertThat(array.download(b)).isEqualTo(host);
    }
  }

  @Test
  void aShapeInThreeDimensionsReachesEveryThread() {
    try (DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, 12 * 16)) {
      onA.number(values, new LaunchShape(2, 3, 2, 4, 2, 2, 0));
      int[] expected = new int[12 * 16];
      Arrays.setAll(expected, i -> i / 16 * 1000 + i % 16);
      assertThat(values.download(a)).isEqualTo(expected);
    }
  }

  @Test
  void aLaunchGetsDynamicSharedMemoryBeyondTheDefault() {
    for (int sharedBytes : new int[] {12, 100 << 10}) {
      try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3, 4, 5, 6})) {
        onA.reverseBlocks(values, LaunchShape.of(2, 3).withDynamicSharedBytes(sharedBytes));
        assertThat(values.download(a)).containsExactly(3, 2, 1, 6, 5, 4);
      }
    }
  }

  @Test
  void moreThreadsThanTheDeviceAllowsAreRefused() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1})) {
      assertThatThrownBy(() -> onA.reverseBlocks(values, LaunchShape.of(1, 1025)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1025");
      assertThat(values.download(a)).containsExactly(1);
    }
  }

  @Test
  void workersThatAllocateWhileAnotherReapsLeaveNothingBehind() throws Exception {
    int workers = 4;
    ExecutorService executor = Executors.newFixedThreadPool(workers + 1);
    AtomicBoolean done = new AtomicBoolean();
    try {
      Future<?> reaper =
          executor.submit(
              () -> {
                while (!done.get()) {
                  gpu.memory().reap();
                }
              });
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        running.add(executor.submit(this::allocateAndFree));
      }
      for (Future<?> worker : running) {
        worker.get();
      }
      done.set(true);
      reaper.get();
    } finally {
      done.set(true);
      executor.shutdown();
    }
    gpu.synchronize();
    gpu.memory().reap();
    MemoryStatistics account = gpu.memory().statistics();
    assertThat(account.liveBytes()).isZero();
    assertThat(account.pendingBytes()).isZero();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(account.allocationRequests()).isEqualTo(workers * 200L);
  }

  private void allocateAndFree() {
    try (DeviceStream stream = gpu.streams().acquire()) {
      for (int i = 0; i < 200; i++) {
        gpu.memory().allocate(stream, byte[].class, 1024).close();
      }
    }
  }

  /** A caching pool has the memory at once. */
  @Test
  void anUploadCountsUntilItsMemoryIsFreeAgain() {
    long size = 4L * 1000;
    long pending = gpu.memory().pool().isPresent() ? 0 : size;
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[1000]);
    assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(size);
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(size);
    array.close();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(pending);
    gpu.synchronize();
    assertThat(gpu.memory().reap()).isEqualTo(pending);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  @Tag("provokes-driver-errors")
  void moreMemoryThanTheDeviceHasIsRefusedAndTheDeviceStaysUsable() {
    assertThatThrownBy(() -> gpu.memory().allocate(a, byte[].class, 1L << 42))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.requested()).isEqualTo(1L << 42));
    saxpyIsComputed();
  }

  @Test
  @Tag("provokes-driver-errors")
  void corruptPtxIsRefusedWithTheDriversLog() {
    KernelImage corrupt =
        KernelImage.of(
            "corrupt.ptx",
            ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .frob %x; ret; }\n"
                .getBytes(UTF_8));
    assertThatThrownBy(() -> LoadedModule.of(a, corrupt))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("corrupt.ptx")
        .hasMessageContaining("frob");
    saxpyIsComputed();
  }

  @Test
  void aClosedArrayIsRefused() {
    DeviceArray<int[]> closed = gpu.memory().upload(a, new int[] {1});
    closed.close();
    assertThatThrownBy(() -> onA.increment(closed, 1))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("increment: parameter 'values'");
  }

  @Test
  void anEmptyArrayLaunchesNothing() {
    try (DeviceArray<int[]> empty = gpu.memory().allocate(a, int[].class, 0)) {
      long before = gpu.statistics().launches();
      onA.add(empty, empty, empty, 0);
      assertThat(gpu.statistics().launches()).isEqualTo(before);
    }
  }

  @Test
  void aConsumerOnAnotherStreamSeesWhatTheProducerWrote() {
    int n = 256 * scale();
    int rounds = 50 * scale();
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, n)) {
      for (int i = 0; i < 20; i++) {
        onA.incrementSlowly(values, n, rounds);
        onB.increment(values, n);
      }
      assertThat(values.download(b)).containsOnly(40);
    }
  }

  @Test
  void aFreedAddressIsNotWrittenBeforeItsReadersAreDone() {
    int n = 256 * scale();
    int rounds = 50 * scale();
    for (int i = 0; i < 20; i++) {
      DeviceArray<int[]> source = gpu.memory().allocateZeroed(a, int[].class, n);
      onA.incrementSlowly(source, n, rounds);
      try (DeviceArray<int[]> sum = gpu.memory().allocate(b, int[].class, n)) {
        onB.add(source, source, sum, n);
        source.close();
        try (DeviceArray<int[]> reused = gpu.memory().allocate(a, int[].class, n)) {
          reused.fill(a, 99);
          assertThat(sum.download(b)).containsOnly(2);
          assertThat(reused.download(a)).containsOnly(99);
        }
      }
    }
  }

  @Test
  @Tag("launches-in-threads")
  void threadsThatShareAnArrayOnTheirOwnStreamsLoseNoUpdate() throws Exception {
    int threads = 4;
    int launches = 50 * scale();
    try (DeviceArray<int[]> shared = gpu.memory().allocateZeroed(a, int[].class, 100)) {
      ExecutorService executor = Executors.newFixedThreadPool(threads);
      CountDownLatch start = new CountDownLatch(1);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        running.add(
            executor.submit(
                () -> {
                  try (DeviceStream own = gpu.streams().acquire()) {
                    SuiteKernels kernels = SuiteKernelsLauncher.on(own);
                    start.await();
                    for (int i = 0; i < launches; i++) {
                      kernels.increment(shared, 100);
                    }
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> future : running) {
        future.get();
      }
      executor.shutdown();
      assertThat(shared.download(a)).containsOnly(threads * launches);
    }
  }

  @Test
  @Tag("launches-in-threads")
  void threadsThatShareALauncherTakeTurns() throws Exception {
    int launches = 100 * scale();
    try (DeviceArray<int[]> shared = gpu.memory().allocateZeroed(a, int[].class, 100)) {
      Thread other =
          new Thread(
              () -> {
                for (int i = 0; i < launches; i++) {
                  onA.increment(shared, 100);
                }
              });
      other.start();
      for (int i = 0; i < launches; i++) {
        onA.increment(shared, 100);
      }
      other.join();
      assertThat(shared.download(a)).containsOnly(2 * launches);
    }
  }

  @Test
  void tablesOfColumnsReachTheKernelOnTwoStreams() {
    for (int columns : new int[] {1, 16, 1_000, 10_000}) {
      try (DeviceArray<int[]> all = gpu.memory().allocateZeroed(a, int[].class, columns * 3L)) {
        List<DeviceArray<int[]>> table = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
          table.add(all.view(3L * i, 3));
        }
        onA.bumpAll(table, columns, 3);
        onB.bumpAll(table, columns, 3);
        onA.bumpAll(table, columns, 3);
        assertThat(all.download(b)).as("%d columns", columns).containsOnly(3);
      }
    }
  }

  /** Each launch has a table of its own, so that copies overwrite older tables many times. */
  @Test
  void tablesThatChangeWithEachLaunchKeepTheirColumns() {
    int columns = 300;
    int launches = 5_000;
    try (DeviceArray<int[]> all = gpu.memory().allocateZeroed(a, int[].class, columns)) {
      List<DeviceArray<int[]>> views = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        views.add(all.view(i, 1));
      }
      int[] expected = new int[columns];
      Random random = new Random(3);
      for (int i = 0; i < launches; i++) {
        int from = random.nextInt(columns);
        int to = from + 1 + random.nextInt(columns - from);
        (random.nextBoolean() ? onA : onB).bumpAll(views.subList(from, to), to - from, 1);
        for (int c = from; c < to; c++) {
          expected[c]++;
        }
      }
      assertThat(all.download(a)).isEqualTo(expected);
    }
  }

  @Test
  void aTableThatTheStreamHasSeenIsNotCopiedAgain() {
    List<DeviceArray<int[]>> table = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      table.add(gpu.memory().allocateZeroed(a, int[].class, 1));
    }
    onA.bumpAll(table, 16, 1);
    long before = gpu.statistics().driverCalls();
    for (int i = 0; i < 100; i++) {
      onA.bumpAll(table, 16, 1);
    }
    assertThat(gpu.statistics().driverCalls() - before).isEqualTo(100);
    assertThat(table.get(15).download(a)).containsExactly(101);
    table.forEach(DeviceArray::close);
  }

  @Test
  void aRecordWithArraysReachesTheKernel() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {5, 6, 7, 8});
        DeviceArray<byte[]> validity = gpu.memory().upload(b, new byte[] {1, 0, 1, 1});
        DeviceArray<int[]> out = gpu.memory().allocate(a, int[].class, 4)) {
      onA.valid(new SuiteKernels.Column(values, validity, 3), out, 4);
      assertThat(out.download(b)).containsExactly(5, 0, 7, 0);
    }
  }

  @Test
  void aTableIsCountedSlicedAndPackedOnTheDevice() {
    int n = 1000 * scale() + 9;
    Schema schema =
        Schema.of(ColumnField.of("x", ColumnType.INT32), ColumnField.of("flag", ColumnType.BOOL8));
    boolean[] flags = new boolean[n];
    byte[] bits = new byte[(n + 7) / 8];
    for (int i = 0; i < n; i += 3) {
      flags[i] = true;
      bits[i / 8] |= (byte) (1 << (i % 8));
    }
    try (DeviceTable table = DeviceTable.allocate(a, schema, n)) {
      DeviceColumn<int[]> x = table.column("x", int[].class);
      DeviceColumn<boolean[]> flag = table.column("flag", boolean[].class);
      x.values().fill(a, 1);
      flag.values().upload(a, flags);
      table.setRows(a, n - 5);
      onB.increment(table.rowCount(), 1);
      try (DeviceTable slice = table.slice(a, n - 100, 100);
          DeviceColumn<byte[]> packed = flag.packed(b);
          DeviceColumn<boolean[]> unpacked = packed.slice(5, n - 5).unpacked(a)) {
        onB.increment(slice.column("x", int[].class).values(), 100);
        assertThat(slice.rows(a)).isEqualTo(96);
        assertThat(table.rows(b)).isEqualTo(n - 4);
        assertThat(packed.values().download(a)).isEqualTo(bits);
        assertThat(unpacked.values().download(b)).isEqualTo(Arrays.copyOfRange(flags, 5, n));
        assertThat(x.values().download(a, n - 101, 2)).containsExactly(1, 2);
      }
    }
  }

  @Test
  void aChainOnOneStreamIsOneDriverCallPerLaunch() {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 10)) {
      onA.increment(values, 10);
      long before = gpu.statistics().driverCalls();
      for (int i = 0; i < 1000; i++) {
        onA.increment(values, 10);
      }
      assertThat(gpu.statistics().driverCalls() - before).isEqualTo(1000);
    }
  }

  @Test
  void columnsAndTheirTableReachTheKernelOnTwoStreams() {
    NullableKernels onA = NullableKernelsLauncher.on(a);
    NullableKernels onB = NullableKernelsLauncher.on(b);
    int n = 100 * scale();
    Schema schema =
        Schema.of(ColumnField.of("x", ColumnType.INT64), ColumnField.of("y", ColumnType.INT64));
    try (DeviceTable table = DeviceTable.allocate(a, schema, n);
        DeviceTable sums = DeviceTable.allocate(b, schema.select("y"), n)) {
      DeviceColumn<long[]> x = table.column("x", long[].class);
      DeviceColumn<long[]> y = table.column("y", long[].class);
      DeviceColumn<long[]> sum = sums.column("y", long[].class);
      x.values().fill(a, 3);
      y.values().fill(b, 4);
      for (int i = 0; i < 4; i++) {
        onA.negateAll(List.of(x, y), 2, n, 100 * scale());
        sums.rowCount().fill(a, 0);
        onB.sumRows(table, 2, sum, sums.rowCount(), n);
        assertThat(sum.values().download(a)).containsOnly(i % 2 == 0 ? -7 : 7);
        assertThat(sums.rows(a)).isEqualTo(n);
      }
    }
  }

  @Test
  void kernelsTakeTheValidityOfAColumnAndTheNullPointerIfItHasNone() {
    NullableKernels kernels = NullableKernelsLauncher.on(a);
    ColumnField field = ColumnField.nullable("k", ColumnType.INT32);
    try (DeviceColumn<int[]> some =
            DeviceColumn.of(
                field,
                gpu.memory().upload(b, new int[] {1, 2, 3, 4}),
                gpu.memory().upload(b, new byte[] {0b0101}));
        DeviceColumn<int[]> all =
            DeviceColumn.of(field, gpu.memory().upload(b, new int[] {5, 6, 7, 8}));
        DeviceColumn<int[]> out = DeviceColumn.allocate(a, field, int[].class, 4)) {
      kernels.orElse(NullableKernels.Nullable.of(some), -1, out, 4);
      assertThat(out.values().download(b)).containsExactly(1, -1, 3, -1);
      kernels.orElse(NullableKernels.Nullable.of(some.slice(1, 2)), -1, out, 4);
      assertThat(out.values().download(b)).containsExactly(-1, 3, -1, -1);
      kernels.orElse(NullableKernels.Nullable.of(all), -1, out, 4);
      assertThat(out.values().download(b)).containsExactly(5, 6, 7, 8);
    }
  }

  @Test
  void aPingPongOverTwoStreamsIsALaunchARecordAndAWaitAtMost() {
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 10)) {
      for (int i = 0; i < 4; i++) {
        onA.increment(values, 10);
        onB.increment(values, 10);
      }
      RuntimeStatistics before = gpu.statistics();
      for (int i = 0; i < 500; i++) {
        onA.increment(values, 10);
        onB.increment(values, 10);
      }
      RuntimeStatistics after = gpu.statistics();
      assertThat(after.launches() - before.launches()).isEqualTo(1000);
      // Each launch depends on one of the other stream: without a wait it can be ordered only by
      // luck.
      assertThat(after.waits() - before.waits()).isPositive();
      assertThat(after.eventRecords() - before.eventRecords()).isLessThanOrEqualTo(1000);
      assertThat(after.waits() - before.waits()).isLessThanOrEqualTo(1000);
      assertThat(after.driverCalls() - before.driverCalls()).isLessThanOrEqualTo(3000);
      assertThat(values.download(a)).containsOnly(1008);
    }
  }

  /**
   * Bytes that this thread allocates on the Java heap for one launch on one stream and one
   * ping-pong, warmed up.
   */
  final long[] bytesPerThousandLaunches() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(a, int[].class, 10)) {
      long rounds = Load.of(20_000);
      for (long i = 0; i < rounds; i++) {
        onA.increment(values, 10);
        onB.increment(values, 10);
      }
      gpu.synchronize();
      long start = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 1000; i++) {
        onA.increment(values, 10);
      }
      long chained = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 500; i++) {
        onA.increment(values, 10);
        onB.increment(values, 10);
      }
      long pingPong = threads.getThreadAllocatedBytes(thread);
      return new long[] {chained - start, pingPong - chained};
    }
  }
}
