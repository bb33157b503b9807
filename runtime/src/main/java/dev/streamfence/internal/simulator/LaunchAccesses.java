package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Device memory as one launch sees it; records which bytes the launch touches. Launches run one at
 * a time. Confined to the driver's lock.
 */
final class LaunchAccesses implements GlobalMemory {
  private final MappedMemory memory;
  private final TouchedBytes.Pages pages;
  private final Submitted op;
  private final UseIndex uses;
  private final List<TouchedBytes> touched = new ArrayList<>();
  private @Nullable Lane running;

  LaunchAccesses(MappedMemory memory, TouchedBytes.Pages pages, Submitted op) {
    this.memory = memory;
    this.pages = pages;
    this.op = op;
    this.uses = new UseIndex(op.uses());
  }

  @Override
  public void enters(Lane lane) {
    running = lane;
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
    allocation.bytes().store(offset, bytes, value);
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
          count
              + " bytes at 0x"
              + Long.toHexString(address)
              + " are outside of parameter '"
              + nearest.parameter()
              + "', which has "
              + nearest.bytes()
              + " bytes at 0x"
              + Long.toHexString(nearest.address()),
          address);
    }
  }
}
