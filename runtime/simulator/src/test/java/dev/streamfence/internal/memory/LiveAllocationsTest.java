package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LiveAllocationsTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final LiveAllocations live = new LiveAllocations();

  @AfterEach
  void close() {
    on.close();
  }

  private Allocation at(long address) {
    return new Allocation(
        address, 1, "", on.a, 0, allocation -> {}, true, new Account(), null, null);
  }

  @Test
  void theIndexKnowsWhatCameBeforeAndAfterTheFirstQuestion() {
    Allocation first = at(100);
    Allocation second = at(200);
    Allocation gone = at(300);
    assertThat(live.add(100, first)).isNull();
    assertThat(live.add(300, gone)).isNull();
    live.remove(gone);
    assertThat(live.overlapping(0, 1000)).isSameAs(first);
    assertThat(live.add(200, second)).isNull();
    assertThat(live.overlapping(0, 1000)).isSameAs(second);
    assertThat(live.overlapping(0, 200)).isSameAs(first);
    live.remove(second);
    assertThat(live.overlapping(0, 1000)).isSameAs(first);
    live.addAgain(gone);
    assertThat(live.overlapping(0, 1000)).isSameAs(gone);
    assertThat(live.overlapping(0, 300)).isSameAs(first);
    assertThat(live.overlapping(0, 100)).isNull();
    assertThat(live.overlapping(101, 300)).isNull();
  }

  @Test
  void anotherAllocationIsNeitherAddedNorRemoved() {
    Allocation owner = at(100);
    Allocation other = at(100);
    live.add(100, owner);
    assertThat(live.add(100, other)).isSameAs(owner);
    assertThat(live.has(other)).isFalse();
    live.remove(other);
    assertThat(live.has(owner)).isTrue();
    assertThat(live.has(other)).isFalse();
    assertThat(live.all()).containsExactly(owner);
    live.overlapping(0, 1);
    live.remove(other);
    assertThat(live.overlapping(0, 1000)).isSameAs(owner);
    assertThat(new LiveAllocations().has(owner)).isFalse();
  }

  @Test
  void aPlaceThatIsKeptHasNoAllocationUntilTheNextOne() {
    Allocation first = at(100);
    Allocation below = at(50);
    live.add(50, below);
    live.add(100, first);
    LiveAllocations.Place place = requireNonNull(first.place());
    place.keepFor(new PoolBlock(100, 1, true));
    live.remove(first);
    assertThat(live.has(first)).isFalse();
    assertThat(live.all()).containsExactly(below);
    assertThat(live.overlapping(100, 101)).isNull();
    assertThat(live.overlapping(50, 101)).isSameAs(below);
    Allocation next = at(100);
    assertThat(live.add(place, next)).isNull();
    assertThat(live.overlapping(0, 101)).isSameAs(next);
    assertThat(live.add(place, first)).isSameAs(next);
    assertThat(live.add(100, first)).isSameAs(next);
    live.remove(next);
    place.drop();
    assertThat(live.add(100, first)).isNull();
    assertThat(first.place()).isNotSameAs(place);
    assertThat(live.overlapping(0, 101)).isSameAs(first);
  }

  @Test
  void anAllocationWithTheKeyOfAKeptPlaceIsAddedThere() {
    Allocation first = at(100);
    live.add(100, first);
    LiveAllocations.Place place = requireNonNull(first.place());
    place.keepFor(new PoolBlock(100, 1, true));
    live.remove(first);
    Allocation next = at(100);
    assertThat(live.add(100, next)).isNull();
    assertThat(next.place()).isSameAs(place);
    assertThat(live.all()).containsExactly(next);
  }

  /** Two threads that are given one key in turns each find what they have added. */
  @Test
  void whatIsAddedIsThereWhileOtherThreadsRemoveTheirOwn() throws Exception {
    live.overlapping(0, 1);
    int rounds = Effort.of(20_000, 300_000);
    Callable<Integer> turns =
        () -> {
          int lost = 0;
          for (int i = 0; i < rounds; i++) {
            Allocation own = at(100);
            if (live.add(100, own) == null) {
              lost += live.has(own) && live.overlapping(100, 101) == own ? 0 : 1;
              live.remove(own);
            }
          }
          return lost;
        };
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (Future<Integer> lost : threads.invokeAll(List.of(turns, turns))) {
        assertThat(lost.get()).isZero();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(live.all()).isEmpty();
  }

  /** The index is made while other threads add and remove; afterwards it has what is there. */
  @Test
  void theIndexMissesNothingThatOtherThreadsChange() throws Exception {
    for (int round = 0; round < 50; round++) {
      LiveAllocations shared = new LiveAllocations();
      CountDownLatch start = new CountDownLatch(3);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        int thread = t;
        Random random = new Random(round * 3L + t);
        threads.add(
            new Thread(
                () -> {
                  start.countDown();
                  for (int i = 0; i < 300; i++) {
                    long key = 3L * random.nextInt(40) + thread;
                    Allocation allocation = at(key);
                    Allocation owner = shared.add(key, allocation);
                    if (owner != null) {
                      shared.remove(owner);
                    } else if (thread == 0 && i == 100) {
                      shared.overlapping(0, 1000);
                    }
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      List<Allocation> indexed = new ArrayList<>();
      for (long key = 0; key < 120; key++) {
        Allocation found = shared.overlapping(key, key + 1);
        if (found != null) {
          indexed.add(found);
        }
      }
      assertThat(indexed).containsExactlyInAnyOrderElementsOf(shared.all());
    }
  }
}
