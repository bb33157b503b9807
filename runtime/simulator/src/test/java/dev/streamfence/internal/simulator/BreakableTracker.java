package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Orders uses of allocations by events in the simplest way, directly on the driver. A test can
 * break one of its rules. One thread takes the steps of several host threads, in the order of the
 * program: {@link #prepare}, {@link Pending#launch}, {@link Pending#commit}.
 */
final class BreakableTracker {
  /** A stream with what it has waited for. */
  static final class Lane {
    final StreamHandle handle;
    final int key;
    final Map<Integer, Long> waitedFor = new HashMap<>();
    long submitted;
    boolean synchronizedForEver;
    @Nullable Mark first;

    Lane(StreamHandle handle, int key) {
      this.handle = handle;
      this.key = key;
    }
  }

  /** A point of a lane that others can wait for. */
  static final class Mark {
    final Lane lane;
    final long ticket;
    EventHandle event;
    final Map<Integer, Long> clock;

    Mark(Lane lane, long ticket, EventHandle event, Map<Integer, Long> clock) {
      this.lane = lane;
      this.ticket = ticket;
      this.event = event;
      this.clock = clock;
    }
  }

  /** The uses of an allocation. */
  static final class State {
    @Nullable Mark write;
    boolean onlyAllocated = true;
    final List<Mark> reads = new ArrayList<>();
  }

  /** A tracked allocation, or a view of one. */
  static final class Allocation {
    final long address;
    final long bytes;
    final State state;
    boolean open = true;

    Allocation(long address, long bytes, State state) {
      this.address = address;
      this.bytes = bytes;
      this.state = state;
    }
  }

  /** The access of a use to an allocation. */
  record Access(Allocation allocation, boolean reads, boolean writes) {}

  /** A use between its waits and its commit. */
  final class Pending {
    final Lane lane;
    final List<Access> accesses;
    private final Runnable work;
    private boolean launched;
    private boolean committed;

    Pending(Lane lane, List<Access> accesses, Runnable work) {
      this.lane = lane;
      this.accesses = accesses;
      this.work = work;
    }

    void launch() {
      if (!launched) {
        launched = true;
        if (bug == Bug.EVENT_RECORDED_BEFORE_THE_LAUNCH) {
          commit();
        }
        work.run();
      }
    }

    void commit() {
      if (!committed) {
        committed = true;
        pending.remove(this);
        register(lane, accesses);
      }
    }

    private void finish() {
      launch();
      commit();
    }
  }

  private static final int SLOTS = 2;

  final Bug bug;
  final CudaDriver driver;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Pending> pending = new ArrayList<>();
  private final Map<Long, State> byPointer = new HashMap<>();
  private final Deque<Integer> freeKeys = new ArrayDeque<>();
  private final Deque<EventHandle> waitedFor = new ArrayDeque<>();
  private final Deque<EventHandle> recycled = new ArrayDeque<>();
  private final List<EventHandle> slots = new ArrayList<>();
  private int nextSlot;

  BreakableTracker(Bug bug, CudaDriver driver) {
    this.bug = bug;
    this.driver = driver;
  }

  boolean has(Bug asked) {
    return bug == asked;
  }

  Lane lane() {
    Integer again = bug == Bug.STREAM_KEY_USED_AGAIN ? freeKeys.pollFirst() : null;
    Lane lane = new Lane(driver.createStream(0), again == null ? lanes.size() : again);
    lanes.add(lane);
    return lane;
  }

  void destroy(Lane lane) {
    driver.destroyStream(lane.handle);
    freeKeys.addFirst(lane.key);
  }

  void synchronize(Lane lane) {
    Lane other = lanes.get((lanes.indexOf(lane) + 1) % lanes.size());
    driver.synchronizeStream(
        bug == Bug.ANOTHER_STREAM_IS_SYNCHRONIZED ? other.handle : lane.handle);
    lane.synchronizedForEver = bug == Bug.SYNCHRONIZED_FOR_EVER;
    for (Lane each : lanes) {
      each.waitedFor.merge(lane.key, lane.submitted, Math::max);
    }
  }

  Allocation allocate(Lane lane, long bytes) {
    recycled.addAll(waitedFor);
    waitedFor.clear();
    Mark early = bug == Bug.READY_EVENT_RECORDED_BEFORE_THE_ALLOCATION ? mark(lane) : null;
    long address = driver.allocateAsync(bytes, lane.handle);
    Mark ready = early == null ? mark(lane) : early;
    State state = new State();
    if (bug == Bug.POINTER_IS_THE_IDENTITY && byPointer.containsKey(address)) {
      return new Allocation(address, bytes, byPointer.get(address));
    }
    byPointer.put(address, state);
    state.write = ready;
    return new Allocation(address, bytes, state);
  }

  /** A part of an allocation, or all of it; ordered like the allocation. */
  Allocation view(Allocation allocation, long offset, long bytes) {
    boolean own = bug == Bug.VIEW_IS_THE_IDENTITY;
    State state = own ? new State() : allocation.state;
    if (own) {
      state.write = allocation.state.write;
    }
    return new Allocation(allocation.address + offset, bytes, state);
  }

  void free(Lane lane, Allocation allocation) {
    if (bug != Bug.FREE_BETWEEN_PREPARE_AND_LAUNCH) {
      finishConflicting(List.of(new Access(allocation, false, true)));
    }
    allocation.open = false;
    boolean foreign = allocation.state.write != null && allocation.state.write.lane != lane;
    if (bug != Bug.FREE_WAITS_FOR_NOTHING
        && !(bug == Bug.FREE_ON_ANOTHER_STREAM_WAITS_FOR_NOTHING && foreign)) {
      List<Mark> marks = new ArrayList<>();
      if (bug != Bug.FREE_WAITS_FOR_WRITES_ONLY) {
        marks.addAll(allocation.state.reads);
      }
      if (bug != Bug.FREE_WAITS_FOR_READS_ONLY && allocation.state.write != null) {
        marks.add(allocation.state.write);
      }
      awaitAll(lane, marks);
    }
    driver.freeAsync(allocation.address, lane.handle);
    mark(lane);
  }

  void use(Lane lane, List<Access> accesses, Runnable work) {
    Pending use = prepare(lane, accesses, work);
    use.launch();
    use.commit();
  }

  Pending prepare(Lane lane, List<Access> accesses, Runnable work) {
    List<Access> merged = merge(accesses);
    if (bug != Bug.COMMITTED_STATE_ONLY && bug != Bug.COMMIT_BEFORE_LAUNCH) {
      finishConflicting(merged);
    }
    if (bug != Bug.USE_OF_A_CLOSED_ALLOCATION) {
      for (Access access : merged) {
        if (!access.allocation().open) {
          return refused(lane);
        }
      }
    }
    List<Mark> marks = new ArrayList<>();
    for (Access access : merged) {
      collect(access, marks);
    }
    awaitAll(lane, marks);
    Pending use = new Pending(lane, merged, work);
    pending.add(use);
    if (bug == Bug.COMMIT_BEFORE_LAUNCH) {
      use.commit();
    }
    return use;
  }

  /** Records a mark at the end of a lane. */
  Mark mark(Lane lane) {
    long ticket = ++lane.submitted;
    EventHandle event = event();
    boolean alone = lanes.stream().allMatch(each -> each == lane || each.submitted == 0);
    if (!(bug == Bug.NOTHING_RECORDED_WHILE_ONE_STREAM_IS_BUSY && alone)
        && bug != Bug.WAIT_BEFORE_RECORD) {
      driver.recordEvent(event, lane.handle);
    }
    Mark mark = new Mark(lane, ticket, event, new HashMap<>(lane.waitedFor));
    if (lane.first == null) {
      lane.first = mark;
    }
    return mark;
  }

  /** Makes a lane wait for a mark, unless it has. */
  void await(Lane lane, Mark mark) {
    if (mark.lane.key == lane.key
        || mark.lane.synchronizedForEver
        || lane.waitedFor.getOrDefault(mark.lane.key, 0L) >= mark.ticket) {
      return;
    }
    EventHandle event = mark.event;
    if (bug == Bug.WAIT_FOR_THE_FIRST_EVENT_OF_THE_STREAM && mark.lane.first != null) {
      event = mark.lane.first.event;
    }
    Lane waiter = bug == Bug.WAIT_ON_THE_WRONG_STREAM ? mark.lane : lane;
    try {
      driver.waitForEvent(waiter.handle, event);
    } catch (CudaDriverException e) {
      if (bug == Bug.WAITS_DROPPED_AFTER_A_FAILURE) {
        throw e;
      }
      driver.waitForEvent(waiter.handle, event);
    }
    if (bug == Bug.WAIT_BEFORE_RECORD) {
      driver.recordEvent(event, mark.lane.handle);
    }
    if (bug == Bug.EVENT_RECYCLED_AFTER_THE_FIRST_WAIT) {
      waitedFor.addLast(event);
    }
    long reached = bug == Bug.CLOCK_MERGED_TO_THE_END ? mark.lane.submitted + 1 : mark.ticket;
    lane.waitedFor.merge(mark.lane.key, reached, Math::max);
    Map<Integer, Long> clock =
        bug == Bug.CLOCK_TAKEN_OVER_TOO_LATE ? mark.lane.waitedFor : mark.clock;
    clock.forEach((key, ticket) -> lane.waitedFor.merge(key, ticket, Math::max));
  }

  private void awaitAll(Lane lane, List<Mark> marks) {
    Map<Integer, Mark> perLane = new LinkedHashMap<>();
    for (Mark mark : marks) {
      perLane.merge(
          mark.lane.key,
          mark,
          (a, b) ->
              (a.ticket > b.ticket) != (bug == Bug.LOWEST_TICKET_OF_A_STREAM_IS_KEPT) ? a : b);
    }
    List<Mark> waits = new ArrayList<>(perLane.values());
    if (bug == Bug.ONLY_THE_LAST_WAIT_IS_QUEUED && waits.size() > 1) {
      waits = waits.subList(waits.size() - 1, waits.size());
    }
    try {
      for (Mark mark : waits) {
        await(lane, mark);
      }
    } catch (CudaDriverException e) {
      // Only with WAITS_DROPPED_AFTER_A_FAILURE: what was not queued is forgotten.
      return;
    }
  }

  private void collect(Access access, List<Mark> marks) {
    State state = access.allocation().state;
    if (access.writes() && bug != Bug.WRITER_WAITS_FOR_WRITES_ONLY) {
      marks.addAll(state.reads);
    }
    boolean waits =
        access.writes()
            ? bug != Bug.WRITER_DOES_NOT_WAIT_FOR_THE_WRITE || state.onlyAllocated
            : bug != Bug.READER_DOES_NOT_WAIT_FOR_THE_WRITE || state.onlyAllocated;
    if (bug == Bug.ALLOCATION_NOT_AWAITED && state.onlyAllocated) {
      waits = false;
    }
    if (waits && state.write != null) {
      marks.add(state.write);
    }
  }

  private void register(Lane lane, List<Access> accesses) {
    Mark mark = mark(lane);
    for (Access access : accesses) {
      State state = access.allocation().state;
      boolean writes = access.writes() && bug != Bug.WRITER_REGISTERED_AS_READER;
      if (writes) {
        if (bug != Bug.WRITES_NOT_REGISTERED) {
          state.write = mark;
          state.onlyAllocated = false;
        }
        state.reads.clear();
      } else if (bug != Bug.READS_NOT_REGISTERED) {
        if (bug == Bug.ONE_READ_EVENT
            || (bug == Bug.READERS_CLEARED_BY_A_READER && state.reads.size() == 2)) {
          state.reads.clear();
        }
        state.reads.add(mark);
      }
    }
  }

  private List<Access> merge(List<Access> accesses) {
    Map<State, Access> merged = new LinkedHashMap<>();
    for (Access access : accesses) {
      if (bug == Bug.SECOND_ALLOCATION_FORGOTTEN && !merged.isEmpty()) {
        break;
      }
      merged.merge(
          access.allocation().state,
          access,
          (a, b) ->
              bug == Bug.SAME_ALLOCATION_TWICE_KEEPS_THE_FIRST_ACCESS
                  ? a
                  : new Access(a.allocation(), a.reads() || b.reads(), a.writes() || b.writes()));
    }
    return List.copyOf(merged.values());
  }

  /** Finishes the pending use of another thread, for which this one would wait. */
  private void finishConflicting(List<Access> accesses) {
    for (Pending other : List.copyOf(pending)) {
      boolean conflicts =
          other.accesses.stream()
              .anyMatch(
                  a ->
                      accesses.stream()
                          .anyMatch(b -> a.allocation().state == b.allocation().state));
      if (conflicts) {
        other.finish();
      }
    }
  }

  private Pending refused(Lane lane) {
    return new Pending(lane, List.of(), () -> {});
  }

  private EventHandle event() {
    if (bug == Bug.EVENT_SLOT_USED_AGAIN_BY_ANOTHER_STREAM) {
      while (slots.size() < SLOTS) {
        slots.add(driver.createEvent());
      }
      nextSlot = (nextSlot + 1) % SLOTS;
      return slots.get(nextSlot);
    }
    EventHandle again = recycled.pollFirst();
    return again == null ? driver.createEvent() : again;
  }
}
