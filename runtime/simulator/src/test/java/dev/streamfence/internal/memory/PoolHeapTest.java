package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The blocks of the caching pool: what joined ones wait for, and which segments leave the heap. */
final class PoolHeapTest {
  private static final long MIB = 1 << 20;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final PoolHeap heap = new PoolHeap();

  @AfterEach
  void close() {
    on.close();
  }

  private PoolBlock joined(TicketMark first, TicketMark second) {
    PoolBlock block = new PoolBlock(4096, 512, true, first);
    block.split(256).marks = new TicketMark[] {second};
    block.join();
    assertThat(block.size).isEqualTo(512);
    return block;
  }

  @Test
  void ofTwoPartsThatOneStreamReturnedTheLaterReturnCounts() {
    TicketMark early = new TicketMark(on.a, 1);
    TicketMark late = new TicketMark(on.a, 2);
    assertThat(joined(early, late).marks).containsExactly(late);
    assertThat(joined(late, early).marks).containsExactly(late);
  }

  @Test
  void ofPartsThatTwoStreamsReturnedBothReturnsCountUntilTheyAreDone() {
    TicketMark ofA = new TicketMark(on.a, 1);
    TicketMark ofB = new TicketMark(on.b, 1);
    assertThat(joined(ofA, ofB).marks).containsExactlyInAnyOrder(ofA, ofB);
    on.finish(on.a, 1);
    assertThat(joined(ofA, ofB).marks).containsExactly(ofB);
  }

  @Test
  void segmentsLeaveAsLongAsMoreThanWhatIsKeptIsUnused() {
    for (long i = 1; i <= 3; i++) {
      heap.put(new PoolBlock(i << 32, 2 * MIB, true));
    }
    assertThat(heap.takeSegments(on.a, true, 0, 6 * MIB)).isEmpty();
    assertThat(heap.takeSegments(on.a, true, 1, 6 * MIB)).hasSize(1);
    assertThat(heap.unusedBytes()).isEqualTo(4 * MIB);
    assertThat(heap.takeSegments(on.a, true, 0, 4 * MIB - 1)).hasSize(1);
    assertThat(heap.takeSegments(on.a, true, 0, 0)).hasSize(1);
    assertThat(heap.unusedBytes()).isZero();
  }

  @Test
  void aSegmentIsInUseFromTheFirstArrayToTheLast() {
    PoolSegment segment = new PoolSegment(2 * MIB);
    assertThat(segment.use(256)).isTrue();
    assertThat(segment.use(512)).isFalse();
    assertThat(segment.release(256)).isFalse();
    assertThat(segment.release(512)).isTrue();
    assertThat(segment.use(256)).isTrue();
  }

  /** Large sizes share the classes: these are 144 units of 2 MiB apart. */
  @Test
  void theLargestBlockOfACacheMayBeBehindOthersOfItsClass() {
    PoolCache cache = new PoolCache();
    for (long size : new long[] {308 * MIB, 20 * MIB}) {
      cache.offer(PoolSizes.classOf(size), new PoolBlock(size, size, false));
    }
    assertThat(cache.largest()).isEqualTo(308 * MIB);
  }
}
