package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of tasks, which wait for memory, and give way when none can go on. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MemoryTasksTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int BUDGET = 1000;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device, RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
  private final DeviceMemory memory = gpu.memory();
  private final DeviceStream stream = gpu.streams().defaultStream();

  @AfterEach
  void close() {
    gpu.close();
  }

  private DeviceArray<byte[]> allocate(int bytes) {
    return memory.allocate(stream, byte[].class, bytes);
  }

  /** A thread with a task that holds bytes, and then asks for more when it is told to. */
  private final class Worker {
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final FutureTask<Object> result;
    private final Thread thread;

    Worker(String name, int priority, int held, Callable<?> then) throws InterruptedException {
      this(name, priority, LONG, held, then);
    }

    Worker(String name, int priority, Duration patience, int held, Callable<?> then)
        throws InterruptedException {
      result =
          new FutureTask<>(
              () -> {
                try (MemoryTask task = memory.task(priority, patience);
                    DeviceArray<byte[]> array = allocate(held)) {
                  assertThat(task.heldBytes()).isEqualTo(array.length());
                  ready.countDown();
                  go.await();
                  return then.call();
                }
              });
      thread = new Thread(result, name);
      thread.setDaemon(true);
      thread.start();
      ready.await();
    }

    Worker go() {
      go.countDown();
      return this;
    }

    /** Goes on until it waits for memory, and has tried. */
    Worker untilItWaits() {
      int before = memory.pressure().waiting();
      go();
      while (memory.pressure().waiting() == before || thread.getState() == Thread.State.RUNNABLE) {
        assertThat(result.isDone()).isFalse();
        Thread.onSpinWait();
      }
      return this;
    }

    Object get() throws Exception {
      return result.get();
    }

    Throwable failure() {
      Throwable thrown = catchThrowable(result::get);
      assertThat(thrown).isInstanceOf(ExecutionException.class);
      return thrown.getCause();
    }
  }

  private String more(int bytes) {
    try (DeviceArray<byte[]> array = allocate(bytes)) {
      return "has " + array.length();
    }
  }

  @Test
  void aTaskWaitsForMemoryThatAnotherThreadFrees() throws Exception {
    DeviceArray<byte[]> held = allocate(BUDGET);
    // Another task runs, so that not all of them wait.
    try (MemoryTask busy = memory.task()) {
      Worker waits = new Worker("waits", 0, 0, () -> more(BUDGET)).untilItWaits();
      held.close();
      assertThat(waits.get()).isEqualTo("has " + BUDGET);
      assertThat(busy.heldBytes()).isZero();
    }
    assertThat(memory.pressure().waits()).isEqualTo(1);
    assertThat(memory.pressure().waited()).isPositive();
    assertThat(memory.pressure().waiting()).isZero();
    assertThat(memory.pressure().tasks()).isZero();
  }

  @Test
  void aReservationWaitsAsAnArrayDoes() throws Exception {
    DeviceArray<byte[]> held = allocate(BUDGET);
    try (MemoryTask busy = memory.task()) {
      Worker waits =
          new Worker(
                  "waits",
                  0,
                  0,
                  () -> {
                    try (MemoryTask same = memory.task();
                        MemoryReservation room = memory.reserve(600)) {
                      return room.remainingBytes() + same.heldBytes();
                    }
                  })
              .untilItWaits();
      held.close();
      assertThat(waits.get()).isEqualTo(1200L);
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void withoutATaskARequestIsRefusedAtOnce() {
    try (DeviceArray<byte[]> held = allocate(BUDGET)) {
      assertThatThrownBy(() -> allocate(1)).isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(held.isOpen()).isTrue();
    }
    assertThat(memory.pressure().waits()).isZero();
  }

  @Test
  void ofTwoTasksThatWaitForEachOtherTheYoungerGivesWay() throws Exception {
    Worker older = new Worker("older", 0, 500, () -> more(300));
    Worker younger = new Worker("younger", 0, 500, () -> more(300));
    older.untilItWaits();
    younger.go();
    assertThat(older.get()).isEqualTo("has 300");
    assertThat(younger.failure())
        .isInstanceOf(RetryAllocationException.class)
        .hasMessageContaining("of thread 'younger' gives way")
        .hasCauseInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(memory.pressure().retries()).isEqualTo(1);
  }

  @Test
  void ofTwoTasksThatWaitForEachOtherTheLessImportantGivesWay() throws Exception {
    Worker older = new Worker("older", 0, 500, () -> more(300));
    Worker important = new Worker("important", 7, 500, () -> more(300));
    important.untilItWaits();
    older.go();
    assertThat(important.get()).isEqualTo("has 300");
    assertThat(older.failure()).isInstanceOf(RetryAllocationException.class);
  }

  @Test
  void aTaskThatGaveWayGetsMemoryAfterTheOther() throws Exception {
    Worker older = new Worker("older", 0, 400, () -> more(500));
    FutureTask<String> younger =
        new FutureTask<>(
            () -> {
              try (MemoryTask task = memory.task(0, LONG)) {
                for (int attempt = 1; ; attempt++) {
                  try (DeviceArray<byte[]> first = allocate(400)) {
                    return attempt + " attempts, " + first.length() + ", " + more(500);
                  } catch (RetryAllocationException giveWay) {
                    task.awaitTurn();
                  }
                }
              }
            });
    Thread thread = new Thread(younger);
    thread.start();
    while (memory.pressure().waiting() == 0) {
      Thread.onSpinWait();
    }
    older.go();
    assertThat(older.get()).isEqualTo("has 500");
    assertThat(younger.get()).isEqualTo("2 attempts, 400, has 500");
  }

  @Test
  void aTaskWithMemoryOfTwoBudgetsBeginsAgainOnceEachHasRoom() throws Exception {
    DeviceMemory part = memory.within(100);
    CountDownLatch hasPart = new CountDownLatch(1);
    CountDownLatch asks = new CountDownLatch(1);
    CountDownLatch hasWhole = new CountDownLatch(1);
    CountDownLatch frees = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    AtomicBoolean isFree = new AtomicBoolean();
    Callable<?> work =
        () -> {
          DeviceArray<byte[]> small = part.allocate(stream, byte[].class, 50);
          hasPart.countDown();
          asks.await();
          try (DeviceArray<byte[]> large = allocate(600)) {
            small.close();
            hasWhole.countDown();
            frees.await();
            isFree.set(large.isOpen());
          }
          return ends.await(1, TimeUnit.MINUTES);
        };
    Worker older = new Worker("older", 0, 0, work).go();
    hasPart.await();
    FutureTask<String> younger =
        new FutureTask<>(
            () -> {
              try (MemoryTask task = memory.task(0, Duration.ofSeconds(5))) {
                for (int attempt = 1; ; attempt++) {
                  try (DeviceArray<byte[]> large = allocate(500)) {
                    asks.countDown();
                    part.allocate(stream, byte[].class, 60).close();
                    return attempt + " attempts, " + large.length();
                  } catch (RetryAllocationException giveWay) {
                    // The older one has given back what this one was refused, but not the rest.
                    hasWhole.await();
                    task.awaitTurn();
                    assertThat(isFree).isTrue();
                  }
                }
              }
            });
    new Thread(younger).start();
    hasWhole.await();
    while (memory.pressure().waiting() == 0) {
      assertThat(younger.isDone()).isFalse();
      Thread.onSpinWait();
    }
    frees.countDown();
    assertThat(younger.get()).isEqualTo("2 attempts, 500");
    ends.countDown();
    assertThat(older.get()).isEqualTo(true);
  }

  @Test
  void anInterruptEndsTheWaitForATurn() throws Exception {
    CountDownLatch gaveWay = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    Callable<?> work =
        () -> {
          try (DeviceArray<byte[]> more = allocate(500)) {
            ends.await();
            return more.length();
          }
        };
    Worker older = new Worker("older", 0, 400, work);
    Worker younger =
        new Worker(
                "younger",
                0,
                0,
                () -> {
                  try (MemoryTask same = memory.task()) {
                    try (DeviceArray<byte[]> first = allocate(400)) {
                      assertThatThrownBy(() -> more(500))
                          .isInstanceOf(RetryAllocationException.class);
                      assertThat(first.isOpen()).isTrue();
                    }
                    gaveWay.countDown();
                    Throwable refusal = catchThrowable(same::awaitTurn);
                    assertThat(Thread.interrupted()).isTrue();
                    return refusal;
                  }
                })
            .untilItWaits();
    older.go();
    gaveWay.await();
    younger.thread.interrupt();
    assertThat((Throwable) younger.get())
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageContaining("the wait was interrupted");
    ends.countDown();
    assertThat(older.get()).isEqualTo(500L);
  }

  /** Starts a task that keeps 300 bytes while it gives way and begins again with the other 700. */
  private FutureTask<Integer> taskThatKeepsMemory(Callable<?> hasGivenWay, Callable<?> hasTurn) {
    FutureTask<Integer> attempts =
        new FutureTask<>(
            () -> {
              try (MemoryTask task = memory.task(0, LONG);
                  DeviceArray<byte[]> kept = allocate(300)) {
                for (int attempt = 1; ; attempt++) {
                  try (DeviceArray<byte[]> first = allocate(400)) {
                    assertThat(more(300)).isEqualTo("has " + kept.length());
                    assertThat(first.isOpen()).isTrue();
                    return attempt;
                  } catch (RetryAllocationException giveWay) {
                    hasGivenWay.call();
                    task.awaitTurn();
                    hasTurn.call();
                  }
                }
              }
            });
    new Thread(attempts).start();
    while (memory.pressure().waiting() == 0) {
      assertThat(attempts.isDone()).isFalse();
      Thread.onSpinWait();
    }
    return attempts;
  }

  @Test
  void aTaskThatKeepsMemoryBeginsAgainOnceTheRestIsFree() throws Exception {
    CountDownLatch gaveWay = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    Worker older = new Worker("older", 0, 100, () -> more(300));
    FutureTask<Integer> younger =
        taskThatKeepsMemory(
            () -> {
              gaveWay.countDown();
              return goesOn.await(1, TimeUnit.MINUTES);
            },
            () -> true);
    older.go();
    gaveWay.await();
    assertThat(older.get()).isEqualTo("has 300");
    try (MemoryTask busy = memory.task(9, LONG)) {
      goesOn.countDown();
      assertThat(younger.get()).isEqualTo(2);
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void aTaskThatWaitsForItsTurnDoesNotGiveWayForWhatItKeeps() throws Exception {
    AtomicBoolean askedForLess = new AtomicBoolean();
    Worker older =
        new Worker(
            "older",
            0,
            100,
            () -> {
              try (DeviceArray<byte[]> more = allocate(300)) {
                assertThatThrownBy(() -> more(400)).isInstanceOf(SplitAndRetryException.class);
                askedForLess.set(more.isOpen());
              }
              return askedForLess.get();
            });
    FutureTask<Integer> younger =
        taskThatKeepsMemory(
            () -> true,
            () -> {
              assertThat(askedForLess).isTrue();
              return true;
            });
    older.go();
    assertThat(younger.get()).isEqualTo(2);
    assertThat(older.get()).isEqualTo(true);
    assertThat(memory.pressure().retries()).isEqualTo(1);
  }

  @Test
  void theOnlyTaskIsToldToAskForLess() {
    try (MemoryTask task = memory.task();
        DeviceArray<byte[]> own = allocate(600)) {
      assertThatThrownBy(() -> allocate(500))
          .isInstanceOfSatisfying(
              SplitAndRetryException.class,
              split -> {
                assertThat(split.refusal().requested()).isEqualTo(500);
                assertThat(split).hasMessageContaining("has to ask for less than 500 bytes");
              });
      assertThat(task.heldBytes()).isEqualTo(own.sizeInBytes());
    }
    assertThat(memory.pressure().splits()).isEqualTo(1);
  }

  @Test
  void theFirstTaskDoesNotGiveWayForMemoryOfThreadsWithoutATask() throws Exception {
    try (DeviceArray<byte[]> outside = allocate(300)) {
      Worker asks = new Worker("asks", 0, 400, () -> more(400)).go();
      assertThat(asks.failure()).isInstanceOf(SplitAndRetryException.class);
      assertThat(outside.isOpen()).isTrue();
    }
    assertThat(memory.pressure().retries()).isZero();
  }

  @Test
  void eachWaitOfTheFirstTaskGivesThreadsWithoutATaskTimeToReturnMemory() throws Exception {
    try (DeviceArray<byte[]> outside = allocate(500)) {
      Duration before = Duration.ZERO;
      for (int i = 0; i < 3; i++) {
        Worker asks = new Worker("asks", 0, 0, () -> more(600)).go();
        assertThat(asks.failure()).isInstanceOf(SplitAndRetryException.class);
        Duration waited = memory.pressure().waited();
        assertThat(waited.minus(before)).isGreaterThanOrEqualTo(Duration.ofMillis(40));
        before = waited;
      }
      assertThat(outside.isOpen()).isTrue();
    }
  }

  @Test
  void memoryThatAThreadWithoutATaskIsAllocatingCountsAsThatOfOthers() throws Exception {
    AtomicBoolean blocks = new AtomicBoolean();
    CountDownLatch allocates = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    try (DeviceRuntime slow =
            RuntimeOverDriver.open(
                InterceptedDriver.of(
                    Inside.open(SimulatedDevice.builder().build()),
                    (method, call) -> {
                      if (method.equals("allocateAsync") && blocks.getAndSet(false)) {
                        allocates.countDown();
                        goesOn.await();
                      }
                      return call.proceed();
                    }),
                RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
        DeviceStream own = slow.streams().acquire()) {
      blocks.set(true);
      FutureTask<DeviceArray<byte[]>> other =
          new FutureTask<>(
              () -> slow.memory().allocate(slow.streams().defaultStream(), byte[].class, 500));
      new Thread(other).start();
      allocates.await();
      try (MemoryTask task = slow.memory().task(0, LONG)) {
        assertThatThrownBy(() -> slow.memory().allocate(own, byte[].class, 600))
            .isInstanceOf(SplitAndRetryException.class)
            .hasMessageContaining("other arrays and reservations have 500 bytes");
        assertThat(task.heldBytes()).isZero();
      } finally {
        goesOn.countDown();
      }
      other.get().close();
    }
  }

  /** Their frees must not put off the decision for ever. */
  @Test
  void theOnlyTaskIsToldToAskForLessWhileOtherThreadsFreeMemory() throws Exception {
    try (DeviceArray<byte[]> outside = allocate(500)) {
      Worker asks = new Worker("asks", 0, Duration.ofSeconds(5), 0, () -> more(600)).untilItWaits();
      while (!asks.result.isDone()) {
        allocate(1).close();
        Thread.sleep(2);
      }
      assertThat(asks.failure()).isInstanceOf(SplitAndRetryException.class);
      assertThat(outside.isOpen()).isTrue();
    }
  }

  @Test
  void aTaskThatCanNeverHaveWhatItNeedsIsToldToAskForLess() throws Exception {
    Worker older = new Worker("older", 0, 0, () -> more(500));
    Worker younger = new Worker("younger", 0, 600, () -> more(600));
    older.untilItWaits();
    younger.go();
    assertThat(younger.failure()).isInstanceOf(SplitAndRetryException.class);
    assertThat(older.get()).isEqualTo("has 500");
    assertThat(memory.pressure().splits()).isEqualTo(1);
    assertThat(memory.pressure().retries()).isZero();
  }

  @Test
  void aTaskThatCanNeverHaveWhatItNeedsOfTwoBudgetsIsToldToAskForLess() throws Exception {
    DeviceMemory part = memory.within(100);
    CountDownLatch hasPart = new CountDownLatch(1);
    CountDownLatch asks = new CountDownLatch(1);
    Callable<?> work =
        () -> {
          try (DeviceArray<byte[]> small = part.allocate(stream, byte[].class, 50)) {
            hasPart.countDown();
            asks.await();
            return small.length() + ", " + more(600);
          }
        };
    Worker older = new Worker("older", 0, 0, work).go();
    hasPart.await();
    Worker younger =
        new Worker("younger", 0, 950, () -> part.allocate(stream, byte[].class, 60).length());
    asks.countDown();
    assertThat(younger.go().failure()).isInstanceOf(SplitAndRetryException.class);
    assertThat(older.get()).isEqualTo("50, has 600");
    assertThat(memory.pressure().retries()).isZero();
  }

  @Test
  void aSpillableArrayThatATaskUsesCountsInTheBudgetThatItIsAllocatedFrom() throws Exception {
    DeviceMemory part = memory.within(100);
    CountDownLatch isUsed = new CountDownLatch(1);
    CountDownLatch asks = new CountDownLatch(1);
    try (SpillableArray<byte[]> shared =
        memory.spillable(part.allocate(stream, byte[].class, 50))) {
      Worker older = new Worker("older", 0, 0, () -> more(600));
      Callable<?> work =
          () -> {
            try (SpillableArray.Use<byte[]> use = shared.use(stream)) {
              isUsed.countDown();
              asks.await();
              return use.array().length() + part.allocate(stream, byte[].class, 60).length();
            }
          };
      Worker younger = new Worker("younger", 0, 500, work).go();
      isUsed.await();
      older.untilItWaits();
      asks.countDown();
      assertThat(younger.failure()).isInstanceOf(SplitAndRetryException.class);
      assertThat(older.get()).isEqualTo("has 600");
    }
    assertThat(memory.pressure().retries()).isZero();
  }

  @Test
  void aTaskThatIsHeldUpAndCanNeverHaveWhatItNeedsIsToldToAskForLess() throws Exception {
    Worker older = new Worker("older", 0, 0, () -> more(500));
    Worker younger = new Worker("younger", 0, 600, () -> more(600));
    older.untilItWaits();
    Thread.sleep(60); // by then it no longer passes by the older one
    younger.go();
    assertThat(younger.failure()).isInstanceOf(SplitAndRetryException.class);
    assertThat(older.get()).isEqualTo("has 500");
    assertThat(memory.pressure().retries()).isZero();
  }

  @Test
  void theCloseOfAReservationIsMemoryForATaskThatWaits() throws Exception {
    Worker older = new Worker("older", 0, 0, () -> more(300));
    Worker younger =
        new Worker(
                "younger",
                0,
                0,
                () -> {
                  MemoryReservation room = memory.reserve(BUDGET);
                  older.untilItWaits();
                  Thread.sleep(30); // until it was refused
                  room.close();
                  return more(900);
                })
            .go();
    assertThat(older.get()).isEqualTo("has 300");
    assertThat(younger.get()).isEqualTo("has 900");
  }

  @Test
  void aRequestAboveTheBudgetDoesNotWait() {
    try (DeviceArray<byte[]> outside = allocate(10);
        MemoryTask task = memory.task(0, LONG)) {
      assertThatThrownBy(() -> allocate(BUDGET + 1))
          .isInstanceOf(SplitAndRetryException.class)
          .hasMessageContaining("its budget is smaller");
      assertThat(task.heldBytes()).isLessThan(outside.length());
    }
    assertThat(memory.pressure().waits()).isZero();
    assertThat(memory.pressure().splits()).isEqualTo(1);
  }

  @Test
  void theMoreImportantTaskIsServedFirstAndThenTheOlder() throws Exception {
    StringBuffer order = new StringBuffer();
    DeviceArray<byte[]> held = allocate(BUDGET);
    try (MemoryTask busy = memory.task(9, LONG)) {
      List<Worker> workers =
          List.of(
              new Worker("a", 0, 0, () -> noted(order, "a")),
              new Worker("b", 0, 0, () -> noted(order, "b")),
              new Worker("c", 5, 0, () -> noted(order, "c")));
      for (int i : new int[] {1, 0, 2}) {
        workers.get(i).untilItWaits();
      }
      held.close();
      for (Worker worker : workers) {
        worker.get();
      }
      assertThat(busy.priority()).isEqualTo(9);
    }
    assertThat(order).hasToString("cab");
  }

  private String noted(StringBuffer order, String name) {
    try (DeviceArray<byte[]> array = allocate(BUDGET)) {
      order.append(name);
      return name + array.length();
    }
  }

  @Test
  void aTaskWithoutMemoryWaitsBehindOneThatWaitsAlthoughItsRequestFits() throws Exception {
    DeviceArray<byte[]> held = allocate(600);
    try (MemoryTask busy = memory.task(9, LONG)) {
      Worker large = new Worker("large", 0, 0, () -> more(800)).untilItWaits();
      Worker small = new Worker("small", 0, 0, () -> more(100)).untilItWaits();
      held.close();
      assertThat(large.get()).isEqualTo("has 800");
      assertThat(small.get()).isEqualTo("has 100");
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void aTaskWithMemoryPassesByOneThatWaitsSinceItHasToEnd() throws Exception {
    try (MemoryTask busy = memory.task(9, LONG)) {
      DeviceArray<byte[]> held = allocate(500);
      Worker passes = new Worker("passes", 0, 100, () -> more(100));
      Worker large = new Worker("large", 1, 0, () -> more(800)).untilItWaits();
      assertThat(passes.go().get()).isEqualTo("has 100");
      assertThat(large.result.isDone()).isFalse();
      assertThat(busy.heldBytes()).isEqualTo(held.length());
      held.close();
      assertThat(large.get()).isEqualTo("has 800");
    }
  }

  /** With many tasks, each free would otherwise wake all of them. */
  @Test
  void aTaskThatIsHeldUpSleepsThroughFrees() throws Exception {
    DeviceArray<byte[]> held = allocate(600);
    try (MemoryTask busy = memory.task(9, LONG)) {
      Worker large = new Worker("large", 0, 0, () -> more(800)).untilItWaits();
      Worker small = new Worker("small", 0, 0, () -> more(100)).untilItWaits();
      long before = waits(small.thread);
      for (int i = 0; i < 50; i++) {
        allocate(1).close();
        Thread.sleep(2);
      }
      assertThat(waits(small.thread) - before).isLessThan(4);
      held.close();
      assertThat(large.get()).isEqualTo("has 800");
      assertThat(small.get()).isEqualTo("has 100");
      assertThat(busy.heldBytes()).isZero();
    }
  }

  private static long waits(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
  }

  @Test
  void manyTasksThatWaitAreAllServed() throws Exception {
    DeviceArray<byte[]> held = allocate(BUDGET);
    List<Worker> workers = new ArrayList<>();
    try (MemoryTask busy = memory.task(9, LONG)) {
      DeviceMemory part = memory.within(200);
      for (int i = 0; i < 60; i++) {
        DeviceMemory own = i % 3 == 0 ? part : memory;
        Worker worker =
            new Worker(
                "worker " + i,
                i % 4,
                0,
                () -> {
                  try (DeviceArray<byte[]> first = own.allocate(stream, byte[].class, 150);
                      DeviceArray<byte[]> second = first.view(0, 1).copy(stream)) {
                    return second.length();
                  }
                });
        workers.add(worker.untilItWaits());
      }
      held.close();
      assertThat(busy.heldBytes()).isZero();
    }
    for (Worker worker : workers) {
      assertThat(worker.get()).isEqualTo(1L);
    }
  }

  @Test
  void aTaskThatWaitsForAnOuterBudgetHoldsUpThoseOfIt() throws Exception {
    DeviceMemory outer = memory.within(800, "outer");
    DeviceMemory inner = outer.within(700, "inner");
    DeviceArray<byte[]> held = outer.allocate(stream, byte[].class, 600);
    try (MemoryTask busy = memory.task(9, LONG)) {
      Worker large =
          new Worker("large", 1, 0, () -> inner.allocate(stream, byte[].class, 700).length())
              .untilItWaits();
      Worker small =
          new Worker("small", 0, 0, () -> outer.allocate(stream, byte[].class, 100).length())
              .untilItWaits();
      held.close();
      assertThat(large.get()).isEqualTo(700L);
      assertThat(small.get()).isEqualTo(100L);
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void tasksThatWaitForAPartDoNotHoldUpOthers() throws Exception {
    DeviceMemory part = memory.within(100, "");
    DeviceArray<byte[]> held = part.allocate(stream, byte[].class, 100);
    try (MemoryTask busy = memory.task(9, LONG)) {
      Worker inPart =
          new Worker("in part", 1, 0, () -> part.allocate(stream, byte[].class, 50).length())
              .untilItWaits();
      assertThat(new Worker("beside", 0, 0, () -> more(500)).go().get()).isEqualTo("has 500");
      held.close();
      assertThat(inPart.get()).isEqualTo(50L);
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void aWaitThatTakesTooLongSaysWhoHasTheMemory() throws Exception {
    try (MemoryTask busy = memory.task(9, LONG);
        DeviceArray<byte[]> held = allocate(300)) {
      Worker waits = new Worker("waits", 2, Duration.ofMillis(30), 200, () -> more(600));
      FutureTask<DeviceArray<byte[]>> other = new FutureTask<>(() -> allocate(100));
      new Thread(other).start();
      assertThat(other.get().isOpen()).isTrue();
      assertThat(waits.go().failure())
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class,
              refusal -> assertThat(refusal.requested()).isEqualTo(600))
          .hasMessageContaining("'byte[600]' needs 600 bytes; 600 of 1000 bytes are in use")
          .hasMessageContaining("it waited 30 ms")
          .hasMessageContaining(
              "of thread '" + Thread.currentThread().getName() + "' has 300 bytes and runs")
          .hasMessageContaining("of thread 'waits' has 200 bytes and has waited")
          .hasMessageContaining("other arrays and reservations have 100 bytes");
      assertThat(busy.heldBytes()).isEqualTo(held.length());
      other.get().close();
    }
    assertThat(memory.pressure().refusals()).isEqualTo(1);
  }

  @Test
  void anInterruptEndsTheWaitAndTheThreadStaysInterrupted() throws Exception {
    try (MemoryTask busy = memory.task(9, LONG);
        DeviceArray<byte[]> held = allocate(BUDGET)) {
      Worker waits =
          new Worker(
                  "waits",
                  0,
                  0,
                  () -> {
                    Throwable refusal = catchThrowable(() -> more(1));
                    assertThat(Thread.interrupted()).isTrue();
                    return refusal;
                  })
              .untilItWaits();
      waits.thread.interrupt();
      assertThat((Throwable) waits.get())
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasMessageContaining("the wait was interrupted");
      assertThat(busy.heldBytes()).isEqualTo(held.length());
    }
  }

  @Test
  void theCloseOfTheRuntimeEndsAllWaits() throws Exception {
    MemoryTask busy = memory.task(9, LONG);
    DeviceArray<byte[]> held = allocate(BUDGET);
    Worker first = new Worker("first", 0, 0, () -> more(1)).untilItWaits();
    Worker second = new Worker("second", 0, 0, () -> more(1)).untilItWaits();
    gpu.close();
    assertThat(first.failure()).isInstanceOf(RuntimeClosedException.class);
    assertThat(second.failure()).isInstanceOf(RuntimeClosedException.class);
    held.close();
    busy.close();
    assertThatThrownBy(memory::task).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void theLossOfTheDeviceEndsAllWaits() throws Exception {
    MemoryTask busy = memory.task(9, LONG);
    DeviceArray<byte[]> held = allocate(BUDGET);
    Worker first = new Worker("first", 0, 0, () -> more(1)).untilItWaits();
    Worker second = new Worker("second", 0, 0, () -> more(1)).untilItWaits();
    device.failCall(1, 700);
    assertThatThrownBy(() -> held.fill(stream, 1)).isInstanceOf(CudaDriverException.class);
    assertThat(first.failure()).isInstanceOf(CudaDriverException.class);
    assertThat(second.failure()).isInstanceOf(CudaDriverException.class);
    busy.close();
  }

  @Test
  void nothingWaitsInsideOfACall() {
    try (MemoryTask task = memory.task(0, LONG);
        DeviceArray<byte[]> held = allocate(BUDGET)) {
      stream.submit(
          "a call",
          uses -> {},
          call ->
              assertThatThrownBy(() -> allocate(1)).isInstanceOf(OutOfMemoryBudgetException.class));
      assertThat(task.heldBytes()).isEqualTo(held.length());
    }
    assertThat(memory.pressure().waits()).isZero();
  }

  @Test
  void aRequestThatIsRefusedForItselfDoesNotWait() throws Exception {
    DeviceArray<byte[]> held = allocate(BUDGET);
    try (MemoryTask busy = memory.task(9, LONG);
        DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream foreign = other.streams().acquire()) {
      Worker first = new Worker("first", 1, 0, () -> more(BUDGET)).untilItWaits();
      DeviceStream closed = gpu.streams().acquire();
      closed.close();
      for (DeviceStream wrong : List.of(foreign, closed)) {
        Worker refused =
            new Worker("refused", 0, 0, () -> memory.allocate(wrong, byte[].class, 1)).go();
        assertThat(refused.failure()).isInstanceOf(StreamMisuseException.class);
      }
      for (long bytes : new long[] {0, -1}) {
        Worker refused = new Worker("refused", 0, 0, () -> memory.reserve(bytes)).go();
        assertThat(refused.failure()).isInstanceOf(IllegalArgumentException.class);
      }
      Worker negative = new Worker("refused", 0, 0, () -> allocate(-1)).go();
      assertThat(negative.failure()).isInstanceOf(IllegalArgumentException.class);
      Worker large =
          new Worker("refused", 0, 0, () -> memory.allocate(stream, int[].class, Long.MAX_VALUE));
      assertThat(large.go().failure()).isInstanceOf(IllegalArgumentException.class);
      held.close();
      assertThat(first.get()).isEqualTo("has " + BUDGET);
      assertThat(busy.heldBytes()).isZero();
    }
  }

  @Test
  void aTaskWithinATaskIsPartOfIt() {
    try (MemoryTask outer = memory.task(3);
        DeviceArray<byte[]> held = allocate(10)) {
      try (MemoryTask inner = memory.task(8)) {
        assertThat(inner.priority()).isEqualTo(3);
      }
      assertThat(memory.pressure().tasks()).isEqualTo(1);
      assertThat(outer.heldBytes()).isEqualTo(held.length());
    }
    assertThat(memory.pressure().tasks()).isZero();
  }

  @Test
  void aTaskBelongsToOneThread() throws Exception {
    try (MemoryTask task = memory.task()) {
      FutureTask<Boolean> other =
          new FutureTask<>(
              () -> {
                assertThatIllegalStateException().isThrownBy(task::close);
                assertThatIllegalStateException().isThrownBy(task::awaitTurn);
                return true;
              });
      new Thread(other).start();
      assertThat(other.get()).isTrue();
      task.awaitTurn();
    }
    assertThatIllegalArgumentException().isThrownBy(() -> memory.task(0, Duration.ofMillis(-1)));
  }

  @Test
  void theTaskOfAThreadThatHasEndedHoldsUpNoOther() throws Exception {
    Thread forgetful = new Thread(memory::task);
    forgetful.start();
    forgetful.join();
    try (MemoryTask task = memory.task(0, LONG)) {
      DeviceArray<byte[]> held = allocate(BUDGET);
      assertThatThrownBy(() -> allocate(1)).isInstanceOf(SplitAndRetryException.class);
      assertThat(task.heldBytes()).isEqualTo(held.length());
      held.close();
    }
  }

  @Test
  void closingATaskWithinATaskTwiceDoesNotEndTheOuterOne() {
    try (MemoryTask outer = memory.task(3)) {
      MemoryTask inner = memory.task();
      assertThat(inner.priority()).isEqualTo(outer.priority());
      inner.close();
      inner.close();
      assertThat(memory.pressure().tasks()).isEqualTo(1);
    }
    assertThat(memory.pressure().tasks()).isZero();
  }

  @Test
  void drawingTooMuchFromAReservationSpillsNothing() {
    try (SpillableArray<byte[]> idle = memory.spillable(allocate(100));
        MemoryReservation room = memory.reserve(500);
        DeviceArray<byte[]> drawn = room.allocate(stream, byte[].class, 300)) {
      assertThatThrownBy(() -> room.allocate(stream, byte[].class, 300))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(drawn.isOpen()).isTrue();
      assertThat(memory.pressure().spilling().spills()).isZero();
      assertThat(idle.isOpen()).isTrue();
    }
  }

  @Test
  void spillingOnAStreamOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream foreign = other.streams().acquire()) {
      assertThatThrownBy(() -> memory.spill(foreign, 1))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("two runtimes");
    }
  }

  @Test
  void aSpillableArrayThatATaskUsesTwiceCountsOnce() {
    try (SpillableArray<byte[]> others = memory.spillable(allocate(100));
        MemoryTask task = memory.task();
        SpillableArray<byte[]> own = memory.spillable(allocate(200))) {
      assertThat(task.heldBytes()).isEqualTo(200);
      try (SpillableArray.Use<byte[]> use = others.use(stream);
          SpillableArray.Use<byte[]> again = others.use(stream);
          SpillableArray.Use<byte[]> ownUse = own.use(stream)) {
        assertThat(task.heldBytes()).isEqualTo(300);
        assertThat(use.array().length() + again.array().length() + ownUse.array().length())
            .isEqualTo(400);
      }
      assertThat(task.heldBytes()).isEqualTo(200);
    }
  }
}
