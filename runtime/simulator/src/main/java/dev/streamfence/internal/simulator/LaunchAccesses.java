package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.KernelThread;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.LaneMemory;
import dev.streamfence.internal.ptx.run.order.AccessCells;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Device memory as one launch sees it; records which bytes the launch touches. Launches run one at
 * a time. Confined to the driver's lock.
 */
final class LaunchAccesses implements GlobalMemory {
  /** A thread's load of shared memory that no thread of its block has written. */
  record UnwrittenLoad(KernelThread thread, Instruction instruction, int offset, int bytes) {}

  private final MappedMemory memory;
  private final TouchedBytes.Pages pages;
  private final Submitted op;
  private final UseIndex uses;
  private final @Nullable LaunchOrder order;
  private final boolean watchesUnwritten;

  /** By instruction, the first load of shared memory that its block has not written. */
  private final Map<Instruction, UnwrittenLoad> unwritten = new LinkedHashMap<>();

  private final List<TouchedBytes> touched = new ArrayList<>();
  private @Nullable Lane running;

  /**
   * Starts with nothing touched.
   *
   * @param order the order of the launch's threads; null if their races are not checked
   * @param watchesUnwritten whether loads of unwritten shared memory are wanted
   */
  LaunchAccesses(
      MappedMemory memory,
      TouchedBytes.Pages pages,
      Submitted op,
      @Nullable LaunchOrder order,
      boolean watchesUnwritten) {
    this.memory = memory;
    this.pages = pages;
    this.op = op;
    this.uses = new UseIndex(op.uses());
    this.order = order;
    this.watchesUnwritten = watchesUnwritten;
  }

  @Override
  public void enters(Lane lane) {
    running = lane;
  }

  @Override
  public @Nullable LaunchOrder order() {
    return order;
  }

  @Override
  public boolean watchesUnwritten() {
    return watchesUnwritten;
  }

  @Override
  public void loadsUnwritten(Lane lane, int offset, int bytes) {
    Instruction load = lane.instruction();
    if (load != null) {
      unwritten.computeIfAbsent(
          load,
          first ->
              new UnwrittenLoad(
                  new KernelThread(
                      lane.block.x, lane.block.y, lane.block.z, lane.x, lane.y, lane.z),
                  first,
                  offset,
                  bytes));
    }
  }

  /** The loads of shared memory that their block had not written, one for each instruction. */
  Collection<UnwrittenLoad> unwritten() {
    return unwritten.values();
  }

  private @Nullable Instruction instruction() {
    return running == null ? null : running.instruction();
  }

  @Override
  public long load(long address, int bytes) {
    SimulatedAllocation allocation = memory.require(address, bytes);
    long offset = allocation.offset(address);
    TouchedBytes record = touched(allocation, address, bytes);
    record.load(offset, bytes);
    if (record.firstLoad() == null) {
      record.setFirstLoad(instruction());
    }
    Lane lane = running;
    AccessCells cells = lane == null ? null : record.cells(offset);
    if (lane != null && lane.order != null && cells != null) {
      long conflict = lane.order.loads(lane.site(), cells, TouchedBytes.inPage(offset), bytes);
      if (conflict != 0) {
        report(conflict, lane, false, false, address, bytes);
      }
    }
    return allocation.bytes().load(offset, bytes);
  }

  @Override
  public void store(long address, int bytes, long value) {
    SimulatedAllocation allocation = memory.require(address, bytes);
    long offset = allocation.offset(address);
    TouchedBytes record = touched(allocation, address, bytes);
    record.store(offset, bytes);
    if (record.firstStore() == null) {
      record.setFirstStore(instruction());
    }
    Lane lane = running;
    AccessCells cells = lane == null ? null : record.cells(offset);
    if (lane != null && lane.order != null && cells != null) {
      long conflict = lane.order.stores(lane.site(), cells, TouchedBytes.inPage(offset), bytes);
      if (conflict != 0) {
        long old = allocation.bytes().load(offset, bytes);
        report(conflict, lane, true, LaneMemory.isSame(old, value, bytes), address, bytes);
      }
    }
    allocation.bytes().store(offset, bytes, value);
  }

  private void report(
      long conflict, Lane lane, boolean stores, boolean sameValue, long address, int bytes) {
    if (order != null && lane.order != null) {
      order.report(conflict, lane.order, lane.site(), stores, sameValue, false, address, bytes);
    }
  }

  /** The allocations touched; the caller drains them before the next launch. */
  List<TouchedBytes> end() {
    return touched;
  }

  private TouchedBytes touched(SimulatedAllocation allocation, long address, int count) {
    TouchedBytes bytes = allocation.touched();
    if (bytes == null) {
      bytes = new TouchedBytes(allocation, pages);
      allocation.setTouched(bytes);
    }
    if (bytes.isUntouched()) {
      touched.add(bytes);
      bytes.setPartly(isPartly(allocation));
      bytes.setWatch(watch(allocation));
      bytes.setOrder(mayStore(allocation) ? order : null);
    }
    if (bytes.isPartly()) {
      requireGiven(allocation, address, count);
    }
    WordWatch watch = bytes.watch();
    if (watch != null && !watch.accessed(running, address, count)) {
      bytes.setWatch(null);
    }
    return bytes;
  }

  /** The watch of an allocation of which the launch is given one array; null for any other. */
  private @Nullable WordWatch watch(SimulatedAllocation allocation) {
    List<Use> given = given(allocation);
    return given.size() == 1 && op.declared() && WordWatch.isWorthwhile(given.get(0))
        ? new WordWatch(given.get(0))
        : null;
  }

  /**
   * Whether the launch may store to an allocation. A store to one that it declares as read is
   * reported as such, whichever threads do so.
   */
  private boolean mayStore(SimulatedAllocation allocation) {
    List<Use> given = op.declared() ? given(allocation) : List.of();
    return given.isEmpty() || given.stream().anyMatch(Use::writes);
  }

  /** Whether the launch is given only parts of an allocation, as with guarded memory. */
  private boolean isPartly(SimulatedAllocation allocation) {
    List<Use> given = op.declared() ? given(allocation) : List.of();
    return !given.isEmpty()
        && given.stream().noneMatch(use -> use.bytes() == 0 || use.bytes() == allocation.size());
  }

  /** The uses that begin in an allocation. */
  private List<Use> given(SimulatedAllocation allocation) {
    return uses.within(allocation.address(), allocation.address() + allocation.size());
  }

  /**
   * Throws if an access is outside every part that the launch is given, while the thread that makes
   * it is still known. No kernel may touch the rest of the allocation.
   */
  private void requireGiven(SimulatedAllocation allocation, long address, int count) {
    if (uses.covers(address, count)) {
      return;
    }
    Use nearest =
        uses.nearest(address, allocation.address(), allocation.address() + allocation.size());
    if (nearest != null) {
      throw new IllegalAccess(
          IllegalAccess.subject(count, address, "are")
              + " outside of "
              + (nearest.parameter().isEmpty()
                  ? nearest.argument()
                  : "parameter '" + nearest.parameter() + "'")
              + ", which has "
              + IllegalAccess.bytes(nearest.bytes())
              + " at 0x"
              + Long.toHexString(nearest.address()),
          address);
    }
  }
}
