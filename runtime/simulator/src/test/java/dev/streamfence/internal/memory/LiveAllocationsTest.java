package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
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
    live.remove(300, gone);
    assertThat(live.lower(1000)).isEqualTo(Map.entry(100L, first));
    assertThat(live.add(200, second)).isNull();
    assertThat(live.lower(1000)).isEqualTo(Map.entry(200L, second));
    assertThat(live.lower(200)).isEqualTo(Map.entry(100L, first));
    live.remove(200, second);
    live.put(50, gone);
    assertThat(live.lower(200)).isEqualTo(Map.entry(100L, first));
    assertThat(live.lower(100)).isEqualTo(Map.entry(50L, gone));
    assertThat(live.lower(50)).isNull();
  }

  @Test
  void anotherAllocationIsNeitherAddedNorRemoved() {
    Allocation owner = at(100);
    Allocation other = at(100);
    live.add(100, owner);
    assertThat(live.add(100, other)).isSameAs(owner);
    live.remove(100, other);
    assertThat(live.has(100, owner)).isTrue();
    assertThat(live.has(100, other)).isFalse();
    assertThat(live.all()).containsExactly(owner);
    live.lower(1);
    live.remove(100, other);
    assertThat(live.lower(1000)).isEqualTo(Map.entry(100L, owner));
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
                      shared.remove(key, owner);
                    } else if (thread == 0 && i == 100) {
                      shared.lower(1000);
                    }
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      List<Allocation> indexed = new ArrayList<>();
      for (var entry = shared.lower(1000); entry != null; entry = shared.lower(entry.getKey())) {
        indexed.add(entry.getValue());
      }
      assertThat(indexed).containsExactlyInAnyOrderElementsOf(shared.all());
    }
  }
}
