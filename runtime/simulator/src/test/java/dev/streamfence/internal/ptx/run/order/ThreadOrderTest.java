package dev.streamfence.internal.ptx.run.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random threads access memory, fence, release, acquire and meet. What each is told of the others
 * agrees with a reference that keeps, for every thread, the set of all accesses that it knows of.
 */
final class ThreadOrderTest {
  private static final int BLOCKS = 3;
  private static final int THREADS = 36;
  private static final int PLACES = 3;

  /** What a thread knew at a moment. */
  private record Snapshot(BitSet known) {}

  /** What was released to a place. */
  private record Release(BitSet toAll, BitSet toBlock, Thread by) {}

  /** One or two words that an access reads or writes. */
  private record Words(long first, int count) {
    int bits() {
      return 32 * count;
    }
  }

  private static final class Thread {
    private final ThreadOrder order;
    private final int block;
    private final BitSet known = new BitSet();
    private final BitSet seenEverywhere = new BitSet();
    private final BitSet seenInBlock = new BitSet();
    private Snapshot fence;
    private Snapshot wideFence;
    private boolean hasArrived;

    private Thread(ThreadOrder order, int block) {
      this.order = order;
      this.block = block;
    }

    private Snapshot now() {
      return new Snapshot((BitSet) known.clone());
    }
  }

  private final LaunchOrder launch = new LaunchOrder();
  private final List<BlockOrder> blocks = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final BlockOrder.Meeting[] meetings = new BlockOrder.Meeting[BLOCKS];
  private final BitSet[] brought = new BitSet[BLOCKS];
  private final Map<Long, Release> places = new HashMap<>();

  /** The lanes of each warp of each block that met there the last time. */
  private final int[][] lastMembers = new int[BLOCKS][2];

  /** The accesses as the order numbers them, in the order of the reference's bits. */
  private final List<Integer> accesses = new ArrayList<>();

  private final Map<String, Integer> sites = new HashMap<>();
  private final int plain = site("ld.global.u32 %r1, [%a1];");
  private final int otherPlain = site("st.global.u32 [%a1], %r1;");
  private final Random random;

  ThreadOrderTest() {
    this.random = new Random(0);
    for (int b = 0; b < BLOCKS; b++) {
      BlockOrder block = launch.block(THREADS, 0);
      blocks.add(block);
      block.start();
      for (int t = 0; t < THREADS; t++) {
        threads.add(new Thread(block.warp(t / 32).thread(t % 32), b));
      }
    }
  }

  private int site(String instruction) {
    return sites.computeIfAbsent(
        instruction,
        text -> {
          PtxModule module =
              PtxModule.parse(
                  ".version 7.0 .target sm_80 .address_size 64 .visible .entry e() { .reg .b32 %r<3>;"
                      + " .reg .b64 %a<2>; "
                      + text
                      + " }");
          return launch.site(module.function("e").orElseThrow().instructions().get(0));
        });
  }

  private void access(Thread thread) {
    accesses.add(thread.order.access(random.nextBoolean() ? plain : otherPlain));
    thread.known.set(accesses.size() - 1);
  }

  private void fence(Thread thread, boolean inBlock) {
    thread.order.fences(inBlock);
    thread.known.or(thread.seenInBlock);
    thread.seenInBlock.clear();
    if (!inBlock) {
      thread.known.or(thread.seenEverywhere);
      thread.seenEverywhere.clear();
    }
    thread.fence = thread.now();
    thread.wideFence = inBlock ? thread.wideFence : thread.fence;
  }

  private void load(Thread thread, int site, Words words, boolean inBlock, boolean acquires) {
    thread.order.loaded(site, words.first * 4, words.count * 4);
    for (long place = words.first; place < words.first + words.count; place++) {
      Release there = places.get(place);
      if (there == null) {
        continue;
      }
      if (!inBlock) {
        (acquires ? thread.known : thread.seenEverywhere).or(there.toAll);
      }
      if (there.by.block == thread.block) {
        (acquires ? thread.known : thread.seenInBlock).or(there.toBlock);
      }
    }
  }

  private void store(
      Thread thread, int site, Words words, boolean atomic, boolean inBlock, boolean releases) {
    thread.order.stored(site, words.first * 4, words.count * 4);
    Snapshot narrow = releases ? thread.now() : thread.fence;
    Snapshot wide = releases ? narrow : thread.wideFence;
    for (long place = words.first; place < words.first + words.count; place++) {
      Release there = places.get(place);
      boolean continues = there != null && (atomic || there.by == thread);
      if (narrow == null) {
        if (!continues) {
          places.remove(place);
        }
        continue;
      }
      BitSet toAll = new BitSet();
      BitSet toBlock = (BitSet) narrow.known.clone();
      if (continues) {
        toAll.or(there.toAll);
        if (there.by.block == thread.block) {
          toBlock.or(there.toBlock);
        }
      }
      if (wide != null && !inBlock) {
        toAll.or(wide.known);
      }
      places.put(place, new Release(toAll, toBlock, thread));
    }
  }

  private void load(Thread thread, Words words) {
    boolean inBlock = random.nextInt(3) == 0;
    boolean acquires = random.nextBoolean();
    String how = (acquires ? "acquire." : "relaxed.") + (inBlock ? "cta" : "gpu");
    int site = site("ld." + how + ".global.u" + words.bits() + " %r1, [%a1];");
    load(thread, site, words, inBlock, acquires);
  }

  /** An access that orders: of a random kind, with a random scope. */
  private void strong(Thread thread, Words words) {
    boolean inBlock = random.nextInt(3) == 0;
    boolean orders = random.nextBoolean();
    String scope = inBlock ? "cta" : "gpu";
    switch (random.nextInt(3)) {
      case 0 -> load(thread, words);
      case 1 -> {
        String how = (orders ? "release." : "relaxed.") + scope;
        store(
            thread,
            site("st." + how + ".global.u" + words.bits() + " [%a1], %r1;"),
            words,
            false,
            inBlock,
            orders);
      }
      default -> {
        String how = (orders ? "acq_rel." : "relaxed.") + scope;
        int site = site("atom." + how + ".global.add.u" + words.bits() + " %r1, [%a1], %r2;");
        load(thread, site, words, inBlock, orders);
        store(thread, site, words, true, inBlock, orders);
      }
    }
  }

  private List<Thread> of(int block, int warp, int members) {
    List<Thread> result = new ArrayList<>();
    for (int lane = 0; lane < 32 && warp * 32 + lane < THREADS; lane++) {
      if ((members >>> lane & 1) != 0) {
        result.add(threads.get(block * THREADS + warp * 32 + lane));
      }
    }
    return result;
  }

  private static void share(List<Thread> members, BitSet more) {
    BitSet all = (BitSet) more.clone();
    members.forEach(member -> all.or(member.known));
    members.forEach(member -> member.known.or(all));
  }

  private int members(int warp) {
    int all = warp == 0 ? -1 : (1 << THREADS - 32) - 1;
    return switch (random.nextInt(4)) {
      case 0 -> all;
      case 1 -> all & 0xf << 4 * random.nextInt(8);
      default -> all & random.nextInt();
    };
  }

  private void meetInWarp() {
    int block = random.nextInt(BLOCKS);
    int warp = random.nextInt(2);
    // Lanes that met meet again, as in a loop.
    int members = random.nextBoolean() ? lastMembers[block][warp] : members(warp);
    lastMembers[block][warp] = members;
    if (members != 0) {
      List<Thread> these = of(block, warp, members);
      blocks.get(block).warp(warp).meet(members, these.size() == (warp == 0 ? 32 : THREADS - 32));
      share(these, new BitSet());
    }
  }

  private void meetInBlock() {
    int block = random.nextInt(BLOCKS);
    blocks.get(block).meet();
    share(threads.subList(block * THREADS, (block + 1) * THREADS), new BitSet());
  }

  private void arrive(Thread thread) {
    if (!thread.hasArrived) {
      if (meetings[thread.block] == null) {
        meetings[thread.block] = blocks.get(thread.block).meeting();
        brought[thread.block] = new BitSet();
      }
      meetings[thread.block].arrive(thread.order);
      brought[thread.block].or(thread.known);
      thread.hasArrived = true;
    }
  }

  private void open() {
    int block = random.nextInt(BLOCKS);
    int[] waiting = new int[2];
    List<Thread> these = new ArrayList<>();
    for (int warp = 0; warp < 2; warp++) {
      for (Thread thread : of(block, warp, members(warp))) {
        if (!thread.hasArrived) {
          waiting[warp] |= 1 << thread.order.lane();
          these.add(thread);
        }
      }
    }
    BlockOrder.Meeting meeting =
        meetings[block] == null ? blocks.get(block).meeting() : meetings[block];
    meeting.open(waiting);
    share(these, meetings[block] == null ? new BitSet() : brought[block]);
    meetings[block] = null;
    threads.stream().filter(thread -> thread.block == block).forEach(t -> t.hasArrived = false);
  }

  private Words words() {
    return random.nextInt(4) == 0 ? new Words(0, 2) : new Words(random.nextInt(PLACES), 1);
  }

  private void step() {
    Thread thread = threads.get(random.nextInt(threads.size()));
    switch (random.nextInt(20)) {
      case 0, 1 -> fence(thread, random.nextBoolean());
      case 2, 3, 4, 5 -> strong(thread, words());
      case 6 -> {
        // A thread that waits reads one place again and again.
        Words words = words();
        for (int k = 0; k < 4; k++) {
          load(thread, random.nextBoolean() ? words : new Words(words.first, 1));
        }
        fence(thread, random.nextBoolean());
      }
      case 7 -> meetInWarp();
      case 8, 9 -> arrive(thread);
      case 10 -> {
        if (random.nextInt(4) == 0) {
          open();
        }
      }
      case 11 -> {
        if (random.nextInt(4) == 0) {
          meetInBlock();
        }
      }
      default -> access(thread);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyThreadKnowsWhatTheReferenceSays(int seed) {
    random.setSeed(seed);
    for (int i = 0; i < 10_000; i++) {
      step();
      Thread asked = threads.get(random.nextInt(threads.size()));
      for (int k = 0; k < 20 && !accesses.isEmpty(); k++) {
        int recent = Math.min(accesses.size(), k < 15 ? 60 : accesses.size());
        int access = accesses.size() - 1 - random.nextInt(recent);
        assertThat(asked.order.knows(accesses.get(access)))
            .as("seed %d, step %d, access %d", seed, i, access)
            .isEqualTo(asked.known.get(access));
      }
    }
  }

  @Test
  void aThreadAcquiresFromItsBlockAlsoWhereItMadeTheLastReleaseItself() {
    ThreadOrder first = blocks.get(0).warp(0).thread(0);
    ThreadOrder second = blocks.get(0).warp(1).thread(0);
    int access = first.access(plain);
    int add = site("atom.release.cta.global.add.u32 %r1, [%a1], %r2;");
    first.stored(add, 0, 4);
    second.stored(add, 0, 4);
    assertThat(second.knows(access)).isFalse();

    second.loaded(site("ld.acquire.cta.global.u32 %r1, [%a1];"), 0, 4);

    assertThat(second.knows(access)).isTrue();
  }

  @Test
  void aThreadLearnsNothingFromAReleaseToItsBlockThatItAloneHasMade() {
    ThreadOrder thread = blocks.get(0).warp(0).thread(0);
    int add = site("atom.release.cta.global.add.u32 %r1, [%a1], %r2;");
    thread.stored(add, 0, 4);
    thread.stored(add, 0, 4);

    thread.loaded(site("ld.acquire.cta.global.u32 %r1, [%a1];"), 0, 4);

    assertThat(thread.far()).isNull();
  }

  @Test
  void whatAThreadHasLearntBetweenTwoArrivalsOfItsWarpIsKnownToThoseThatWait() {
    BlockOrder block = blocks.get(0);
    BlockOrder.Meeting meeting = block.meeting();
    meeting.arrive(block.warp(0).thread(0));
    int access = block.warp(0).thread(5).access(plain);
    block.warp(0).meet(-1, true);
    meeting.arrive(block.warp(0).thread(1));
    assertThat(block.warp(1).thread(3).knows(access)).isFalse();
    meeting.open(new int[] {0, 0xf});
    assertThat(block.warp(1).thread(3).knows(access)).isTrue();
  }

  @Test
  void aFenceReleasesNothingThatLanesDoBeforeTheyMeetTheNextTime() {
    WarpOrder warp = blocks.get(0).warp(0);
    ThreadOrder reader = blocks.get(1).warp(0).thread(0);
    warp.meet(0b11, false);
    int before = warp.thread(1).access(plain);
    warp.meet(0b11, false);
    warp.thread(0).fences(false);
    int after = warp.thread(1).access(otherPlain);
    warp.meet(0b11, false);

    warp.thread(0).stored(site("st.relaxed.gpu.global.u32 [%a1], %r1;"), 0, 4);
    reader.loaded(site("ld.acquire.gpu.global.u32 %r1, [%a1];"), 0, 4);

    assertThat(warp.thread(0).knows(after)).isTrue();
    assertThat(reader.knows(before)).isTrue();
    assertThat(reader.knows(after)).isFalse();
  }

  @Test
  void aLaneThatDoesNotMeetAgainLearnsNothingOfThoseThatDo() {
    WarpOrder warp = blocks.get(0).warp(0);
    warp.meet(0b1111, false);
    int early = warp.thread(0).access(plain);
    warp.meet(0b0011, false);
    int late = warp.thread(0).access(otherPlain);
    warp.meet(0b0011, false);
    assertThat(warp.thread(1).knows(late)).isTrue();
    assertThat(warp.thread(2).knows(early)).isFalse();

    warp.meet(0b1111, false);

    assertThat(warp.thread(2).knows(early)).isTrue();
    assertThat(warp.thread(2).knows(late)).isTrue();
  }

  @Test
  void lanesThatMeetAgainLearnWhatOneOfThemHasLearntFromOthersSince() {
    WarpOrder warp = blocks.get(0).warp(0);
    warp.meet(0b011, false);
    int access = warp.thread(2).access(plain);
    warp.meet(0b110, false);
    assertThat(warp.thread(0).knows(access)).isFalse();

    warp.meet(0b011, false);

    assertThat(warp.thread(0).knows(access)).isTrue();
  }
}
