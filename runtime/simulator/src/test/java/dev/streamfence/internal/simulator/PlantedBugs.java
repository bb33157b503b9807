package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.simulator.BreakableTracker.Allocation;
import dev.streamfence.internal.simulator.BreakableTracker.Lane;
import dev.streamfence.internal.simulator.BreakableTracker.Mark;
import dev.streamfence.internal.simulator.BreakableTracker.Pending;
import dev.streamfence.simulation.DriverCall;
import java.util.function.Consumer;

/** One program for every bug, on two to four streams: wrong with the bug and right without it. */
enum PlantedBugs {
  ONE_READ_EVENT(Kind.READ_WRITE, PlantedBugs::twoReadersThenAWriter),
  READERS_CLEARED_BY_A_READER(
      Kind.READ_WRITE,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        for (int i = 0; i < 3; i++) {
          k.read(k.lane(), allocation);
        }
        k.fill(a, allocation);
      }),
  WRITER_WAITS_FOR_WRITES_ONLY(Kind.READ_WRITE, PlantedBugs::twoReadersThenAWriter),
  READS_NOT_REGISTERED(Kind.READ_WRITE, PlantedBugs::twoReadersThenAWriter),
  ONLY_THE_LAST_WAIT_IS_QUEUED(
      Kind.READ_WRITE,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Lane c = k.lane();
        Allocation allocation = k.zeros(a);
        k.read(b, allocation);
        k.read(c, allocation);
        k.fill(k.lane(), allocation);
      }),
  COMMITTED_STATE_ONLY(
      Kind.WRITE_WRITE,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        Pending first = k.prepareIncrement(a, allocation);
        Pending second = k.prepareIncrement(b, allocation);
        first.launch();
        first.commit();
        second.launch();
        second.commit();
      }),
  COMMIT_BEFORE_LAUNCH(
      Kind.WRITE_WRITE,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        Pending first = k.prepareIncrement(a, allocation);
        k.increment(b, allocation);
        first.launch();
        first.commit();
      }),
  EVENT_RECORDED_BEFORE_THE_LAUNCH(Kind.WRITE_WRITE, PlantedBugs::writeThenWrite),
  READY_EVENT_RECORDED_BEFORE_THE_ALLOCATION(
      Kind.USE_BEFORE_READY, PlantedBugs::allocateHereAndUseThere),
  ALLOCATION_NOT_AWAITED(Kind.USE_BEFORE_READY, PlantedBugs::allocateHereAndUseThere),
  POINTER_IS_THE_IDENTITY(
      Kind.USE_BEFORE_READY,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation old = k.zeros(b);
        k.tracker.free(a, old);
        Allocation again = k.allocate(a);
        k.fill(b, again);
      }),
  STREAM_KEY_USED_AGAIN(
      Kind.WRITE_WRITE,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        k.increment(b, allocation);
        k.tracker.destroy(b);
        k.increment(k.lane(), allocation);
      }),
  FREE_WAITS_FOR_NOTHING(Kind.FREE_WHILE_IN_USE, PlantedBugs::usesThenAFree),
  FREE_ON_ANOTHER_STREAM_WAITS_FOR_NOTHING(
      Kind.FREE_WHILE_IN_USE,
      k -> {
        Lane a = k.lane();
        k.tracker.free(k.lane(), k.zeros(a));
      }),
  FREE_WAITS_FOR_WRITES_ONLY(Kind.FREE_WHILE_IN_USE, PlantedBugs::usesThenAFree),
  FREE_WAITS_FOR_READS_ONLY(
      Kind.FREE_WHILE_IN_USE,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        k.increment(k.lane(), allocation);
        k.tracker.free(a, allocation);
      }),
  NOT_RECORDED_AGAIN_ON_MERGE(
      Kind.WRITE_WRITE,
      k -> {
        // Two halves of a slab in the free lists of two streams become one in the list of the
        // first; a third stream takes it and waits for the first.
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation slab = k.zeros(a);
        Mark ofA = k.tracker.mark(a);
        Lane c = k.lane();
        k.tracker.await(b, ofA);
        Allocation half = k.tracker.view(slab, 0, TrackedKernels.BYTES / 2);
        k.fill(b, half);
        k.tracker.await(a, k.tracker.mark(b));
        Mark ofMerged = k.tracker.has(Bug.NOT_RECORDED_AGAIN_ON_MERGE) ? ofA : k.tracker.mark(a);
        k.tracker.await(c, ofMerged);
        k.fillOrdered(c, half);
      }),
  WAIT_FOR_THE_FIRST_EVENT_OF_THE_STREAM(Kind.WRITE_WRITE, PlantedBugs::writeThenWrite),
  WAIT_BEFORE_RECORD(Kind.WRITE_WRITE, PlantedBugs::writeThenWrite),
  WAIT_ON_THE_WRONG_STREAM(Kind.WRITE_WRITE, PlantedBugs::writeThenWrite),
  READER_DOES_NOT_WAIT_FOR_THE_WRITE(Kind.WRITE_READ, PlantedBugs::writeThenRead),
  WRITER_DOES_NOT_WAIT_FOR_THE_WRITE(Kind.WRITE_WRITE, PlantedBugs::writeThenWrite),
  WRITES_NOT_REGISTERED(Kind.WRITE_READ, PlantedBugs::writeThenRead),
  WRITER_REGISTERED_AS_READER(Kind.WRITE_READ, PlantedBugs::writeThenRead),
  CLOCK_MERGED_TO_THE_END(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation first = k.zeros(a);
        Allocation second = k.zeros(a);
        k.read(b, first);
        k.increment(a, second);
        k.read(b, second);
      }),
  CLOCK_TAKEN_OVER_TOO_LATE(
      Kind.WRITE_READ,
      k -> {
        // B waits for A's write only after its event that C waits for.
        Lane a = k.lane();
        Lane b = k.lane();
        Lane c = k.lane();
        Allocation early = k.zeros(b);
        Allocation late = k.zeros(a);
        k.read(b, late);
        k.read(c, early);
        k.read(c, late);
      }),
  EVENT_SLOT_USED_AGAIN_BY_ANOTHER_STREAM(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        k.zeros(k.lane());
        k.zeros(b);
        k.read(b, allocation);
      }),
  EVENT_RECYCLED_AFTER_THE_FIRST_WAIT(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Lane c = k.lane();
        Allocation allocation = k.zeros(a);
        k.read(b, allocation);
        k.allocate(k.lane());
        k.read(c, allocation);
      }),
  COPY_NOT_REGISTERED(Kind.READ_WRITE, k -> copyThenWrite(k, true)),
  COPY_SOURCE_NOT_REGISTERED(Kind.READ_WRITE, k -> copyThenWrite(k, true)),
  COPY_DESTINATION_NOT_REGISTERED(Kind.WRITE_WRITE, k -> copyThenWrite(k, false)),
  FILL_NOT_REGISTERED(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.allocate(a);
        k.upload(a, allocation);
        k.fill(a, allocation);
        k.read(k.lane(), allocation);
      }),
  UPLOAD_NOT_REGISTERED(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        k.upload(a, allocation);
        k.read(k.lane(), allocation);
      }),
  DOWNLOAD_NOT_REGISTERED(
      Kind.READ_WRITE,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        k.download(a, allocation);
        k.fill(k.lane(), allocation);
      }),
  SECOND_ALLOCATION_FORGOTTEN(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation here = k.zeros(b);
        Allocation there = k.zeros(a);
        k.add(b, here, there, here);
      }),
  SAME_ALLOCATION_TWICE_KEEPS_THE_FIRST_ACCESS(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        k.add(a, allocation, allocation, allocation);
        k.read(b, allocation);
      }),
  WAITS_DROPPED_AFTER_A_FAILURE(
      Kind.READ_WRITE,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        k.read(b, allocation);
        k.read(k.lane(), allocation);
        k.device().failCall(DriverCall.WAIT_FOR_EVENT, 1, ResultCode.INVALID_VALUE);
        k.fill(a, allocation);
      }),
  LOWEST_TICKET_OF_A_STREAM_IS_KEPT(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation first = k.zeros(a);
        Allocation second = k.zeros(a);
        Allocation sum = k.allocate(b);
        k.add(b, first, second, sum);
      }),
  NOTHING_RECORDED_WHILE_ONE_STREAM_IS_BUSY(Kind.WRITE_READ, PlantedBugs::writeThenRead),
  SYNCHRONIZED_FOR_EVER(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        k.tracker.synchronize(a);
        k.increment(a, allocation);
        k.read(k.lane(), allocation);
      }),
  ANOTHER_STREAM_IS_SYNCHRONIZED(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        k.tracker.synchronize(a);
        k.read(b, allocation);
      }),
  USE_OF_A_CLOSED_ALLOCATION(
      Kind.USE_AFTER_FREE,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        k.tracker.free(a, allocation);
        k.fill(k.lane(), allocation);
      }),
  FREE_BETWEEN_PREPARE_AND_LAUNCH(
      Kind.USE_AFTER_FREE,
      k -> {
        Lane a = k.lane();
        Allocation allocation = k.zeros(a);
        Pending launch = k.prepareIncrement(k.lane(), allocation);
        k.tracker.free(a, allocation);
        launch.launch();
        launch.commit();
      }),
  VIEW_IS_THE_IDENTITY(
      Kind.WRITE_READ,
      k -> {
        Lane a = k.lane();
        Lane b = k.lane();
        Allocation allocation = k.zeros(a);
        Allocation tail = k.tracker.view(allocation, 32, 32);
        k.increment(a, tail);
        k.read(b, allocation);
      }),
  STORE_THROUGH_A_READ(Kind.UNDECLARED_WRITE, PlantedBugs::oneIncrement),
  LOAD_THROUGH_A_WRITE(
      Kind.UNDECLARED_READ,
      k -> {
        Lane a = k.lane();
        k.add(a, k.zeros(a), k.zeros(a), k.allocate(a));
      }),
  ALLOCATION_BEHIND_A_NUMBER(Kind.UNDECLARED_ALLOCATION, PlantedBugs::oneIncrement);

  private final Kind kind;
  private final Consumer<TrackedKernels> program;

  PlantedBugs(Kind kind, Consumer<TrackedKernels> program) {
    this.kind = kind;
    this.program = program;
  }

  /** A finding that the checker has to report for it. */
  Kind kind() {
    return kind;
  }

  void run(TrackedKernels kernels) {
    program.accept(kernels);
  }

  private static void oneIncrement(TrackedKernels k) {
    Lane a = k.lane();
    k.increment(a, k.zeros(a));
  }

  private static void twoReadersThenAWriter(TrackedKernels k) {
    Lane a = k.lane();
    Lane b = k.lane();
    Lane c = k.lane();
    Allocation allocation = k.zeros(a);
    k.read(b, allocation);
    k.read(c, allocation);
    k.fill(a, allocation);
  }

  private static void writeThenWrite(TrackedKernels k) {
    Lane a = k.lane();
    Lane b = k.lane();
    Allocation allocation = k.zeros(a);
    k.increment(a, allocation);
    k.increment(b, allocation);
    k.increment(a, allocation);
  }

  private static void writeThenRead(TrackedKernels k) {
    Lane a = k.lane();
    Lane b = k.lane();
    Allocation allocation = k.zeros(a);
    k.increment(a, allocation);
    k.read(b, allocation);
  }

  private static void allocateHereAndUseThere(TrackedKernels k) {
    Lane a = k.lane();
    k.fill(k.lane(), k.allocate(a));
  }

  private static void usesThenAFree(TrackedKernels k) {
    Lane a = k.lane();
    Allocation allocation = k.zeros(a);
    k.read(k.lane(), allocation);
    k.read(k.lane(), allocation);
    k.tracker.free(a, allocation);
  }

  private static void copyThenWrite(TrackedKernels k, boolean toSource) {
    Lane a = k.lane();
    Lane b = k.lane();
    Allocation source = k.zeros(a);
    Allocation target = k.zeros(a);
    k.copy(a, source, target);
    k.fill(b, toSource ? source : target);
  }
}
