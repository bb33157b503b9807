package dev.streamfence.simulation;

import dev.streamfence.ptx.GlobalMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Device memory as one launch sees it, noting which bytes it touches. Launches run one at a time.
 * Confined to the driver's lock.
 */
final class LaunchAccesses implements GlobalMemory {
  private final MappedMemory memory;
  private final TouchedBytes.Pages pages;
  private final List<TouchedBytes> touched = new ArrayList<>();

  LaunchAccesses(MappedMemory memory, TouchedBytes.Pages pages) {
    this.memory = memory;
    this.pages = pages;
  }

  @Override
  public long load(long address, int bytes) {
    Allocation allocation = memory.require(address, bytes);
    long offset = allocation.offset(address);
    touched(allocation).load(offset, bytes);
    return allocation.bytes().load(offset, bytes);
  }

  @Override
  public void store(long address, int bytes, long value) {
    Allocation allocation = memory.require(address, bytes);
    long offset = allocation.offset(address);
    touched(allocation).store(offset, bytes);
    allocation.bytes().store(offset, bytes, value);
  }

  /** The allocations that were touched; those are drained before the next launch. */
  List<TouchedBytes> end() {
    return touched;
  }

  private TouchedBytes touched(Allocation allocation) {
    TouchedBytes bytes = allocation.touched();
    if (bytes == null) {
      bytes = new TouchedBytes(allocation, pages);
      allocation.setTouched(bytes);
    }
    if (bytes.isUntouched()) {
      touched.add(bytes);
    }
    return bytes;
  }
}
