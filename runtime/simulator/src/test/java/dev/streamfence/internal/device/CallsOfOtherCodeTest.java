package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The runtime holds nothing while it calls other code. Here that code waits for a thread that
 * closes the runtime, which needs every lock, and waits for every thread inside an operation.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CallsOfOtherCodeTest {
  /** Runs code when it is made, which is what a download does. */
  private record Watched(int value) {
    private static final AtomicInteger MADE = new AtomicInteger();
    private static volatile Runnable whenMade = () -> {};

    Watched {
      MADE.incrementAndGet();
      whenMade.run();
    }
  }

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  /** What the driver has refused to destroy. */
  private int leftOver;

  private final SimulatedLibrary producer = device.library("producer");

  // Without patience: the close of another thread does not wait for the call that waits for it.
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device,
          RuntimeOptions.defaults()
              .withAbandonedLaunchTimeout(Duration.ZERO)
              .withUncheckedBinaries(true));
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final long address = producer.allocate(16);
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void nothingIsLeft() {
    Watched.whenMade = () -> {};
    gpu.close();
    if (!Inside.isLost(gpu)) {
      assertThat(device.liveObjects()).isEqualTo(leftOver);
    }
  }

  /** Returns once another thread has closed the runtime. */
  private void closeElsewhere() {
    calls.incrementAndGet();
    Thread closer = new Thread(gpu::close, "closer");
    closer.start();
    try {
      closer.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private ForeignMemory memory() {
    return ForeignMemory.at(address, 16).named("tensor").alreadyReady();
  }

  private ForeignMemory closing() {
    return memory().releasedBy(this::closeElsewhere);
  }

  private DeviceArray<int[]> adopt(ForeignMemory memory) {
    return gpu.memory().adopt(a, memory, int[].class);
  }

  private void requireClosed() {
    assertThat(calls).hasValue(1);
    assertThat(gpu.isOpen()).isFalse();
    assertThatThrownBy(a::synchronize).isInstanceOf(RuntimeClosedException.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReleaseByTheThreadThatClosesTheArray() {
    adopt(closing().returnedTo(0)).close();
    requireClosed();
  }

  @Test
  void aReleaseAfterTheLastUse() throws InterruptedException {
    CountDownLatch isCalled = new CountDownLatch(1);
    DeviceArray<int[]> array =
        adopt(
            memory()
                .releasedBy(
                    () -> {
                      closeElsewhere();
                      isCalled.countDown();
                    }));
    for (int i = 0; i < 100; i++) {
      VectorKernels.on(b).increment(array, 4);
    }
    array.close();
    isCalled.await();
    requireClosed();
  }

  @Test
  void aReleaseByTheCloseOfTheRuntime() {
    adopt(closing());
    gpu.close();
    requireClosed();
  }

  @Test
  void aReleaseOfALostDevice() {
    DeviceArray<int[]> array = adopt(closing());
    a.submit(
        "wild",
        uses -> uses.reads(array),
        call -> producer.launch(call.streamHandle(), "stray", memory -> memory.getInt(8)));
    assertThatThrownBy(a::synchronize).isInstanceOf(RuntimeException.class);
    array.close();
    requireClosed();
  }

  @Test
  void aReleaseOfMemoryWithoutAByte() {
    gpu.memory()
        .adopt(a, ForeignMemory.at(0, 0).releasedBy(this::closeElsewhere), int[].class)
        .close();
    requireClosed();
  }

  @Test
  void aReleaseAfterTheLaunchInWhichItsArrayWasClosed() {
    DeviceArray<int[]> array = adopt(closing().returnedTo(0));
    DeviceArray<int[]> own = gpu.memory().upload(b, new int[4]);
    LaunchRecorder recorder = VectorKernels.incrementOn(b);
    recorder.begin().array(own).threads(4).preflight();
    array.close();
    assertThat(calls).hasValue(0);
    recorder.launch().commit();
    recorder.close();
    requireClosed();
  }

  @Test
  void aReleaseOfAnArrayThatAnotherThreadsLaunchUsed() throws InterruptedException {
    CountDownLatch isCalled = new CountDownLatch(1);
    Thread[] caller = new Thread[1];
    DeviceArray<int[]> array =
        adopt(
            memory()
                .returnedTo(0)
                .releasedBy(
                    () -> {
                      caller[0] = Thread.currentThread();
                      closeElsewhere();
                      isCalled.countDown();
                    }));
    LaunchRecorder recorder = VectorKernels.incrementOn(b);
    recorder.begin().array(array).threads(4).preflight();
    Thread closer = new Thread(array::close);
    closer.start();
    closer.join();
    recorder.launch().commit();
    recorder.close();
    isCalled.await();
    assertThat(caller[0]).isNotSameAs(Thread.currentThread());
    requireClosed();
  }

  @Test
  void aReleaseThatClosesTheRuntimeItself() {
    adopt(
        memory()
            .releasedBy(
                () -> {
                  calls.incrementAndGet();
                  gpu.close();
                  assertThat(gpu.isOpen()).isFalse();
                }));
    try (RuntimeLog log = RuntimeLog.listen()) {
      gpu.close();
      // The close inside of the call does not take the call for one that goes on afterwards.
      assertThat(log.recordsWith("goes on after " + gpu)).isEmpty();
    }
    requireClosed();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void theDeclarationOfACall() {
    assertThatThrownBy(() -> a.submit("call", uses -> closeElsewhere(), call -> {}))
        .isInstanceOf(RuntimeClosedException.class);
    requireClosed();
  }

  @Test
  void aStageOfACompletion() {
    VectorKernels kernels = VectorKernels.on(a);
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[4]);
    for (int i = 0; i < 100; i++) {
      kernels.increment(own, 4);
    }
    CompletionStage<Void> stage =
        own.downloadLater(a).valueStage().thenAccept(values -> closeElsewhere());
    stage.toCompletableFuture().join();
    requireClosed();
  }

  @Test
  void theRecordsOfADownload() {
    DeviceArray<Watched[]> records = gpu.memory().upload(a, new Watched[] {new Watched(3)});
    AtomicBoolean once = new AtomicBoolean(true);
    Watched.whenMade =
        () -> {
          if (once.getAndSet(false)) {
            closeElsewhere();
          }
        };
    assertThat(records.download(a)).hasSize(1);
    requireClosed();
  }

  @Test
  void theRecordsOfADownloadThatWasBegun() {
    DeviceArray<Watched[]> records = gpu.memory().upload(a, new Watched[] {new Watched(3)});
    Download<Watched[]> download = records.downloadLater(a);
    AtomicBoolean once = new AtomicBoolean(true);
    int before = Watched.MADE.get();
    Watched.whenMade =
        () -> {
          if (once.getAndSet(false)) {
            closeElsewhere();
          }
        };
    Watched[] value = download.value();
    assertThat(value).extracting(Watched::value).containsExactly(3);
    assertThat(download.value()).isSameAs(value);
    assertThat(Watched.MADE.get() - before).isEqualTo(1);
    requireClosed();
  }

  /** Closes the runtime in another thread when a logger gets the first message. */
  private final class ClosingHandler extends Handler implements AutoCloseable {
    private final Logger logger;
    private final AtomicBoolean once = new AtomicBoolean(true);
    private final CountDownLatch isCalled = new CountDownLatch(1);

    ClosingHandler() {
      logger = Logger.getLogger("dev.streamfence");
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord report) {
      if (once.getAndSet(false)) {
        closeElsewhere();
        isCalled.countDown();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }

  @Test
  void aWarningOfTheClose() {
    DeviceArray<int[]> leaked = gpu.memory().upload(a, new int[4]);
    try (ClosingHandler handler = new ClosingHandler()) {
      gpu.close();
      await(handler.isCalled);
    }
    requireClosed();
    assertThat(leaked.isOpen()).isFalse();
  }

  @Test
  void aWarningOfALoad() {
    byte[] unusable = {0x7f, 'E', 'L', 'F', 1};
    KernelImage image =
        KernelImage.resource(
            "kernels/vector.ptx",
            name ->
                name.endsWith(".cubin")
                    ? new ByteArrayInputStream(unusable)
                    : VectorKernels.class.getResourceAsStream(name));
    try (ClosingHandler handler = new ClosingHandler()) {
      LoadedModule.of(a, image);
      await(handler.isCalled);
    }
    requireClosed();
  }

  @Test
  void aWarningOfAKernelThatIsLookedUp() {
    LoadedModule module =
        LoadedModule.of(
            a,
            KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream));
    KernelSignature wider =
        KernelSignature.entry("increment")
            .readWrites("values", long[].class)
            .threads("n", int.class, 256);
    try (ClosingHandler handler = new ClosingHandler()) {
      module.recorder(wider);
      await(handler.isCalled);
    }
    requireClosed();
  }

  @Test
  void aWarningOfAnAbandonedLaunch() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[4]);
    LaunchRecorder recorder = VectorKernels.incrementOn(a);
    recorder.begin().array(own).threads(4).preflight();
    own.close();
    try (ClosingHandler handler = new ClosingHandler()) {
      recorder.close();
      await(handler.isCalled);
    }
    requireClosed();
  }

  @Test
  void aWarningOfALostArray() throws InterruptedException {
    try (ClosingHandler handler = new ClosingHandler()) {
      gpu.memory().upload(a, new int[4]);
      while (!handler.isCalled.await(5, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
    }
    requireClosed();
  }

  @Test
  void aWarningOfALostPinnedArray() throws InterruptedException {
    try (ClosingHandler handler = new ClosingHandler()) {
      gpu.memory().pinned(int[].class, 4);
      while (!handler.isCalled.await(5, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
    }
    requireClosed();
  }

  @Test
  void theReleaseOfALostArrayDoesNotHoldUpOtherLostArrays() throws InterruptedException {
    CountDownLatch isCalled = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    adopt(
        memory()
            .returnedTo(0)
            .releasedBy(
                () -> {
                  isCalled.countDown();
                  await(goOn);
                }));
    while (!isCalled.await(5, TimeUnit.MILLISECONDS)) {
      System.gc();
    }
    gpu.memory().pinned(int[].class, 4);
    try (RuntimeLog log = RuntimeLog.listen()) {
      while (log.messages().stream().noneMatch(line -> line.contains("a pinned array was lost"))) {
        System.gc();
        Thread.sleep(5);
      }
    }
    goOn.countDown();
  }

  @Test
  void aCloseWithATimeoutGivesUpWhileAReleaseBlocksAndGoesOnLater() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    adopt(
        memory()
            .releasedBy(
                () -> {
                  calls.incrementAndGet();
                  await(goOn);
                }));
    assertThat(gpu.close(Duration.ofMillis(20))).isFalse();
    assertThat(gpu.close(Duration.ZERO)).isFalse();
    assertThat(gpu.isOpen()).isFalse();
    goOn.countDown();
    assertThat(gpu.close(Duration.ofDays(1))).isTrue();
    assertThat(gpu.close(Duration.ZERO)).isTrue();
    assertThat(calls).hasValue(1);
  }

  @Test
  void aCloseThatGivesUpLeavesItsFailureToTheOneThatCompletesIt() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    adopt(memory().returnedTo(0).releasedBy(() -> await(goOn)));
    device.failCall(DriverCall.DESTROY_STREAM, 1, 1);
    leftOver = 1;
    assertThat(gpu.close(Duration.ofMillis(20))).isFalse();
    goOn.countDown();
    assertThatThrownBy(() -> gpu.close(Duration.ofDays(1)))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("cuStreamDestroy");
    assertThat(gpu.close(Duration.ZERO)).isTrue();
  }

  @Test
  void aCloseWithATimeoutGivesUpWhileTheReleaseOfAClosedArrayBlocks() throws Exception {
    CountDownLatch isCalled = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    DeviceArray<int[]> array =
        adopt(
            memory()
                .returnedTo(0)
                .releasedBy(
                    () -> {
                      isCalled.countDown();
                      await(goOn);
                    }));
    Thread closer = new Thread(array::close);
    closer.start();
    isCalled.await();
    assertThat(gpu.close(Duration.ofMillis(20))).isFalse();
    goOn.countDown();
    assertThat(gpu.close(Duration.ofDays(1))).isTrue();
    closer.join();
  }

  /** As with Python's lock, which a deleter takes and a thread that closes may hold. */
  @Test
  void aReleaseThatNeedsALockOfTheClosingThread() throws Exception {
    Object lock = new Object();
    CountDownLatch isCalled = new CountDownLatch(1);
    DeviceArray<int[]> array =
        adopt(
            memory()
                .returnedTo(0)
                .releasedBy(
                    () -> {
                      isCalled.countDown();
                      synchronized (lock) {
                        calls.incrementAndGet();
                      }
                    }));
    Thread closer = new Thread(array::close, "needs the lock");
    try (RuntimeLog log = RuntimeLog.listen()) {
      synchronized (lock) {
        closer.start();
        isCalled.await();
        gpu.close();
        assertThat(calls).hasValue(0);
      }
      assertThat(log.messages())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("the release of 16 bytes of foreign memory 'tensor'")
                      .contains("'needs the lock'")
                      .contains("goes on after"));
    }
    closer.join();
    assertThat(calls).hasValue(1);
  }

  @Test
  void theThreadThatClosesTheRuntimeCallsOwnersItselfSoThatTheyMayNeedItsLocks() {
    Object lock = new Object();
    Thread[] caller = new Thread[1];
    DeviceArray<int[]> array =
        adopt(
            memory()
                .releasedBy(
                    () -> {
                      synchronized (lock) {
                        caller[0] = Thread.currentThread();
                      }
                    }));
    for (int i = 0; i < 100; i++) {
      VectorKernels.on(b).increment(array, 4);
    }
    synchronized (lock) {
      array.close();
      gpu.close();
    }
    assertThat(caller[0]).isSameAs(Thread.currentThread());
  }
}
