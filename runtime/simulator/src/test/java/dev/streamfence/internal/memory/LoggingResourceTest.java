package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.streamfence.DeviceException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.memory.AllocationRecord.Action;
import dev.streamfence.memory.RecordedAllocations;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LoggingResourceTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final ScriptedResource inner =
      new ScriptedResource(UpstreamResource.streamOrdered(on.pool, false));
  private final RecordedAllocations log = AllocationLog.inMemory();
  private final LoggingResource resource = new LoggingResource(inner, log);

  @AfterEach
  void close() {
    on.close();
  }

  @Test
  void eachRequestIsOneRecordWithAllItsFields() {
    Instant before = Instant.now();
    Allocation keys = resource.allocate(1024, on.b, "keys");
    resource.deallocate(keys);
    assertThat(resource.reap()).isEqualTo(1024);

    List<AllocationRecord> records = log.records();
    assertThat(records)
        .extracting(AllocationRecord::action)
        .containsExactly(Action.ALLOCATE, Action.DEALLOCATE, Action.REAP);
    for (AllocationRecord record : records.subList(0, 2)) {
      assertThat(record.stream()).isEqualTo(on.b.index());
      assertThat(record.address()).isEqualTo(keys.address());
      assertThat(record.bytes()).isEqualTo(1024);
      assertThat(record.tag()).isEqualTo("keys");
      assertThat(record.generation()).isEqualTo(keys.generation());
    }
    assertThat(records)
        .allSatisfy(
            record -> {
              assertThat(record.isOk()).isTrue();
              assertThat(record.message()).isEmpty();
              assertThat(record.thread()).isEqualTo(Thread.currentThread().getId());
              assertThat(Instant.EPOCH.plusNanos(record.wallClockNanos()))
                  .isBetween(before, Instant.now());
            });
    // Allocations and reaps say the resource's device, frees the block's own.
    assertThat(records).extracting(AllocationRecord::deviceOrdinal).containsExactly(7, 0, 7);
    AllocationRecord reap = records.get(2);
    assertThat(reap.stream()).isEqualTo(-1);
    assertThat(reap.address()).isZero();
    assertThat(reap.bytes()).isEqualTo(1024);
    assertThat(reap.generation()).isZero();
  }

  @Test
  void postponedFreesAreThoseOfTheResource() {
    LoggingResource logging =
        new LoggingResource(UpstreamResource.streamOrdered(on.pool, false), log);
    Allocation block = logging.allocate(64, on.a, "");
    try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThat(logging.mayWaitForOthers()).isFalse();
      logging.deallocate(block);
    }
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isZero();
    logging.releasePostponed();
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    assertThat(logging.mayWaitForOthers()).isTrue();
  }

  /** Whether the log takes the records or not. */
  @Test
  void anObserverHearsOfEachRecord() {
    List<AllocationRecord> heard = new ArrayList<>();
    MemoryObserver observer =
        new MemoryObserver() {
          @Override
          public boolean isOn() {
            return true;
          }

          @Override
          public void record(AllocationRecord record) {
            heard.add(record);
          }
        };
    LoggingResource both = new LoggingResource(inner, log, observer);
    both.deallocate(both.allocate(64, on.a, ""));
    assertThat(heard).hasSize(2).isEqualTo(log.records());
    LoggingResource observed = new LoggingResource(inner, AllocationLog.none(), observer);
    assertThat(observed.reap()).isEqualTo(64);
    assertThat(heard).hasSize(3);
    assertThat(heard.get(2).action()).isEqualTo(Action.REAP);
    assertThat(log.size()).isEqualTo(2);
  }

  @Test
  void theOrderRisesOverAllLogsOfTheProcess() {
    LoggingResource other = new LoggingResource(inner, log);
    for (int i = 0; i < 4; i++) {
      LoggingResource one = i % 2 == 0 ? resource : other;
      one.deallocate(one.allocate(64, on.a, ""));
    }
    resource.reap();
    assertThat(log.size()).isEqualTo(9);
    assertThat(log.records())
        .extracting(AllocationRecord::order)
        .isSorted()
        .doesNotHaveDuplicates()
        .allSatisfy(order -> assertThat(order).isPositive());
  }

  @Test
  void threadsNeverGetTheSameOrderOrGeneration() throws Exception {
    LoggingResource other = new LoggingResource(inner, log);
    int threads = 8;
    int rounds = 200;
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Long>>> generations = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        LoggingResource one = i % 2 == 0 ? resource : other;
        generations.add(
            pool.submit(
                () -> {
                  List<Long> mine = new ArrayList<>();
                  start.await();
                  for (int round = 0; round < rounds; round++) {
                    Allocation block = one.allocate(64, on.a, "");
                    mine.add(block.generation());
                    one.deallocate(block);
                  }
                  return mine;
                }));
      }
      List<Long> all = new ArrayList<>();
      for (Future<List<Long>> mine : generations) {
        assertThat(mine.get()).isSorted();
        all.addAll(mine.get());
      }
      assertThat(all).hasSize(threads * rounds).doesNotHaveDuplicates();
    } finally {
      pool.shutdown();
    }
    assertThat(log.records())
        .hasSize(2 * threads * rounds)
        .extracting(AllocationRecord::order)
        .doesNotHaveDuplicates();
  }

  @Test
  void aFailedAllocationHasTheRequestAndNoAddress() {
    inner.beforeAllocate = ScriptedResource::fail;
    assertThatThrownBy(() -> resource.allocate(48, on.a, "none"))
        .isInstanceOf(DeviceException.class);
    AllocationRecord record = log.records().get(0);
    assertThat(record.isOk()).isFalse();
    assertThat(record.error()).isEqualTo("DeviceException");
    assertThat(record.message()).isEqualTo("as told");
    assertThat(record.bytes()).isEqualTo(48);
    assertThat(record.tag()).isEqualTo("none");
    assertThat(record.address()).isZero();
    assertThat(record.generation()).isZero();
  }

  @Test
  void aFailedFreeStillHasItsAllocation() {
    Allocation block = resource.allocate(64, on.a, "keys");
    resource.deallocate(block);
    log.clear();
    assertThatThrownBy(() -> resource.deallocate(block)).isInstanceOf(UseAfterFreeException.class);
    AllocationRecord record = log.records().get(0);
    assertThat(record.error()).isEqualTo("UseAfterFreeException");
    assertThat(record.address()).isEqualTo(block.address());
    assertThat(record.bytes()).isEqualTo(64);
    assertThat(record.tag()).isEqualTo("keys");
    assertThat(record.generation()).isEqualTo(block.generation());
    assertThat(record.stream()).isEqualTo(on.a.index());
  }

  @Test
  void aFailedReapIsRecorded() {
    inner.beforeReap = ScriptedResource::fail;
    assertThatThrownBy(resource::reap).isInstanceOf(DeviceException.class);
    assertThat(log.records().get(0).error()).isEqualTo("DeviceException");
  }

  @Test
  void whatOtherCodeThrowsWithoutDeclaringItIsRecorded() {
    Runnable fails =
        () -> {
          throw Undeclared.thrown(new IOException("planned"));
        };
    Allocation block = resource.allocate(64, on.a, "");
    log.clear();
    inner.beforeAllocate = fails;
    inner.beforeDeallocate = fails;
    inner.beforeReap = fails;
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> resource.allocate(48, on.a, ""),
            () -> resource.deallocate(block),
            resource::reap)) {
      assertThatThrownBy(call).isInstanceOf(IOException.class);
    }
    inner.beforeDeallocate = () -> {};
    inner.beforeReap = () -> {};
    assertThat(log.records())
        .hasSize(3)
        .allSatisfy(record -> assertThat(record.error()).isEqualTo("IOException"));
    resource.deallocate(block);
  }

  @Test
  void aLogThatIsInterruptedLeavesTheThreadInterrupted() {
    LoggingResource waiting =
        new LoggingResource(
            inner,
            record -> {
              throw Undeclared.thrown(new InterruptedException("while it waits"));
            });
    Allocation allocation = waiting.allocate(64, on.a, "");
    assertThat(Thread.interrupted()).isTrue();
    waiting.deallocate(allocation);
    assertThat(Thread.interrupted()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, IOException.class})
  void aLogThatThrowsIsCountedAndDoesNotDisturbTheCaller(Class<? extends Exception> kind) {
    LoggingResource refused =
        new LoggingResource(
            inner,
            record -> {
              throw Undeclared.thrown(
                  kind == IOException.class
                      ? new IOException("full")
                      : new IllegalStateException("full"));
            });
    refused.deallocate(refused.allocate(64, on.a, ""));
    assertThat(refused.droppedRecords()).isEqualTo(2);
    assertThat(refused.reap()).isEqualTo(64);
    assertThat(refused.droppedRecords()).isEqualTo(3);
  }

  @Test
  void withoutALogNothingIsRecordedNotEvenTheOrder() {
    resource.reap();
    long before = log.records().get(0).order();
    LoggingResource silent = new LoggingResource(inner, AllocationLog.none());
    silent.deallocate(silent.allocate(64, on.a, ""));
    assertThat(silent.reap()).isEqualTo(64);
    resource.reap();
    assertThat(log.records().get(1).order()).isEqualTo(before + 1);
    assertThat(silent.droppedRecords()).isZero();
  }

  @Test
  void otherPropertiesAreThoseOfTheUnderlyingResource() {
    assertThat(resource.deviceOrdinal()).isEqualTo(7);
    assertThat(resource.bytesOutstanding()).isZero();
    assertThat(resource.tracksUses()).isFalse();
    assertThat(resource.account()).isSameAs(inner.account());
  }

  @Test
  void withoutALogAFreeReachesTheResource() {
    LoggingResource direct =
        new LoggingResource(UpstreamResource.direct(on.pool, false), AllocationLog.none());
    Allocation allocation = direct.allocate(64, on.a, "");
    direct.deallocate(allocation);
    assertThat(allocation.isOpen()).isFalse();
    assertThat(direct.bytesOutstanding()).isZero();
  }

  @Test
  void insideALaunchAThreadMayNotWaitForOthers() {
    assertThat(resource.mayWaitForOthers()).isTrue();
    try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThat(resource.mayWaitForOthers()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "aé,3,aé",
    "aéz,3,aé…",
    "aé,2,a…",
    "aé,0,…",
    "short,256,short",
    "a😀b,4,a…",
    "a😀b,5,a😀…"
  })
  void messagesAreCutBetweenCharacters(String text, int bytes, String cut) {
    assertThat(LoggingResource.cut(text, bytes)).isEqualTo(cut);
  }

  @Test
  void aCsvFileHasALinePerRecordWhileItIsStillOpen(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("log.csv");
    try (AllocationLog csv = AllocationLog.csv(file)) {
      LoggingResource logged = new LoggingResource(inner, csv);
      Allocation block = logged.allocate(64, on.a, "a \"quoted\", tag\n");
      logged.deallocate(block);
      logged.reap();
      List<CsvRecord> lines = CsvReader.builder().ofCsvRecord(file).stream().toList();
      assertThat(lines).hasSize(4);
      assertThat(lines.get(0).getFields())
          .containsExactly(
              "action",
              "device",
              "stream",
              "address",
              "bytes",
              "tag",
              "generation",
              "thread",
              "order",
              "wallClockNanos",
              "error",
              "message");
      assertThat(lines.get(1).getFields())
          .startsWith(
              "ALLOCATE",
              "7",
              "1",
              "0x" + Long.toHexString(block.address()),
              "64",
              "a \"quoted\", tag\n",
              Long.toString(block.generation()));
      assertThat(lines.get(3).getFields()).startsWith("REAP", "7", "", "", "64", "", "");
    }
  }

  @Test
  void recordsAfterTheFileIsClosedAreDropped(@TempDir Path folder) {
    AllocationLog csv = AllocationLog.csv(folder.resolve("log.csv"));
    LoggingResource logged = new LoggingResource(inner, csv);
    csv.close();
    logged.deallocate(logged.allocate(64, on.a, ""));
    assertThat(logged.droppedRecords()).isEqualTo(2);
  }

  @Test
  void aFileThatCannotBeWrittenIsRefusedWhenTheLogIsOpened(@TempDir Path folder) {
    assertThatThrownBy(() -> AllocationLog.csv(folder.resolve("missing/log.csv")))
        .isInstanceOf(UncheckedIOException.class);
  }
}
