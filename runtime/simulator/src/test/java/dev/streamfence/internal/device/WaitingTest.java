package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.WaitingLine;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that wait for streams and for memory instead of being refused. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WaitingTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int BUDGET = 1000;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device,
          RuntimeOptions.defaults().withStreams(1).withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));

  /** Requests of other parts would wait in lines of their own. */
  private final DeviceMemory part = gpu.memory().within(5L * BUDGET);

  private final List<AutoCloseable> taken = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    gpu.close();
  }

  /** What can be waited for: the only stream, or all of the budget. */
  private enum Scarce {
    STREAM {
      @Override
      Optional<? extends AutoCloseable> take(DeviceRuntime gpu, DeviceMemory part, Duration timeout)
          throws InterruptedException {
        return gpu.streams().acquire(timeout);
      }
    },
    MEMORY {
      @Override
      Optional<? extends AutoCloseable> take(DeviceRuntime gpu, DeviceMemory part, Duration timeout)
          throws InterruptedException {
        return gpu.memory().reserve(BUDGET, timeout);
      }
    },
    MEMORY_OF_A_PART {
      @Override
      Optional<? extends AutoCloseable> take(DeviceRuntime gpu, DeviceMemory part, Duration timeout)
          throws InterruptedException {
        return part.reserve(BUDGET, timeout);
      }
    };

    abstract Optional<? extends AutoCloseable> take(
        DeviceRuntime gpu, DeviceMemory part, Duration timeout) throws InterruptedException;
  }

  private Optional<? extends AutoCloseable> take(Scarce scarce, Duration timeout)
      throws InterruptedException {
    Optional<? extends AutoCloseable> result = scarce.take(gpu, part, timeout);
    result.ifPresent(taken::add);
    return result;
  }

  private FutureTask<Optional<? extends AutoCloseable>> waiting(Scarce scarce) throws Exception {
    FutureTask<Optional<? extends AutoCloseable>> task = new FutureTask<>(() -> take(scarce, LONG));
    Thread thread = new Thread(task);
    thread.start();
    while (!isInLine(thread)) {
      assertThat(thread.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    return task;
  }

  /** Whether a thread waits in a line, and not for something else on its way there. */
  private static boolean isInLine(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().endsWith(".WaitingLine"))
        && thread.getState() == Thread.State.TIMED_WAITING;
  }

  @ParameterizedTest
  @EnumSource(Scarce.class)
  void theFirstToWaitIsTheFirstToGetIt(Scarce scarce) throws Exception {
    AutoCloseable held = take(scarce, Duration.ZERO).orElseThrow();
    var first = waiting(scarce);
    var second = waiting(scarce);
    assertThat(first.isDone()).isFalse();
    held.close();
    AutoCloseable next = first.get().orElseThrow();
    assertThat(second.isDone()).isFalse();
    next.close();
    second.get().orElseThrow().close();
  }

  @ParameterizedTest
  @EnumSource(Scarce.class)
  void whatDoesNotComeInTimeIsEmpty(Scarce scarce) throws Exception {
    AutoCloseable held = take(scarce, Duration.ZERO).orElseThrow();
    assertThat(take(scarce, Duration.ZERO)).isEmpty();
    assertThat(take(scarce, Duration.ofMillis(30))).isEmpty();
    held.close();
    take(scarce, Duration.ZERO).orElseThrow().close();
    assertThatIllegalArgumentException().isThrownBy(() -> take(scarce, Duration.ofMillis(-1)));
  }

  @ParameterizedTest
  @EnumSource(Scarce.class)
  void anInterruptEndsTheWaitAndTheNextOneGoesOn(Scarce scarce) throws Exception {
    AutoCloseable held = take(scarce, Duration.ZERO).orElseThrow();
    FutureTask<Optional<? extends AutoCloseable>> task = new FutureTask<>(() -> take(scarce, LONG));
    Thread thread = new Thread(task);
    thread.start();
    var second = waiting(scarce);
    thread.interrupt();
    assertThatThrownBy(task::get).hasCauseInstanceOf(InterruptedException.class);
    held.close();
    second.get().orElseThrow().close();
  }

  @ParameterizedTest
  @EnumSource(Scarce.class)
  void aRuntimeThatClosesEndsAllWaits(Scarce scarce) throws Exception {
    take(scarce, Duration.ZERO).orElseThrow();
    var first = waiting(scarce);
    var second = waiting(scarce);
    gpu.close();
    for (var each : List.of(first, second)) {
      assertThatThrownBy(each::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RuntimeClosedException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Scarce.class)
  void aThreadInsideOfACallMustNotWait(Scarce scarce) {
    DeviceStream stream = gpu.streams().defaultStream();
    assertThatThrownBy(() -> stream.submit("a call", uses -> {}, call -> take(scarce, LONG)))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("inside of a launch or a call of this thread");
  }

  @Test
  void memoryComesFromArraysThatAreClosedAndDoneWith() throws Exception {
    DeviceStream stream = gpu.streams().defaultStream();
    DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, BUDGET);
    array.fill(stream, 1);
    var waits = waiting(Scarce.MEMORY);
    array.close();
    try (MemoryReservation reservation = (MemoryReservation) waits.get().orElseThrow()) {
      reservation.allocate(stream, byte[].class, BUDGET).close();
    }
  }

  /** What gives memory back, or makes it free for another array. */
  private enum Giving {
    ARRAY {
      @Override
      AutoCloseable begin(DeviceMemory memory, DeviceStream stream) {
        return memory.allocate(stream, byte[].class, 10);
      }
    },
    RESERVATION {
      @Override
      AutoCloseable begin(DeviceMemory memory, DeviceStream stream) {
        return memory.reserve(10);
      }
    },
    USE_OF_A_SPILLABLE_ARRAY {
      @Override
      AutoCloseable begin(DeviceMemory memory, DeviceStream stream) {
        return memory.spillable(memory.allocate(stream, byte[].class, 10)).use(stream);
      }
    };

    abstract AutoCloseable begin(DeviceMemory memory, DeviceStream stream);
  }

  @ParameterizedTest
  @EnumSource(Giving.class)
  void whatGivesMemoryBackWakesTheFirstOfEachLine(Giving giving) throws Exception {
    DeviceStream stream = gpu.streams().defaultStream();
    for (DeviceMemory from : List.of(gpu.memory(), part)) {
      for (DeviceMemory to : List.of(gpu.memory(), part)) {
        AutoCloseable held = giving.begin(from, stream);
        assertThat(looksAgainAtOnce(((TrackedMemory) to).waiting(), held)).isTrue();
      }
    }
  }

  /** Whether a thread in a line tries again after a close without sleeping meanwhile. */
  private static boolean looksAgainAtOnce(WaitingLine line, AutoCloseable closing)
      throws InterruptedException {
    AtomicLong sleeps = new AtomicLong(-1);
    Boolean result =
        line.await(
            () -> {
              if (sleeps.get() >= 0) {
                return sleeps.get() == sleeps();
              }
              sleeps.set(sleeps());
              try {
                closing.close();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              return null;
            },
            Deadline.after(LONG));
    return Boolean.TRUE.equals(result);
  }

  /** How often this thread has begun to wait for others. */
  private static long sleeps() {
    return ManagementFactory.getThreadMXBean()
        .getThreadInfo(Thread.currentThread().getId())
        .getWaitedCount();
  }

  /** The second thread may have what the first one needs to go on. */
  @Test
  void threadsThatWaitForDifferentPartsDoNotWaitForEachOther() throws Exception {
    DeviceMemory small = gpu.memory().within(100);
    MemoryReservation held = small.reserve(100);
    FutureTask<Optional<MemoryReservation>> first =
        new FutureTask<>(() -> small.reserve(100, LONG));
    Thread thread = new Thread(first);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    gpu.memory().within(200).reserve(200, LONG).orElseThrow().close();
    gpu.memory().reserve(300, Duration.ZERO).orElseThrow().close();
    held.close();
    first.get().orElseThrow().close();
  }

  @Test
  void memoryThatTheDeviceStillUsesIsNotWaitedForBeyondTheTimeout() throws Exception {
    SimulatedDevice late = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime busy =
            DeviceRuntime.simulated(
                late, RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
        DeviceStream stream = busy.streams().acquire()) {
      DeviceArray<byte[]> array = busy.memory().allocate(stream, byte[].class, BUDGET);
      array.fill(stream, 1);
      array.close();
      assertThat(busy.memory().reserve(BUDGET, Duration.ZERO)).isEmpty();
      busy.synchronize();
      busy.memory().reserve(BUDGET, Duration.ZERO).orElseThrow().close();
    }
  }

  @Test
  void moreThanTheBudgetIsRefusedAtOnce() {
    assertThatThrownBy(() -> gpu.memory().reserve(BUDGET + 1, LONG))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    assertThatThrownBy(() -> gpu.memory().within(10).reserve(11, LONG))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    DeviceMemory wide = gpu.memory().within(5L * BUDGET);
    try (MemoryReservation most = wide.reserve(BUDGET - 1)) {
      assertThatThrownBy(() -> wide.reserve(2L * BUDGET, LONG))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(most.remainingBytes()).isEqualTo(BUDGET - 1);
    }
  }

  @Test
  void manyTasksShareOneStreamAndOneBudget() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        int value = i % 100;
        tasks.add(() -> task(value));
      }
      int i = 0;
      for (Future<Integer> each : threads.invokeAll(tasks)) {
        assertThat(each.get()).isEqualTo(i++ % 100);
      }
    } finally {
      threads.shutdown();
    }
    assertThat(gpu.streams().lent()).isZero();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
  }

  private int task(int value) throws InterruptedException {
    int bytes = BUDGET / 2 + value;
    try (MemoryReservation memory = gpu.memory().reserve(bytes, LONG).orElseThrow();
        DeviceStream stream = gpu.streams().acquire(LONG).orElseThrow();
        DeviceArray<byte[]> array = memory.allocate(stream, byte[].class, bytes)) {
      array.fill(stream, value);
      return array.download(stream)[bytes - 1];
    }
  }
}
