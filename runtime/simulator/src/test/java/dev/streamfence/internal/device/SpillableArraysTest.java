package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.SpillStatistics;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.memory.SpillableArray.Place;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays that leave the device while they are idle, and come back when they are used. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SpillableArraysTest {
  private static final int BUDGET = 4000;

  @TempDir private Path folder;
  private SimulatedDevice device;
  private DeviceRuntime gpu;
  private DeviceMemory memory;
  private DeviceStream stream;

  private RuntimeOptions options() {
    return RuntimeOptions.defaults()
        .withMemoryBudget(MemoryBudget.ofBytes(BUDGET))
        .withSpillMemoryInBytes(2000)
        .withSpillFolder(folder);
  }

  @BeforeEach
  void open() {
    open(options());
  }

  private void open(RuntimeOptions options) {
    device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    gpu = DeviceRuntime.simulated(device, options);
    memory = gpu.memory();
    stream = gpu.streams().acquire();
  }

  @AfterEach
  void close() throws IOException {
    gpu.close();
    assertThat(files()).isZero();
    assertThat(openFiles()).isZero();
  }

  private void reopen(RuntimeOptions options) {
    gpu.close();
    open(options);
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  /** Those of the folder that the process has open, which may be deleted; 0 if that is unknown. */
  private long openFiles() throws IOException {
    Path open = Path.of("/proc/self/fd");
    if (!Files.isDirectory(open)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(open)) {
      return files.filter(this::isInFolder).count();
    }
  }

  private boolean isInFolder(Path open) {
    try {
      return Files.readSymbolicLink(open).startsWith(folder);
    } catch (IOException e) {
      // Closed meanwhile.
      return false;
    }
  }

  /** 400 numbers are 1600 bytes, so that two arrays fit the budget, and one the host's limit. */
  private SpillableArray<int[]> array(int seed) {
    return memory.spillable(memory.upload(stream, numbers(seed), "table " + seed));
  }

  private static int[] numbers(int seed) {
    int[] numbers = new int[400];
    Arrays.setAll(numbers, i -> seed * 1000 + i);
    return numbers;
  }

  private void requireContent(SpillableArray<int[]> array, int seed) {
    try (SpillableArray.Use<int[]> use = array.use(stream)) {
      assertThat(use.array().download(stream)).isEqualTo(numbers(seed));
      assertThat(array.place()).isEqualTo(Place.DEVICE);
    }
  }

  @Test
  void theArrayThatWasUsedLeastRecentlyLeavesWhenARequestDoesNotFit() {
    SpillableArray<int[]> first = array(1);
    SpillableArray<int[]> second = array(2);
    requireContent(first, 1);
    try (DeviceArray<int[]> more = memory.allocate(stream, int[].class, 300)) {
      assertThat(second.place()).isEqualTo(Place.HOST);
      assertThat(first.place()).isEqualTo(Place.DEVICE);
      assertThat(more.length()).isEqualTo(300);
    }
    requireContent(second, 2);
    requireContent(first, 1);
    assertThat(memory.pressure().spilling())
        .isEqualTo(new SpillStatistics(0, 0, 1, 1600, 0, 1, 1600, 0));
    first.close();
    second.close();
    assertThat(memory.statistics().liveBytes()).isZero();
  }

  @Test
  void whatExceedsTheHostsLimitGoesToAFileAndComesBack() throws IOException {
    SpillableArray<int[]> first = array(1);
    SpillableArray<int[]> second = array(2);
    try (DeviceArray<byte[]> all = memory.allocate(stream, byte[].class, BUDGET)) {
      assertThat(first.place()).isEqualTo(Place.HOST);
      assertThat(second.place()).isEqualTo(Place.DISK);
      assertThat(memory.statistics().pinnedBytes()).isEqualTo(1600);
      assertThat(memory.pressure().spilling())
          .isEqualTo(new SpillStatistics(1600, 1600, 2, 1600, 1600, 0, 0, 0));
      assertThat(all.isOpen()).isTrue();
    }
    requireContent(first, 1);
    requireContent(second, 2);
    assertThat(files()).isZero();
    assertThat(memory.statistics().pinnedBytes()).isZero();
    first.close();
    second.close();
  }

  @Test
  void workThatIsQueuedRunsBeforeTheArrayLeaves() {
    SpillableArray<int[]> array = array(1);
    try (SpillableArray.Use<int[]> use = array.use(stream);
        DeviceStream other = gpu.streams().acquire()) {
      use.array().fill(other, 7);
    }
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    try (SpillableArray.Use<int[]> use = array.use(stream)) {
      assertThat(use.array().download(stream)).containsOnly(7);
    }
    array.close();
  }

  @Test
  void anArrayInUseStays() {
    SpillableArray<int[]> array = array(1);
    SpillableArray.Use<int[]> use = array.use(stream);
    SpillableArray.Use<int[]> second = array.use(stream);
    assertThat(memory.spill(stream, 1)).isZero();
    assertThatThrownBy(() -> memory.allocate(stream, byte[].class, BUDGET))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    use.close();
    use.close();
    assertThat(memory.spill(stream, 1)).isZero();
    second.close();
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    assertThatThrownBy(() -> use.array().download(stream))
        .isInstanceOf(UseAfterFreeException.class);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void anArrayThatAGraphHasStays() {
    SpillableArray<int[]> array = array(1);
    KernelGraph graph;
    try (SpillableArray.Use<int[]> use = array.use(stream)) {
      graph = gpu.graph("step", g -> use.array().fill(stream, 3));
    }
    assertThat(memory.spill(stream, 1)).isZero();
    graph.launch(stream);
    graph.close();
    gpu.synchronize();
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    array.close();
  }

  @Test
  void aReservationAndABudgetWithinSpillWhatCountsInThem() {
    DeviceMemory part = memory.within(2000, "part");
    SpillableArray<int[]> inside = part.spillable(part.upload(stream, numbers(1)));
    SpillableArray<int[]> outside = array(2);
    try (DeviceArray<int[]> more = part.allocate(stream, int[].class, 300)) {
      assertThat(inside.place()).isEqualTo(Place.HOST);
      assertThat(outside.place()).isEqualTo(Place.DEVICE);
      assertThat(more.isOpen()).isTrue();
    }
    try (MemoryReservation all = memory.reserve(BUDGET)) {
      assertThat(outside.place()).isEqualTo(Place.DISK);
      assertThat(all.remainingBytes()).isEqualTo(BUDGET);
    }
    requireContent(inside, 1);
    requireContent(outside, 2);
    inside.close();
    outside.close();
  }

  @Test
  void anArrayOfAReservationSpillsOthersIfTheDeviceIsFull() {
    gpu.close();
    device = SimulatedDevice.builder().schedule(Schedule.LAZY).memoryInBytes(3000).build();
    gpu = DeviceRuntime.simulated(device, options());
    memory = gpu.memory();
    stream = gpu.streams().acquire();
    try (MemoryReservation room = memory.reserve(2400)) {
      SpillableArray<int[]> array = array(1);
      try (DeviceArray<byte[]> drawn = room.allocate(stream, byte[].class, 1600)) {
        assertThat(array.place()).isEqualTo(Place.HOST);
        assertThat(room.remainingBytes()).isEqualTo(800);
        assertThat(drawn.isOpen()).isTrue();
      }
      requireContent(array, 1);
      assertThatThrownBy(() -> room.allocate(stream, byte[].class, 801))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(array.place()).isEqualTo(Place.DEVICE);
      array.close();
    }
  }

  @Test
  void aBudgetWithinABudgetSpillsWhatCountsInTheOuterOne() {
    DeviceMemory outer = memory.within(2000, "outer");
    DeviceMemory inner = outer.within(1500, "inner");
    SpillableArray<int[]> outside = array(1);
    SpillableArray<int[]> beside = outer.spillable(outer.upload(stream, numbers(2)));
    try (DeviceArray<int[]> more = inner.allocate(stream, int[].class, 200)) {
      assertThat(beside.place()).isEqualTo(Place.HOST);
      assertThat(outside.place()).isEqualTo(Place.DEVICE);
      assertThat(more.isOpen()).isTrue();
    }
    outside.close();
    beside.close();
  }

  @Test
  void aBudgetWithoutANameSpillsWhatCountsInIt() {
    DeviceMemory part = memory.within(2000, "");
    SpillableArray<int[]> outside = array(1);
    SpillableArray<int[]> inside = part.spillable(part.upload(stream, numbers(2)));
    try (DeviceArray<int[]> more = part.allocate(stream, int[].class, 200)) {
      assertThat(inside.place()).isEqualTo(Place.HOST);
      assertThat(outside.place()).isEqualTo(Place.DEVICE);
      assertThat(more.isOpen()).isTrue();
    }
    outside.close();
    inside.close();
  }

  @Test
  void aReservationThatWaitsSpillsAsWell() throws Exception {
    gpu.close();
    gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options());
    memory = gpu.memory();
    stream = gpu.streams().acquire();
    SpillableArray<int[]> array = array(1);
    try (MemoryReservation all = memory.reserve(BUDGET, Duration.ofSeconds(10)).orElseThrow()) {
      assertThat(array.place()).isEqualTo(Place.HOST);
      assertThat(all.remainingBytes()).isEqualTo(BUDGET);
    }
    requireContent(array, 1);
    array.close();
  }

  @Test
  void aReservationThatWaitsSpillsWhenAGraphHoldsWhatWasClosed() throws Exception {
    SpillableArray<int[]> array = array(1);
    DeviceArray<int[]> closed = memory.upload(stream, numbers(2));
    try (KernelGraph graph = gpu.graph("step", g -> closed.fill(stream, 3))) {
      closed.close();
      try (MemoryReservation rest =
          memory.reserve(BUDGET - 1600, Duration.ofSeconds(10)).orElseThrow()) {
        assertThat(array.place()).isEqualTo(Place.HOST);
        assertThat(rest.remainingBytes()).isEqualTo(BUDGET - 1600);
      }
      graph.launch(stream);
    }
    requireContent(array, 1);
    array.close();
  }

  @Test
  void anUnusableFolderIsNamedAndTheArrayStaysOnTheDevice() throws IOException {
    Path notAFolder = Files.createFile(folder.resolve("file"));
    reopen(options().withSpillMemoryInBytes(0).withSpillFolder(notAFolder));
    SpillableArray<int[]> array = array(1);
    assertThatThrownBy(() -> memory.spill(stream, 1))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("'table 1'")
        .hasMessageContaining("to a file in " + notAFolder + " failed");
    assertThatThrownBy(() -> memory.allocate(stream, byte[].class, BUDGET))
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageContaining("to a file in " + notAFolder + " failed");
    requireContent(array, 1);
    assertThat(memory.pressure().spilling().failures()).isEqualTo(2);
    array.close();
    Files.delete(notAFolder);
  }

  /** An interrupt closes a FileChannel, and the file would be deleted with the elements. */
  @Test
  void anInterruptedThreadSpillsToAFileAndBringsItBack() {
    reopen(options().withSpillMemoryInBytes(0));
    SpillableArray<int[]> table = array(1);
    Thread.currentThread().interrupt();
    memory.spill(stream, 1600);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(table.place()).isEqualTo(Place.DISK);
    Thread.currentThread().interrupt();
    table.use(stream).close();
    assertThat(Thread.interrupted()).isTrue();
    requireContent(table, 1);
    table.close();
  }

  @Test
  void aHostWithoutPageLockedMemoryLeavesTheFile() {
    SpillableArray<int[]> array = array(1);
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    assertThat(array.place()).isEqualTo(Place.DISK);
    assertThat(memory.pressure().spilling().failures()).isZero();
    requireContent(array, 1);
    array.close();
  }

  @Test
  void withoutAFolderAHostWithoutPageLockedMemoryIsAFailure() {
    reopen(RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
    SpillableArray<int[]> array = array(1);
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    assertThatThrownBy(() -> memory.spill(stream, 1))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("allocating pinned int[400]");
    assertThat(array.place()).isEqualTo(Place.DEVICE);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void withoutAFolderNothingGoesToDisk() {
    reopen(
        RuntimeOptions.defaults()
            .withMemoryBudget(MemoryBudget.ofBytes(BUDGET))
            .withSpillMemoryInBytes(1599));
    SpillableArray<int[]> array = array(1);
    assertThat(memory.spill(stream, 1)).isZero();
    assertThatThrownBy(() -> memory.allocate(stream, byte[].class, BUDGET))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void guardedMemoryThatCannotBeFreedStaysOnTheDeviceWithItsElements() {
    reopen(options().withGuardMemory(true));
    SpillableArray<int[]> array = array(1);
    for (DriverCall failing :
        new DriverCall[] {DriverCall.SYNCHRONIZE_STREAM, DriverCall.FILL_8_ASYNC}) {
      device.failCall(failing, 1, 1);
      assertThatThrownBy(() -> memory.spill(stream, 1)).isInstanceOf(CudaDriverException.class);
      assertThat(array.place()).isEqualTo(Place.DEVICE);
      requireContent(array, 1);
    }
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void aClosedArrayFreesDeviceHostAndFile() throws IOException {
    SpillableArray<int[]> onDisk = array(1);
    SpillableArray<int[]> onHost = array(2);
    requireContent(onDisk, 1);
    assertThat(memory.spill(stream, 2 * 1600)).isEqualTo(2 * 1600);
    assertThat(onDisk.place()).isEqualTo(Place.DISK);
    SpillableArray<int[]> onDevice = array(3);
    for (SpillableArray<int[]> each : List.of(onDisk, onHost, onDevice)) {
      assertThat(each.isOpen()).isTrue();
      each.close();
      each.close();
      assertThat(each.isOpen()).isFalse();
      assertThatThrownBy(() -> each.use(stream)).isInstanceOf(UseAfterFreeException.class);
    }
    gpu.synchronize();
    memory.reap();
    assertThat(memory.statistics().liveBytes()).isZero();
    assertThat(memory.statistics().pinnedBytes()).isZero();
    assertThat(files()).isZero();
    SpillStatistics spilling = memory.pressure().spilling();
    assertThat(spilling.hostBytes() + spilling.diskBytes()).isZero();
  }

  @Test
  void hostMemoryThatCannotBeFreedCountsUntilALaterCallFreesIt() {
    SpillableArray<int[]> array = array(1);
    for (Runnable later :
        List.<Runnable>of(
            () -> array.use(stream).close(), memory::reap, () -> requireContent(array, 1))) {
      memory.spill(stream, 1);
      device.failCall(DriverCall.SYNCHRONIZE_EVENT, 1, 1);
      assertThatThrownBy(() -> array.use(stream)).isInstanceOf(CudaDriverException.class);
      assertThat(array.place()).isEqualTo(Place.DEVICE);
      // The device is still copying the elements back, and a reap does not wait for that.
      memory.reap();
      requireOnHost(1600);
      stream.synchronize();
      later.run();
      requireOnHost(0);
    }
    requireContent(array, 1);
    array.close();
  }

  @Test
  void theCloseOfAnArrayFreesHostMemoryThatCouldNotBeFreedBefore() {
    SpillableArray<int[]> array = array(1);
    memory.spill(stream, 1);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    assertThatThrownBy(() -> array.use(stream)).isInstanceOf(CudaDriverException.class);
    requireOnHost(1600);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    memory.reap();
    requireOnHost(1600);
    array.close();
    requireOnHost(0);
  }

  /** A task that waits would try again by itself, only later. */
  @Test
  void theCloseOfAnArrayOnTheHostTellsThoseThatWaitForRoomThere() {
    AtomicInteger told = new AtomicInteger();
    SpilledArrays spills =
        new SpilledArrays(
            2000,
            Optional.empty(),
            told::incrementAndGet,
            ((TrackedMemory) memory).runtime().spills().observer(),
            Inside.of(gpu).sticky(),
            (array, allocatedAt, giveUp) -> giveUp.run());
    TrackedSpillable<int[]> array =
        spills.add((WritableArray<int[]>) memory.upload(stream, numbers(1)));
    assertThat(array.spill(stream)).isTrue();
    assertThat(told).hasValue(0);
    array.close();
    assertThat(told).hasValue(1);
  }

  @Test
  void hostMemoryOfACopyThatFailsCountsUntilItIsFreed() {
    SpillableArray<int[]> array = array(1);
    device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 1, 1);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    assertThatThrownBy(() -> memory.spill(stream, 1)).isInstanceOf(CudaDriverException.class);
    assertThat(array.place()).isEqualTo(Place.DEVICE);
    requireOnHost(1600);
    memory.reap();
    requireOnHost(0);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void theFailureOfTheFirstArrayIsThrownWithThoseOfTheOthersSuppressed() {
    SpillableArray<int[]> first = array(1);
    SpillableArray<int[]> second = array(2);
    device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 1, 1);
    device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 2, 1);
    assertThatThrownBy(() -> memory.spill(stream, BUDGET))
        .isInstanceOf(CudaDriverException.class)
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .isInstanceOf(CudaDriverException.class));
    requireContent(first, 1);
    requireContent(second, 2);
  }

  @Test
  void anArrayThatComesBackHasItsTagAgain() {
    SpillableArray<int[]> array = array(1);
    assertThat(memory.usageByTag()).containsOnlyKeys("table 1");
    memory.spill(stream, 1);
    requireContent(array, 1);
    assertThat(memory.usageByTag()).containsOnlyKeys("table 1");
    array.close();
  }

  @Test
  void memoryOfAReturnThatFailsAndCannotBeFreedIsFreedByTheNextReap() {
    reopen(options().withCachingPool(false));
    SpillableArray<int[]> array = array(1);
    memory.spill(stream, 1);
    device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 1, 1);
    device.failCall(DriverCall.FREE_ASYNC, 1, 1);
    assertThatThrownBy(() -> array.use(stream)).isInstanceOf(CudaDriverException.class);
    array.close();
    memory.reap();
    stream.synchronize();
    memory.reap();
    assertThat(memory.statistics().liveBytes()).isZero();
    assertThat(memory.usageByTag()).isEmpty();
  }

  @Test
  void aCopyThatCouldNotBeDiscardedCountsNoLongerOnceTheRuntimeIsClosed() {
    SpillableArray<int[]> array = array(1);
    memory.spill(stream, 1);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    assertThatThrownBy(() -> array.use(stream)).isInstanceOf(CudaDriverException.class);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    array.close();
    requireOnHost(array.sizeInBytes());
    gpu.close();
    requireOnHost(0);
  }

  private void requireOnHost(long bytes) {
    assertThat(memory.statistics().pinnedBytes()).isEqualTo(bytes);
    assertThat(memory.pressure().spilling().hostBytes()).isEqualTo(bytes);
  }

  @Test
  void anArrayThatIsLostGivesUpItsPlace() throws Exception {
    array(1);
    assertThat(memory.spill(stream, 1)).isIn(0L, 1600L);
    SpilledArrays spills = ((TrackedMemory) memory).runtime().spills();
    while (memory.pressure().spilling().hostBytes() > 0
        || memory.statistics().liveBytes() > 0
        || !spills.isEmpty()) {
      System.gc();
      Thread.sleep(1);
      memory.reap();
    }
  }

  @Test
  void theFileOfAnArrayThatIsLostIsClosed() throws Exception {
    reopen(options().withSpillMemoryInBytes(0));
    array(1);
    memory.spill(stream, 1);
    while (memory.statistics().liveBytes() > 0 || memory.pressure().spilling().diskBytes() > 0) {
      System.gc();
      Thread.sleep(1);
      memory.reap();
    }
    assertThat(openFiles()).isZero();
  }

  private void loseOneThatIsSpilled(String tag) {
    SpillableArray<int[]> lost = memory.spillable(memory.upload(stream, numbers(1), tag));
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    assertThat(lost.place()).isNotEqualTo(Place.DEVICE);
  }

  @ParameterizedTest
  @ValueSource(longs = {2000, 0})
  void anArrayThatIsLostOutsideOfTheDeviceIsCountedAndReportedLikeAnyOther(long hostBytes)
      throws Exception {
    reopen(options().withSpillMemoryInBytes(hostBytes).withTraceAllocations(true));
    String fact = "an array was lost without being closed: spillable int[400] 'lost" + hostBytes;
    try (RuntimeLog log = RuntimeLog.listen()) {
      loseOneThatIsSpilled("lost" + hostBytes);
      while (log.recordsWith(fact).isEmpty() || memory.statistics().pinnedBytes() > 0) {
        System.gc();
        Thread.sleep(1);
        memory.pinned(int[].class, 1).close();
      }
      assertThat(memory.statistics().lostArrays()).isEqualTo(1);
      assertThat(log.recordsWith(fact)).hasSize(1);
      assertThat(log.recordsWith(fact).get(0).getThrown().getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("loseOneThatIsSpilled"));
      assertThat(log.recordsWith("pinned int[400]")).isEmpty();
    }
  }

  @Test
  void anArrayThatIsOpenOutsideOfTheDeviceIsReportedByTheClose() {
    reopen(options().withTraceAllocations(true));
    List<SpillableArray<int[]>> open = new ArrayList<>();
    try (RuntimeLog log = RuntimeLog.listen()) {
      for (String tag : List.of("on the host", "in a file", "on the device")) {
        memory.spill(stream, 1600);
        open.add(memory.spillable(memory.upload(stream, numbers(1), tag)));
      }
      assertThat(open)
          .extracting(SpillableArray::place)
          .containsExactly(Place.HOST, Place.DISK, Place.DEVICE);
      String runtime = gpu.toString();
      gpu.close();
      assertThat(log.recordsWith(runtime + " is closed with"))
          .singleElement()
          .satisfies(
              report ->
                  assertThat(report.getThrown().getSuppressed())
                      .hasSize(3)
                      .allSatisfy(
                          site ->
                              assertThat(site.getStackTrace())
                                  .anyMatch(
                                      frame -> frame.getClassName().equals(getClass().getName()))));
      assertThat(log.recordsWith(runtime + " is closed with 3 open arrays: allocation")).hasSize(1);
      assertThat(log.recordsWith("spillable int[400] 'on the host'")).hasSize(1);
      assertThat(log.recordsWith("spillable int[400] 'in a file'")).hasSize(1);
      assertThat(log.recordsWith("pinned int[400]")).isEmpty();
    }
  }

  @Test
  void theCloseOfTheRuntimeEndsSpilledArraysAsWell() throws IOException {
    SpillableArray<int[]> onHost = array(1);
    SpillableArray<int[]> onDisk = array(2);
    memory.spill(stream, 2 * 1600);
    gpu.close();
    assertThat(openFiles()).isZero();
    assertThatThrownBy(() -> onHost.use(stream)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> onDisk.use(stream)).isInstanceOf(RuntimeClosedException.class);
    onHost.close();
    onDisk.close();
  }

  @Test
  void theArrayItselfRefusesUsesFromThenOn() {
    DeviceArray<int[]> array = memory.upload(stream, numbers(1));
    SpillableArray<int[]> spillable = memory.spillable(array);
    assertThatThrownBy(() -> array.download(stream)).isInstanceOf(UseAfterFreeException.class);
    array.close();
    requireContent(spillable, 1);
    spillable.close();
    assertThatThrownBy(() -> memory.spillable(array)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void viewsPartsAndMappedArraysCannotBeSpilled() {
    try (DeviceArray<int[]> array = memory.upload(stream, numbers(1));
        var pinned = memory.pinned(int[].class, 4)) {
      assertThatThrownBy(() -> memory.spillable(array.view(0, 4)))
          .isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(() -> memory.spillable(pinned.mapped()))
          .isInstanceOf(StreamMisuseException.class);
      try (var parts = array.split(10)) {
        assertThatThrownBy(() -> memory.spillable(parts.get(0)))
            .isInstanceOf(StreamMisuseException.class);
        assertThatThrownBy(() -> memory.spillable(array)).isInstanceOf(StreamMisuseException.class);
      }
    }
  }

  @Test
  void anEmptyArrayStays() {
    try (SpillableArray<int[]> empty = memory.spillable(memory.allocate(stream, int[].class, 0))) {
      assertThat(memory.spill(stream, 1)).isZero();
      try (SpillableArray.Use<int[]> use = empty.use(stream)) {
        assertThat(use.array().length()).isZero();
      }
    }
    assertThatIllegalArgumentException().isThrownBy(() -> memory.spill(stream, -1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withSpillMemoryInBytes(-1));
  }

  private record Point(float x, byte flag) {}

  @Test
  void recordsAndBooleansComeBackFromHostAndDisk() {
    Point[] points = {new Point(1, (byte) 2), new Point(3, (byte) 4)};
    boolean[] flags = {true, false, true};
    for (long hostLimit : new long[] {0, 100}) {
      reopen(options().withSpillMemoryInBytes(hostLimit));
      try (SpillableArray<Point[]> first = memory.spillable(memory.upload(stream, points));
          SpillableArray<boolean[]> second = memory.spillable(memory.upload(stream, flags))) {
        assertThat(memory.spill(stream, 100)).isEqualTo(19);
        try (SpillableArray.Use<Point[]> a = first.use(stream);
            SpillableArray.Use<boolean[]> b = second.use(stream)) {
          assertThat(a.array().download(stream)).isEqualTo(points);
          assertThat(b.array().download(stream)).isEqualTo(flags);
        }
      }
    }
  }

  @Test
  void spillingIsNoDownloadOfData() {
    SpillableArray<int[]> array = array(1);
    memory.refuseDownloads(true);
    assertThat(memory.spill(stream, 1)).isEqualTo(1600);
    memory.refuseDownloads(false);
    requireContent(array, 1);
    array.close();
  }

  @Test
  void insideOfACallNothingIsSpilledOrBroughtBack() {
    SpillableArray<int[]> onHost = array(1);
    memory.spill(stream, 1);
    SpillableArray<int[]> array = array(2);
    stream.submit(
        "a call",
        uses -> {},
        call -> {
          assertThatThrownBy(() -> memory.allocate(stream, byte[].class, BUDGET))
              .isInstanceOf(OutOfMemoryBudgetException.class);
          assertThatThrownBy(() -> memory.spill(stream, 1))
              .isInstanceOf(StreamMisuseException.class);
          assertThatThrownBy(() -> onHost.use(stream)).isInstanceOf(StreamMisuseException.class);
          array.use(stream).close();
        });
    assertThatThrownBy(() -> gpu.graph("step", g -> array.use(stream)))
        .isInstanceOf(StreamMisuseException.class);
    onHost.close();
    array.close();
  }

  @Test
  void anArrayThatBecomesIdleIsMemoryForATaskThatWaits() throws Exception {
    SpillableArray<int[]> array = array(1);
    SpillableArray.Use<int[]> use = array.use(stream);
    Thread[] waits = new Thread[1];
    long[] length = new long[1];
    try (var busy = memory.task(1)) {
      waits[0] =
          new Thread(
              () -> {
                try (var task = memory.task(0, Duration.ofMinutes(10));
                    DeviceArray<byte[]> all = memory.allocate(stream, byte[].class, BUDGET)) {
                  length[0] = all.length() + task.heldBytes();
                }
              });
      waits[0].start();
      while (memory.pressure().waiting() == 0) {
        Thread.onSpinWait();
      }
      use.close();
      waits[0].join();
      assertThat(length[0]).isEqualTo(2 * BUDGET);
      assertThat(busy.priority()).isEqualTo(1);
    }
    requireContent(array, 1);
    array.close();
  }
}
