package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrays that other code has for a while. */
final class ExportedArrayTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary consumer = device.library("consumer");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final long theirs = consumer.createStream();
  private final DeviceArray<int[]> x = gpu.memory().upload(a, new int[] {1, 2, 3, 4});

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void addTo(SimulatedLibrary library, long stream, long address) {
    library.launch(
        stream,
        "add",
        memory -> {
          for (int i = 0; i < 4; i++) {
            memory.putInt(address + 4 * i, memory.getInt(address + 4 * i) + 10);
          }
        });
  }

  private ExportedArray export(ReadableArray<?> array, boolean writable) {
    return ExportedArray.of(array, "an export", writable, OptionalLong.of(theirs));
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void bothSidesAreOrderedBeforeDuringAndAfterTheExport(Schedule schedule) {
    SimulatedDevice second = SimulatedDevice.builder().schedule(schedule).seed(5).build();
    SimulatedLibrary library = second.library("consumer");
    try (DeviceRuntime other = DeviceRuntime.simulated(second)) {
      DeviceStream one = other.streams().acquire();
      DeviceStream two = other.streams().acquire();
      DeviceArray<int[]> values = other.memory().upload(one, new int[] {1, 2, 3, 4});
      for (int i = 0; i < 20; i++) {
        long stream = library.createStream();
        VectorKernels.on(one).increment(values, 4);
        ExportedArray export = ExportedArray.of(values, "an export", true, OptionalLong.of(stream));
        addTo(library, stream, export.address());
        VectorKernels.on(two).increment(values, 4);
        assertThat(values.download(one)[0]).isEqualTo(13 + 12 * i);
        second.library("rest").synchronize(stream);
        export.end();
        export.end();
        library.destroyStream(stream);
      }
      assertThat(values.download(two)).containsExactly(241, 242, 243, 244);
    }
    assertThat(second.liveObjects()).isZero();
  }

  @Test
  void workThatTheConsumerQueuedBeforeItGaveTheMemoryBackComesFirst() {
    ExportedArray export = export(x, true);
    addTo(consumer, theirs, export.address());
    export.end();
    consumer.destroyStream(theirs);
    VectorKernels.on(b).increment(x, 4);
    assertThat(x.download(a)).containsExactly(12, 13, 14, 15);
  }

  /** A download in pieces is on another stream than the one that it is ordered after. */
  @Test
  void aLongDownloadOfAnExportComesAfterEarlierWorkOfItsStreamToo() {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary library = second.library("consumer");
    try (DeviceRuntime other =
        Opening.of(Inside.open(second), true, RuntimeOptions.defaults())
            .withCopies(pool -> new DeviceCopies(pool, 1 << 10, 1))
            .open()) {
      DeviceStream one = other.streams().acquire();
      DeviceStream two = other.streams().acquire();
      DeviceArray<int[]> values = other.memory().allocateZeroed(one, int[].class, 64 << 10);
      DeviceArray<int[]> unrelated = other.memory().upload(two, new int[] {1, 2, 3, 4});
      ExportedArray export =
          ExportedArray.of(values, "an export", true, OptionalLong.of(library.createStream()));
      VectorKernels.on(two).increment(unrelated, 4);

      assertThat(values.download(two)).containsOnly(0);

      VectorKernels.on(one).increment(unrelated, 4);
      assertThat(unrelated.download(one)).containsExactly(3, 4, 5, 6);
      export.end();
    }
    assertThat(second.liveObjects()).isZero();
  }

  @Test
  void aPinnedArrayIsNotClosedWhileOtherCodeHasIt() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4);
    ExportedArray export = export(host.mapped(), false);

    assertThatThrownBy(host::close)
        .isInstanceOfSatisfying(
            StreamMisuseException.class,
            e -> assertThat(e.kind()).isEqualTo(StreamMisuseException.Misuse.HELD));

    assertThat(host.isOpen()).isTrue();
    export.end();
    host.close();
    assertThat(host.isOpen()).isFalse();
    consumer.destroyStream(theirs);
  }

  @Test
  void withoutAConsumersStreamItsWorkIsNotWaitedFor() {
    device.collectFindings();
    ExportedArray export = ExportedArray.of(x, "an export", true, OptionalLong.empty());
    a.synchronize();
    addTo(consumer, theirs, export.address());
    export.end();
    VectorKernels.on(b).increment(x, 4);
    assertThat(device.findings())
        .extracting(RacyAccessException.Finding::kind)
        .contains(RacyAccessException.Kind.WRITE_WRITE);
  }

  @Test
  void ofAReadOnlyExportOnlyWritesWait() {
    ExportedArray export = export(x, false);
    VectorKernels.on(b).increment(x, 4);
    x.download(b);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    x.download(b);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    VectorKernels.on(b).increment(x, 4);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    export.end();
    VectorKernels.on(b).increment(x, 4);
    waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    VectorKernels.on(b).increment(x, 4);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
  }

  @Test
  void anArrayThatIsClosedMeanwhileIsFreedWhenItComesBack() {
    ExportedArray export = export(x, true);
    x.close();
    assertThat(x.isOpen()).isFalse();
    assertThatThrownBy(() -> VectorKernels.on(a).increment(x, 4))
        .isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> x.download(a)).isInstanceOf(UseAfterFreeException.class);
    gpu.memory().reap();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    addTo(consumer, theirs, export.address());
    export.end();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void aPartThatIsJoinedMeanwhileIsStillProtected() {
    DeviceParts<int[]> parts = x.split(2);
    ExportedArray export = export(parts.get(0), true);
    long address = export.address();
    consumer.launch(theirs, "set", memory -> memory.putInt(address, 7));
    parts.close();
    VectorKernels.on(b).increment(x, 4);
    assertThat(x.download(b)).containsExactly(8, 3, 4, 5);
    consumer.launch(theirs, "set", memory -> memory.putInt(address, 70));
    export.end();
    VectorKernels.on(b).increment(x, 4);
    assertThat(x.download(b)).containsExactly(71, 4, 5, 6);
  }

  @Test
  void aPartOfAnExportedArrayWaitsForTheConsumer() {
    ExportedArray export = export(x, true);
    try (DeviceParts<int[]> parts = x.split(2)) {
      VectorKernels.on(b).increment(parts.get(1), 2);
      // A later use waits for what the consumer has queued meanwhile, although it is another part.
      consumer.launch(theirs, "set", memory -> memory.putInt(export.address(), 7));
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      VectorKernels.on(b).increment(parts.get(1), 2);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    }
    export.end();
    assertThat(x.download(a)).containsExactly(7, 2, 5, 6);
  }

  @Test
  void nobodyWaitsForTheConsumerOfAnExportThatFailed() {
    gpu.synchronize();
    VectorKernels.on(b).increment(x, 4);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);
    assertThatThrownBy(() -> export(x, true)).isInstanceOf(CudaDriverException.class);
    // The first use may wait for what the export has queued.
    VectorKernels.on(b).increment(x, 4);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    VectorKernels.on(b).increment(x, 4);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    consumer.destroyStream(theirs);
    x.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void aReadOnlyExportDoesNotWaitForReads() {
    DeviceArray<int[]> sum = gpu.memory().allocate(a, int[].class, 4);
    gpu.synchronize();
    VectorKernels.on(a).add(x, x, sum, 4);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    ExportedArray export = export(x, false);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    export.end();
  }

  @Test
  void aSplitArrayIsNotExportedWithoutAStreamEither() {
    try (DeviceParts<int[]> parts = x.split(2)) {
      assertThatThrownBy(() -> ExportedArray.of(x, "an export", true, OptionalLong.empty()))
          .satisfies(misuse(Misuse.SPLIT));
      assertThat(parts.count()).isEqualTo(2);
    }
  }

  @Test
  void anExportedPartKeepsItsArrayAllocated() {
    DeviceParts<int[]> parts = x.split(2);
    ExportedArray export = export(parts.get(0), true);
    x.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    export.end();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    gpu.synchronize();
  }

  @Test
  void aSecondExportDoesNotForgetAConsumerWhoseWorkIsQueued() {
    device.collectFindings();
    gpu.synchronize();
    long others = consumer.createStream();
    ExportedArray first = export(x, false);
    VectorKernels.on(b).increment(x, 4);
    consumer.waitForEvent(theirs, written());
    consumer.launch(theirs, "read", memory -> memory.getInt(first.address()));
    first.end();
    ExportedArray second = ExportedArray.of(x, "an export", false, OptionalLong.of(others));
    VectorKernels.on(b).increment(x, 4);
    second.end();
    gpu.synchronize();
    consumer.synchronize(theirs);
    assertThat(device.findings()).isEmpty();
  }

  /** An event of the consumer's behind what is queued on stream b. */
  private long written() {
    long event = consumer.createEvent();
    b.submit("tell", uses -> {}, call -> consumer.recordEvent(event, call.streamHandle()));
    return event;
  }

  @Test
  void anExportThatComesBackIsAWindowOnItsSource() {
    ExportedArray export = export(x, true);
    addTo(consumer, theirs, export.address());
    DeviceArray<int[]> back =
        gpu.memory()
            .adopt(
                b,
                ForeignMemory.at(export.address(), 16)
                    .readyAfterStream(theirs)
                    .releasedBy(export::end),
                int[].class);
    VectorKernels.on(a).increment(x, 4);
    VectorKernels.on(b).increment(back, 4);
    x.close();
    assertThat(back.download(a)).containsExactly(13, 14, 15, 16);
    back.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void itIsTakenBackInsideOfALaunchWithoutWaiting() throws InterruptedException {
    ExportedArray export = export(x, true);
    a.submit("drop", uses -> uses.readWrites(x), call -> export.end());
    x.close();
    for (int i = 0; device.calls(DriverCall.FREE_ASYNC) == 0 && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void aConsumerThatDestroysItsStreamTooEarlyIsWaitedForOnTheHost() {
    ExportedArray export = export(x, true);
    addTo(consumer, theirs, export.address());
    consumer.destroyStream(theirs);
    export.end();
    VectorKernels.on(b).increment(x, 4);
    assertThat(x.download(a)).containsExactly(12, 13, 14, 15);
  }

  @Test
  void anArrayThatCannotBeExportedIsNotHeld() {
    DeviceArray<int[]> closed = gpu.memory().upload(a, new int[] {1});
    closed.close();
    assertThatThrownBy(() -> export(closed, true))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("an export");
    Inside.allocation(x).hazards().refuseWrites();
    assertThatThrownBy(() -> export(x, true)).satisfies(misuse(Misuse.READ_ONLY));
    DeviceArray<int[]> split = gpu.memory().upload(a, new int[] {1, 2});
    DeviceParts<int[]> parts = split.split(1);
    assertThatThrownBy(() -> export(split, true)).isInstanceOf(StreamMisuseException.class);
    parts.close();
    split.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(16);
    DeviceArray<int[]> empty = gpu.memory().allocate(a, int[].class, 0);
    ExportedArray nothing = export(empty, true);
    assertThat(nothing.address()).isZero();
    nothing.end();
  }

  @Test
  void anExportInsideOfALaunchIsRefusedAndAdoptsNoStream() {
    a.submit(
        "outer",
        uses -> {},
        call -> assertThatThrownBy(() -> export(x, true)).satisfies(misuse(Misuse.INSIDE_LAUNCH)));
    consumer.destroyStream(theirs);
    gpu.synchronize();
    x.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void whatTheHostKnewOfTheMemoryIsUncertainWhileOtherCodeMayWriteIt() {
    HazardState hazards = Inside.allocation(x).hazards();
    long before = hazards.writes();
    for (OptionalLong stream : List.of(OptionalLong.of(theirs), OptionalLong.empty())) {
      ExportedArray export = ExportedArray.of(x, "an export", true, stream);
      long during = hazards.writes();
      assertThat(hazards.isUnchangedSince(during)).isFalse();
      export.end();
      assertThat(hazards.isUnchangedSince(during)).isFalse();
      assertThat(hazards.isUnchangedSince(hazards.writes())).isTrue();
    }
    assertThat(hazards.isUnchangedSince(before)).isFalse();
  }

  @Test
  void anExportThatIsOnlyReadLeavesWhatTheHostKnows() {
    HazardState hazards = Inside.allocation(x).hazards();
    long before = hazards.writes();
    for (OptionalLong stream : List.of(OptionalLong.of(theirs), OptionalLong.empty())) {
      ExportedArray export = ExportedArray.of(x, "an export", false, stream);
      assertThat(hazards.isUnchangedSince(before)).isTrue();
      export.end();
      assertThat(hazards.isUnchangedSince(before)).isTrue();
    }
  }

  /** Other code may write the whole while it is in parts, and a part that is joined meanwhile. */
  @Test
  void whatTheHostKnewOfPartsIsUncertainAsWell() {
    HazardState whole = Inside.allocation(x).hazards();
    ExportedArray ofWhole = ExportedArray.of(x, "an export", true, OptionalLong.empty());
    DeviceParts<int[]> parts = x.split(2);
    HazardState part = TrackedArray.of(parts.get(0)).region().hazards();
    HazardState other = TrackedArray.of(parts.get(1)).region().hazards();
    assertThat(part.isUnchangedSince(part.writes())).isFalse();
    long during = part.writes();
    ofWhole.end();
    assertThat(part.isUnchangedSince(during)).isFalse();
    assertThat(part.isUnchangedSince(part.writes())).isTrue();
    ExportedArray ofPart = ExportedArray.of(parts.get(0), "an export", true, OptionalLong.empty());
    assertThat(part.isUnchangedSince(part.writes())).isFalse();
    assertThat(other.isUnchangedSince(other.writes())).isTrue();
    assertThat(whole.isUnchangedSince(whole.writes())).isFalse();
    parts.close();
    long joined = whole.writes();
    assertThat(whole.isUnchangedSince(joined)).isFalse();
    ofPart.end();
    assertThat(whole.isUnchangedSince(joined)).isFalse();
    assertThat(whole.isUnchangedSince(whole.writes())).isTrue();
  }

  @Test
  void anExportThatOutlivesTheRuntimeEndsQuietly() {
    ExportedArray export = export(x, true);
    gpu.close();
    export.end();
    assertThat(device.liveObjects()).isZero();
  }
}
