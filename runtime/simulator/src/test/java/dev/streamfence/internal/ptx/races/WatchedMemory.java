package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.random.RandomLaunch;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.order.AccessCells;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Memory at all addresses, with small numbers, or with distinct ones from an address on, that notes
 * which threads conflict.
 */
final class WatchedMemory implements GlobalMemory {
  /** Where no two elements of 4 bytes are equal, whatever a kernel stores there. */
  static final long DISTINCT = 1L << 58;

  private static final int PAGE = 4096;

  private final LaunchOrder order = new LaunchOrder();
  private final Map<Long, AccessCells> pages = new HashMap<>();
  private final long data;
  private @Nullable Lane running;

  /**
   * Creates a memory.
   *
   * @param data chooses the numbers in it
   */
  WatchedMemory(long data) {
    this.data = data;
  }

  @Override
  public LaunchOrder order() {
    return order;
  }

  @Override
  public void enters(Lane lane) {
    running = lane;
  }

  @Override
  public long load(long address, int bytes) {
    touch(address, bytes, false);
    return address >= DISTINCT / 2 && address < 2 * DISTINCT
        ? RandomLaunch.distinct((address - DISTINCT) / 4)
        : (address ^ data) * 0x9E37_79B9_7F4A_7C15L >>> 60;
  }

  @Override
  public void store(long address, int bytes, long value) {
    touch(address, bytes, true);
  }

  private void touch(long address, int bytes, boolean stores) {
    Lane lane = running;
    AccessCells cells =
        pages.computeIfAbsent(Math.floorDiv(address, PAGE), page -> order.cells(PAGE));
    int place = Math.floorMod(address, PAGE);
    if (lane == null || lane.order == null || cells == null) {
      return;
    }
    long conflict =
        stores
            ? lane.order.stores(lane.site(), cells, place, bytes)
            : lane.order.loads(lane.site(), cells, place, bytes);
    if (conflict != 0) {
      order.report(conflict, lane.order, lane.site(), stores, false, false, address, bytes);
    }
  }
}
