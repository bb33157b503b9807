package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables in the ring of one stream, whose work runs as late as it may unless a test says so. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AddressTablesTest {
  private SimulatedStreams streams = new SimulatedStreams(Schedule.LAZY);
  private AllocationResource payer = UpstreamResource.streamOrdered(streams.pool, false);
  private AddressTables tables = tables();

  private AddressTables tables() {
    return new AddressTables(streams.a, payer, () -> {});
  }

  private void use(Schedule schedule) {
    end();
    streams = new SimulatedStreams(schedule);
    payer = UpstreamResource.streamOrdered(streams.pool, false);
    tables = tables();
  }

  @AfterEach
  void end() {
    streams.pool.synchronizeAll("ending");
    Teardown teardown = new Teardown();
    tables.close(teardown);
    teardown.finish();
    assertThat(setAside()).isZero();
    streams.close();
  }

  /** The bytes of the budget that the tables have. */
  private long setAside() {
    assertThat(payer.bytesOutstanding()).isZero();
    return payer.account().snapshot().kept();
  }

  private static long[] table(long first, int count) {
    return LongStream.range(first, first + count).map(i -> i * 256).toArray();
  }

  /** Places tables like one launch, and returns the address of the last. */
  private long launch(long[]... all) {
    long[] addresses = addressesOf(all);
    return addresses[addresses.length - 1];
  }

  private long[] addressesOf(long[]... all) {
    long[] addresses = new long[all.length];
    int total = 0;
    for (long[] each : all) {
      total += each.length;
    }
    try (Submission submission =
        streams.a.begin(new Purpose(Purpose.Act.CHECK, 0, "", streams.a))) {
      tables.begin(total, "sum");
      for (int i = 0; i < all.length; i++) {
        addresses[i] = tables.place(all[i], 0, all[i].length);
      }
      submission.preflight();
      try {
        tables.send(submission.ticket());
        submission.commitWithoutEvent();
      } finally {
        tables.drop();
      }
    }
    return addresses;
  }

  private long[] onDevice(long address, int count) {
    HostMemory host = streams.driver.allocateHost((long) count * Long.BYTES);
    streams.driver.copyToHostAsync(host, 0, address, (long) count * Long.BYTES, streams.a.stream());
    streams.driver.synchronizeStream(streams.a.stream());
    long[] found = new long[count];
    host.buffer().asLongBuffer().get(found);
    streams.driver.freeHost(host);
    return found;
  }

  private long calls(DriverCall call) {
    return streams.device.calls(call);
  }

  @Test
  void aTableReachesTheDevice() {
    long[] table = table(7, 3);
    assertThat(onDevice(launch(table), 3)).isEqualTo(table);
  }

  @Test
  void aTableIsFoundAgain() {
    long first = launch(table(1, 16));
    long second = launch(table(2, 16));
    long before = streams.device.calls();
    assertThat(launch(table(1, 16))).isEqualTo(first).isNotEqualTo(second);
    assertThat(launch(table(2, 16), table(1, 16))).isEqualTo(first);
    assertThat(streams.device.calls()).isEqualTo(before);
  }

  @Test
  void manyTablesAreFoundAgainAlthoughTheirHashesMeet() {
    long[][] all = new long[400][];
    for (int i = 0; i < all.length; i++) {
      all[i] = table(1 + 10L * i, 4);
      launch(all[i]);
    }
    long copies = calls(DriverCall.COPY_TO_DEVICE_ASYNC);
    for (long[] each : all) {
      launch(each);
    }
    assertThat(calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(copies);
  }

  @Test
  void aTableThatBeginsLikeAnotherIsAnother() {
    long long16 = launch(table(1, 16));
    assertThat(launch(table(1, 15))).isNotEqualTo(long16);
  }

  @Test
  void tablesOfOneLaunchAreOneCopy() {
    long before = calls(DriverCall.COPY_TO_DEVICE_ASYNC);
    launch(table(1, 3), table(50, 4), table(1, 3));
    assertThat(calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(before + 1);
  }

  @Test
  void aLaunchThatIsGivenUpLeavesNoTable() {
    long[] table = table(1, 4);
    tables.begin(4, "sum");
    tables.place(table, 0, 4);
    tables.drop();
    assertThat(onDevice(launch(table), 4)).isEqualTo(table);
  }

  /** The first table stays the same while the second, always a new one, runs around the ring. */
  @Test
  void aTableThatIsFoundIsNotOverwrittenByAnotherOfItsLaunch() {
    use(Schedule.EAGER);
    long[] same = table(1, 16);
    for (int i = 0; i < 1_000; i++) {
      long[] other = table(1_000L * (i + 1), 16);
      long[] addresses = addressesOf(same, other);
      assertThat(onDevice(addresses[0], 16)).as("launch %d", i).isEqualTo(same);
      assertThat(onDevice(addresses[1], 16)).as("launch %d", i).isEqualTo(other);
    }
  }

  @Test
  void aTableThatWasGivenUpAtTheEndOfTheRingIsWrittenAgain() {
    int ring = AddressTables.MIN_BYTES / Long.BYTES;
    for (int begin = ring - 20; begin < ring; begin += 3) {
      use(Schedule.EAGER);
      launch(table(1_000_000, 500));
      for (int at = 500; at < begin; at += 100) {
        launch(table(1_000L * at, Math.min(100, begin - at)));
      }
      long[] dropped = table(7, 8);
      tables.begin(8, "sum");
      tables.place(dropped, 0, 8);
      tables.drop();
      launch(table(2_000_000, 100));
      assertThat(onDevice(launch(dropped), 8)).as("after %d", begin).isEqualTo(dropped);
    }
  }

  /** Preflight may be refused and repeated, with other tables of the launch placed in between. */
  @Test
  void aLaunchWhoseTablesArePlacedTwiceWritesThem() {
    long[] first = table(1, 8);
    long[] second = table(50, 8);
    tables.begin(16, "sum");
    tables.place(first, 0, 8);
    tables.place(second, 0, 8);
    long[] addresses = addressesOf(second, first);
    assertThat(onDevice(addresses[0], 8)).isEqualTo(second);
    assertThat(onDevice(addresses[1], 8)).isEqualTo(first);
  }

  @Test
  void aTableThatDidNotReachTheDeviceIsWrittenAgain() {
    long[] good = table(100, 4);
    launch(good);
    long[] table = table(1, 4);
    streams.device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 1, 999);
    assertThatThrownBy(() -> launch(table)).isInstanceOf(CudaDriverException.class);
    assertThat(onDevice(launch(table), 4)).isEqualTo(table);
    assertThat(onDevice(launch(good), 4)).isEqualTo(good);
  }

  @Test
  void memoryThatCannotBeHadIsReportedAndAskedForAgain() {
    for (DriverCall failing : new DriverCall[] {DriverCall.ALLOCATE_HOST, DriverCall.ALLOCATE}) {
      // It is asked for twice: after the first refusal, unused memory goes back to the driver.
      streams.device.failCall(failing, 1, 2);
      streams.device.failCall(failing, 2, 2);
      assertThatThrownBy(() -> launch(table(1, 4)))
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("tables of addresses of sum on stream");
      assertThat(setAside()).isZero();
    }
    assertThat(onDevice(launch(table(1, 4)), 4)).isEqualTo(table(1, 4));
    // The host memory of the attempts that failed has served the next ones.
    assertThat(streams.pool.hostMemory().bytes()).isEqualTo(AddressTables.MIN_BYTES);
  }

  @Test
  void theMemoryCountsAgainstTheBudget() {
    new BudgetResource(payer, AddressTables.MIN_BYTES - 1);
    assertThatThrownBy(() -> launch(table(1, 1)))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> assertThat(e.requested()).isEqualTo(AddressTables.MIN_BYTES));
    assertThat(setAside()).isZero();
  }

  @Test
  void theRingGrowsWhileTheDeviceLagsAndThenTheHostWaits() {
    int count = 512;
    int launches = 4 * AddressTables.MAX_BYTES / (count * Long.BYTES);
    for (int i = 0; i < launches; i++) {
      launch(table(1_000L * i, count));
    }
    // 16 KiB and each twice as large up to 1 MiB.
    assertThat(setAside()).isEqualTo(2L * AddressTables.MAX_BYTES - AddressTables.MIN_BYTES);
  }

  @Test
  void tablesThatFillTheRingExactlyNeedNoLargerOne() {
    int quarter = AddressTables.MIN_BYTES / Long.BYTES / 4;
    for (int i = 0; i < 4; i++) {
      launch(table(1_000L * i, quarter));
    }
    assertThat(setAside()).isEqualTo(AddressTables.MIN_BYTES);
    launch(table(1_000_000, 1));
    assertThat(setAside()).isEqualTo(3L * AddressTables.MIN_BYTES);
  }

  @Test
  void aDeviceThatKeepsUpNeedsNoLargerRing() {
    use(Schedule.EAGER);
    for (int i = 0; i < 10_000; i++) {
      launch(table(1_000L * i, 16));
    }
    assertThat(setAside()).isEqualTo(AddressTables.MIN_BYTES);
  }

  @Test
  void aRingThatCannotGrowIsWaitedFor() {
    new BudgetResource(payer, 2L * AddressTables.MIN_BYTES);
    long last = 0;
    for (int i = 0; i < 1_000; i++) {
      last = launch(table(1_000L * i, 16));
    }
    assertThat(onDevice(last, 16)).isEqualTo(table(999_000, 16));
    assertThat(setAside()).isEqualTo(AddressTables.MIN_BYTES);
  }

  /** A table of 200 addresses is neither as long as a segment of the ring, nor divides one. */
  @Test
  void aTableNeedsNoLaterLaunchesToBeDoneThanThoseThatItOverwrites() {
    for (int i = 1; i <= 12; i++) {
      long[] table = table(1_000L * i, 200);
      try (Submission submission =
          streams.a.begin(new Purpose(Purpose.Act.CHECK, 0, "", streams.a))) {
        tables.begin(table.length, "sum");
        tables.place(table, 0, table.length);
        submission.preflight();
        tables.send(submission.ticket());
        submission.commit();
        submission.coverByEvent();
      }
      if (i == 10) {
        // The first three tables lie in the first two of the eight segments.
        streams.a.awaitDone(streams.a.submitted() - 7, "a test");
        assertThat(streams.a.completed()).isLessThan(streams.a.submitted());
      }
    }
    assertThat(setAside()).isEqualTo(AddressTables.MIN_BYTES);
  }

  @Test
  void aLaunchLargerThanTheRingGetsALargerOne() {
    long[] table = table(1, 300_000);
    assertThat(onDevice(launch(table), 300_000)).isEqualTo(table);
    assertThat(launch(table)).isPositive();
    assertThatThrownBy(() -> tables.begin(Integer.MAX_VALUE, "sum"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sum: tables of 2147483647 arrays");
  }

  @Test
  void aLaunchHasAtMost33554432Addresses() {
    int most = 1 << 25;
    assertThatCode(() -> tables.begin(most, "sum")).doesNotThrowAnyException();
    assertThatThrownBy(() -> tables.begin(most + 1, "sum"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sum: tables of 33554433 arrays; a launch has at most 33554432");
  }

  /** Each launch's tables are read back before the next launch may overwrite them. */
  @ParameterizedTest
  @EnumSource(Schedule.class)
  void tablesOfRandomLaunchesAreRight(Schedule schedule) {
    use(schedule);
    Random random = new Random(7);
    for (int i = 0; i < 3_000; i++) {
      long[][] all = new long[1 + random.nextInt(3)][];
      for (int t = 0; t < all.length; t++) {
        all[t] = table(random.nextInt(50), 1 + random.nextInt(random.nextInt(20) == 0 ? 700 : 20));
      }
      long[] addresses = addressesOf(all);
      if (random.nextInt(8) == 0) {
        for (int t = 0; t < all.length; t++) {
          assertThat(onDevice(addresses[t], all[t].length))
              .as("table %d of launch %d", t, i)
              .isEqualTo(all[t]);
        }
      }
      if (random.nextInt(30) == 0) {
        // A launch that is refused after it has placed its tables.
        tables.begin(300, "sum");
        tables.place(table(random.nextInt(50), 100), 0, 100);
        tables.place(table(random.nextInt(50), 200), 0, 200);
        if (random.nextBoolean()) {
          tables.drop();
        }
      }
      if (random.nextInt(500) == 0) {
        streams.driver.synchronizeStream(streams.a.stream());
      }
    }
  }
}
