package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The life of an allocation that other code keeps, beside launches that use it. */
final class HazardStateTest {
  private final StreamPool pool = new StreamPool(Inside.open(SimulatedDevice.builder().build()), 2);
  private final Timeline timeline = pool.acquire();
  private final Timeline other = pool.acquire();
  private final AtomicInteger releases = new AtomicInteger();
  private final HazardState block =
      new HazardState(1, "a block", timeline, 0, releases::incrementAndGet);

  @AfterEach
  void close() {
    pool.destroy();
  }

  @Test
  void theLastHoldOfAClosedOneFreesItUnlessALaunchUsesIt() {
    block.hold("an export");
    try (Submission open = timeline.begin(new NamedUse("a launch"))) {
      open.use(block, true, false, 0);
      open.preflight();
      assertThat(block.close(null)).isEqualTo(Closing.WITH_LAST_USE);
      assertThat(block.endHold()).isNull();
      assertThatThrownBy(() -> block.requireUsable("a use"))
          .isInstanceOf(UseAfterFreeException.class);
      open.commit();
      assertThat(releases).hasValue(0);
    }
    assertThat(releases).hasValue(1);
  }

  @Test
  void theLastOfTwoHoldsOfAClosedOneFreesIt() {
    block.hold("an export");
    block.hold("another export");
    assertThat(block.close(null)).isEqualTo(Closing.WITH_LAST_USE);
    assertThat(block.close(null)).isEqualTo(Closing.ALREADY_CLOSED);
    assertThat(block.endHold()).isNull();
    assertThat(block.isHeld()).isTrue();
    Runnable free = block.endHold();
    assertThat(free).isNotNull();
    assertThat(block.isHeld()).isFalse();
    assertThatThrownBy(() -> block.hold("a late export"))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("a late export");
  }

  @Test
  void theEndOfAHoldLeavesAnOpenOneOpen() {
    block.hold("an export");
    assertThat(block.endHold()).isNull();
    assertThat(block.isOpen()).isTrue();
    assertThat(block.close(null)).isEqualTo(Closing.NOW);
  }

  private static void use(Timeline on, HazardState state, boolean writes) {
    try (Submission submission = on.begin(new NamedUse("a use"))) {
      submission.use(state, !writes, writes, 0);
      submission.preflight();
      submission.commit();
    }
  }

  @Test
  void whatWasReadIsUnchangedUntilTheNextWrite() {
    use(timeline, block, true);
    long seen = block.writes();
    use(other, block, false);
    assertThat(block.isUnchangedSince(seen)).isTrue();
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    use(other, parts.get(1), true);
    assertThat(block.isUnchangedSince(seen)).isFalse();
    assertThat(block.join(parts)).isTrue();
    assertThat(block.isUnchangedSince(seen)).isFalse();
    assertThat(block.isUnchangedSince(block.writes())).isTrue();
  }

  @Test
  void aUseIsPendingUntilItsStreamIsDone() {
    SimulatedDevice lazy = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    StreamPool streams = new StreamPool(Inside.open(lazy), 1);
    Timeline stream = streams.acquire();
    HazardState memory = new HazardState(2, "memory", stream, 0, releases::incrementAndGet);
    use(stream, memory, true);
    List<PendingUse> uses = memory.pending(false);
    assertThat(uses).extracting(PendingUse::isDone).containsExactly(false);
    uses.get(0).await("a test");
    assertThat(uses).extracting(PendingUse::isDone).containsExactly(true);
    streams.destroy();
  }

  @Test
  void aHostAccessConflictsWithUsesUntilItEnds() {
    HostGate gate = new HostGate();
    gate.begin(false);
    assertThat(gate.conflictsWith(false)).isFalse();
    assertThat(gate.conflictsWith(true)).isTrue();
    gate.begin(true);
    assertThat(gate.conflictsWith(false)).isTrue();
  }

  @Test
  void aWriteOfTheHostWaitsForTheReadsOfAllStreams() {
    use(timeline, block, false);
    use(other, block, false);
    assertThat(block.pending(true))
        .contains(
            new PendingUse(timeline, timeline.submitted()),
            new PendingUse(other, other.submitted()));
  }

  @Test
  void joinedPartsKeepTheLatestUseOfEachStream() {
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    use(timeline, parts.get(1), true);
    use(timeline, parts.get(0), true);
    use(timeline, parts.get(1), false);
    use(other, parts.get(1), false);
    use(timeline, parts.get(0), false);
    use(other, parts.get(0), false);
    long write = timeline.submitted() - 2;
    assertThat(block.join(parts)).isTrue();
    assertThat(block.pending(true))
        .containsExactly(
            new PendingUse(timeline, write),
            new PendingUse(timeline, timeline.submitted()),
            new PendingUse(other, other.submitted()));
  }

  @Test
  void aWriteReplacesTheWritesOfJoinedParts() {
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    use(timeline, parts.get(0), true);
    use(other, parts.get(1), true);
    assertThat(block.join(parts)).isTrue();
    assertThat(block.size()).isEqualTo(2);
    use(timeline, block, true);
    assertThat(block.size()).isEqualTo(1);
  }

  @Test
  void itIsFreedOnTheStreamOfTheLatestUseOfAPart() {
    use(timeline, block, true);
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    use(other, parts.get(0), false);
    assertThat(block.join(parts)).isTrue();
    assertThat(block.lastUser()).isSameAs(other);
    // Parts that nothing has used say nothing.
    List<HazardState> again = block.split(List.of("a half", "another half"));
    use(timeline, again.get(0), false);
    assertThat(block.join(again)).isTrue();
    assertThat(block.lastUser()).isSameAs(timeline);
  }

  @Test
  void partsRefuseReadsUntilTheyAreWrittenAndTheirArrayUntilOneIs() {
    block.refuseReadsUntilWritten();
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    assertThatThrownBy(() -> use(timeline, parts.get(0), false))
        .isInstanceOf(UninitializedReadException.class);
    assertThat(block.join(parts)).isTrue();
    assertThatThrownBy(() -> use(timeline, block, false))
        .isInstanceOf(UninitializedReadException.class);
    List<HazardState> again = block.split(List.of("a half", "another half"));
    use(timeline, again.get(0), true);
    assertThatThrownBy(() -> use(timeline, again.get(1), false))
        .isInstanceOf(UninitializedReadException.class);
    assertThat(block.join(again)).isTrue();
    use(timeline, block, false);
  }

  @Test
  void aPartThatIsPinnedAndJoinedKeepsTheClosedArray() {
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    try (Submission open = timeline.begin(new NamedUse("a launch"))) {
      open.use(parts.get(1), true, false, 0);
      open.preflight();
      assertThat(block.join(parts)).isTrue();
      assertThat(block.close(null)).isEqualTo(Closing.WITH_LAST_USE);
      open.commit();
      assertThat(releases).hasValue(0);
    }
    assertThat(releases).hasValue(1);
  }

  @Test
  void itCountsTheWritesOfItsPartsAlsoOnceTheyAreJoined() {
    use(timeline, block, true);
    use(timeline, block, false);
    assertThat(block.writes()).isEqualTo(1);
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    use(other, parts.get(0), true);
    use(other, parts.get(1), true);
    use(other, parts.get(1), true);
    assertThat(block.writes()).isEqualTo(4);
    assertThat(block.isUnchangedSince(4)).isTrue();
    assertThat(block.isUnchangedSince(3)).isFalse();
    assertThat(block.join(parts)).isTrue();
    assertThat(block.writes()).isEqualTo(4);
    assertThat(block.isUnchangedSince(4)).isTrue();
    use(timeline, block, true);
    assertThat(block.isUnchangedSince(4)).isFalse();
    assertThat(block.writes()).isEqualTo(5);
  }

  @Test
  void whileOtherCodeMayWriteItNothingIsUnchangedAndItsEndIsAWriteOfAllParts() {
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    block.beginForeignWrites();
    assertThat(block.isUnchangedSince(block.writes())).isFalse();
    assertThat(parts.get(0).isUnchangedSince(0)).isFalse();
    block.cancelForeignWrites();
    assertThat(block.isUnchangedSince(0)).isTrue();
    assertThat(parts.get(0).isUnchangedSince(0)).isTrue();
    block.beginForeignWrites();
    block.endForeignWrites();
    // One of the whole, and one of each part.
    assertThat(block.writes()).isEqualTo(3);
    assertThat(parts).allMatch(part -> part.writes() == 1);
    parts.get(1).beginForeignWrites();
    assertThat(block.isUnchangedSince(3)).isFalse();
    assertThat(block.join(parts)).isTrue();
    assertThat(block.isUnchangedSince(3)).isFalse();
    // The part is absorbed: what ends is the whole's.
    parts.get(1).endForeignWrites();
    assertThat(block.writes()).isEqualTo(4);
    assertThat(block.isUnchangedSince(4)).isTrue();
  }

  @Test
  void aWriteByOtherCodeAllowsReads() {
    block.refuseReadsUntilWritten();
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    block.beginForeignWrites();
    block.endForeignWrites();
    use(timeline, parts.get(0), false);
    use(timeline, parts.get(1), false);
    assertThat(block.join(parts)).isTrue();
    use(timeline, block, false);
  }

  /** Reads while another thread holds the lock: the reader has to wait. */
  private static void meet(HazardState state, Timeline reader) throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              SharedRead share = state.lockToRead(reader);
              giveBack(state, share);
            });
    state.lock();
    try {
      thread.start();
      HazardLocks.awaitEndOrLock(thread);
    } finally {
      state.unlock();
    }
    thread.join();
  }

  private static void giveBack(HazardState state, @Nullable SharedRead share) {
    if (share == null) {
      state.unlock();
    } else {
      share.end();
    }
  }

  private static boolean hasPlace(HazardState state, Timeline reader) {
    SharedRead share = state.lockToRead(reader);
    giveBack(state, share);
    return share != null;
  }

  @Test
  void streamsThatMeetOftenAtWhatTheyReadGetPlacesOfTheirOwn() throws InterruptedException {
    for (int i = 1; i < 8; i++) {
      meet(block, timeline);
    }
    assertThat(hasPlace(block, timeline)).isFalse();
    meet(block, timeline);
    assertThat(hasPlace(block, timeline)).isTrue();
    // From then on, a stream gets its place with its first read.
    assertThat(hasPlace(block, other)).isFalse();
    SharedRead first = block.lockToRead(timeline);
    SharedRead second = block.lockToRead(other);
    assertThat(first).isNotNull();
    assertThat(second).isNotNull();
    first.end();
    second.end();
  }

  @Test
  void streamsTakeTurnsAtHostMemoryHoweverOftenTheyMeet() throws InterruptedException {
    HazardState memory = new HazardState("memory");
    for (int i = 0; i < 10; i++) {
      meet(memory, timeline);
    }
    assertThat(hasPlace(memory, timeline)).isFalse();
  }

  @Test
  void readsInPlacesOfTheirOwnAreUsesLikeOthers() {
    use(timeline, block, true);
    HazardLocks.share(block, timeline, other);
    use(timeline, block, false);
    use(other, block, false);
    assertThat(block.size()).isEqualTo(3);
    assertThat(block.closeAfterOneStream(timeline, null)).isNull();
    List<HazardState> parts = block.split(List.of("a half", "another half"));
    assertThat(parts.get(0).size()).isEqualTo(3);
    assertThat(block.join(parts)).isTrue();
    use(timeline, block, true);
    assertThat(block.size()).isEqualTo(1);
  }
}
