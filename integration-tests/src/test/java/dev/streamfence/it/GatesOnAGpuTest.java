package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Forces the order on a real device: a gate holds one stream back, so that a missing wait gives a
 * wrong answer every time. Each program runs twice: as it is, and without the waits between
 * streams. The second answer has to be wrong, since a test that cannot fail proves nothing.
 */
@Tag("gpu")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GatesOnAGpuTest {
  private static final int N = 1 << 16;
  private static final int OLD = 11;
  private static final int NEW = 22;

  /** A program that says whether its answer is right. */
  @FunctionalInterface
  private interface Program {
    boolean isRight(GatesOnAGpuTest test) throws Exception;
  }

  private record Case(String name, Program program) {
    @Override
    public String toString() {
      return name;
    }
  }

  private boolean leaveOutWaits;
  private DeafDriver deaf;
  private DeviceRuntime gpu;
  private Gate gate;
  private DeviceStream a;
  private DeviceStream b;
  private DeviceStream c;
  private DeviceStream d;
  private GateKernels onA;
  private GateKernels onB;
  private GateKernels onC;
  private final List<DeviceArray<?>> arrays = new ArrayList<>();

  @BeforeEach
  void openDevice() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    deaf = new DeafDriver(JCudaDevices.open(0));
    gpu = Inside.open(deaf.driver());
    gate = new Gate(gpu);
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
    c = gpu.streams().acquire();
    d = gpu.streams().acquire();
    onA = GateKernelsLauncher.on(a);
    onB = GateKernelsLauncher.on(b);
    onC = GateKernelsLauncher.on(c);
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      deaf.setDeaf(false);
      gate.close();
      arrays.forEach(DeviceArray::close);
      gpu.close();
    }
  }

  static Stream<Case> programs() {
    return Stream.of(
        new Case("a read sees the write before it", GatesOnAGpuTest::readAfterWrite),
        new Case("a launch sees the launch before it", GatesOnAGpuTest::launchAfterLaunch),
        new Case("a write waits for the read before it", GatesOnAGpuTest::writeAfterRead),
        new Case("writes land in their order", GatesOnAGpuTest::writeAfterWrite),
        new Case("a write waits for the first of two readers", t -> t.writeAfterReaders(2)),
        new Case("a write waits for the first of three readers", t -> t.writeAfterReaders(3)),
        new Case("an upload waits for the read before it", GatesOnAGpuTest::uploadAfterRead),
        new Case("a download waits for the write before it", GatesOnAGpuTest::downloadAfterWrite),
        new Case("a free waits for the reader on another stream", GatesOnAGpuTest::freeAfterRead),
        new Case("a fresh array waits for its allocation", GatesOnAGpuTest::useAfterAllocation),
        new Case("order passes through a third stream", GatesOnAGpuTest::throughAThirdStream),
        new Case("a copy waits for both of its arrays", GatesOnAGpuTest::copyWaitsForBoth),
        new Case("order holds between threads", GatesOnAGpuTest::betweenThreads));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theAnswerIsRight(Case program) throws Exception {
    for (int round = 0; round < 5; round++) {
      leaveOutWaits = false;
      assertThat(program.program().isRight(this)).as("round %s", round).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("races-on-purpose")
  void withoutTheWaitsTheAnswerIsWrong(Case program) throws Exception {
    boolean wrong = false;
    for (int round = 0; round < 5 && !wrong; round++) {
      leaveOutWaits = true;
      wrong = !program.program().isRight(this);
    }
    assertThat(wrong).isTrue();
  }

  private boolean readAfterWrite() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(a);
    x.fill(a, NEW);
    y.copyFrom(b, x);
    letOthersRun(b);
    return all(y, NEW);
  }

  private boolean launchAfterLaunch() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    DeviceArray<int[]> source = filled(NEW);
    settle();
    gate.holdBack(a);
    onA.copyInts(source, x, N);
    onB.copyInts(x, y, N);
    letOthersRun(b);
    return all(y, NEW);
  }

  private boolean writeAfterRead() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(b);
    onB.copyInts(x, y, N);
    x.fill(a, NEW);
    letOthersRun(a);
    return all(y, OLD) && all(x, NEW);
  }

  private boolean writeAfterWrite() {
    DeviceArray<int[]> x = filled(0);
    settle();
    gate.holdBack(a);
    x.fill(a, OLD);
    x.fill(b, NEW);
    letOthersRun(b);
    return all(x, NEW);
  }

  private boolean writeAfterReaders(int readers) {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> first = filled(0);
    DeviceArray<int[]> second = filled(0);
    DeviceArray<int[]> third = filled(0);
    settle();
    gate.holdBack(a);
    onA.copyInts(x, first, N);
    onB.copyInts(x, second, N);
    if (readers == 3) {
      onC.copyInts(x, third, N);
    }
    x.fill(d, NEW);
    letOthersRun(b, c, d);
    return all(first, OLD) && all(second, OLD) && (readers < 3 || all(third, OLD));
  }

  private boolean uploadAfterRead() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(b);
    onB.copyInts(x, y, N);
    int[] fresh = new int[N];
    Arrays.fill(fresh, NEW);
    x.upload(a, fresh);
    letOthersRun(a);
    return all(y, OLD) && all(x, NEW);
  }

  private boolean downloadAfterWrite() throws Exception {
    DeviceArray<int[]> x = filled(OLD);
    settle();
    gate.holdBack(a);
    x.fill(a, NEW);
    CompletableFuture<int[]> download = CompletableFuture.supplyAsync(() -> x.download(b));
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
    while (!download.isDone() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    letOthersRun(c);
    return download.get()[N - 1] == NEW;
  }

  private boolean freeAfterRead() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> first = filled(0);
    DeviceArray<int[]> second = filled(0);
    settle();
    gate.holdBack(b);
    onB.copyInts(x, first, N);
    onC.copyInts(x, second, N);
    forget(x);
    x.close();
    DeviceArray<int[]> reused = gpu.memory().allocate(c, int[].class, N);
    arrays.add(reused);
    reused.fill(c, NEW);
    letOthersRun(c);
    return all(first, OLD) && all(second, OLD);
  }

  /**
   * The content of fresh memory proves nothing. The test checks whether the other stream was held
   * back as well.
   */
  private boolean useAfterAllocation() {
    settle();
    gate.holdBack(a);
    DeviceArray<int[]> x = gpu.memory().allocate(a, int[].class, N);
    arrays.add(x);
    x.fill(b, NEW);
    boolean heldBack = !isIdleSoon(b);
    gate.open();
    return heldBack && all(x, NEW);
  }

  private boolean throughAThirdStream() {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    DeviceArray<int[]> z = filled(0);
    settle();
    gate.holdBack(a);
    x.fill(a, NEW);
    onB.copyInts(x, y, N);
    onC.copyInts(y, z, N);
    letOthersRun(b, c);
    return all(z, NEW);
  }

  private boolean copyWaitsForBoth() {
    DeviceArray<int[]> source = filled(NEW);
    DeviceArray<int[]> target = filled(0);
    DeviceArray<int[]> seen = filled(0);
    settle();
    gate.holdBack(a);
    onA.copyInts(target, seen, N);
    target.copyFrom(b, source);
    letOthersRun(b);
    return all(seen, 0) && all(target, NEW);
  }

  private boolean betweenThreads() throws Exception {
    DeviceArray<int[]> x = filled(OLD);
    DeviceArray<int[]> y = filled(0);
    settle();
    gate.holdBack(a);
    CompletableFuture<Void> producer = CompletableFuture.runAsync(() -> x.fill(a, NEW));
    producer.thenRunAsync(() -> onB.copyInts(x, y, N)).get();
    letOthersRun(b);
    return all(y, NEW);
  }

  private DeviceArray<int[]> filled(int value) {
    DeviceArray<int[]> array = gpu.memory().allocate(a, int[].class, N);
    arrays.add(array);
    array.fill(a, value);
    return array;
  }

  private void forget(DeviceArray<?> array) {
    arrays.remove(array);
  }

  /** After this call, earlier work needs no wait. */
  private void settle() {
    gpu.synchronize();
    deaf.setDeaf(leaveOutWaits);
  }

  /** Gives streams that wait for nothing the time to finish, then opens the gate. */
  private void letOthersRun(DeviceStream... others) {
    for (DeviceStream other : others) {
      isIdleSoon(other);
    }
    gate.open();
    deaf.setDeaf(false);
    gpu.synchronize();
  }

  private static boolean isIdleSoon(DeviceStream stream) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
    while (System.nanoTime() < deadline) {
      if (stream.isIdle()) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  private boolean all(DeviceArray<int[]> array, int value) {
    deaf.setDeaf(false);
    for (int actual : array.download(a)) {
      if (actual != value) {
        return false;
      }
    }
    return true;
  }
}
