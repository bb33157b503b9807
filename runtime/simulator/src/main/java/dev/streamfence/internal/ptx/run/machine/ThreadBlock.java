package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.run.order.BlockOrder;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of one block after another, taking turns within a block: a thread runs until it
 * waits, ends, or has used up its share. The order depends only on the program and its input.
 */
public final class ThreadBlock {
  /** Long enough to make turns cheap, short enough to limit the cost of spinning threads. */
  static final int QUANTUM = 4096;

  /** Turns after which a lane no longer waits for its warp to stop. */
  private static final int PATIENCE = 8;

  private static final int BARRIERS = 16;

  final GlobalMemory memory;
  public final PtxGrid grid;
  public final long workspace;
  public boolean askedForWorkspace;
  final byte[] parameters;
  final ConstantBank constants;
  final long[][] templates;
  public final Code[] codes;
  public final byte[] shared;
  public final int dynamicSharedBase;
  final LaunchBudget budget;
  final @Nullable LaunchOrder launchOrder;
  final @Nullable BlockOrder order;

  /**
   * A byte for each of shared memory, with all bits set once the block has written it; null if that
   * is not wanted.
   */
  final byte @Nullable [] written;

  private final Consumer<String> output;
  final Warp[] warps;
  public int x;
  public int y;
  public int z;
  int live;
  int converging;

  private final Code entry;
  private final Lane[] lanes;
  private final BlockBarrier[] barriers = new BlockBarrier[BARRIERS];

  public ThreadBlock(
      Code entry,
      PtxGrid grid,
      long workspace,
      byte[] parameters,
      GlobalMemory memory,
      LinkedCode linked,
      LaunchBudget budget,
      Consumer<String> output,
      int staticSharedBytes) {
    this.entry = entry;
    this.grid = grid;
    this.workspace = workspace;
    this.parameters = parameters;
    this.memory = memory;
    this.constants = linked.constants;
    this.templates = linked.templates;
    this.codes = linked.codes;
    this.budget = budget;
    this.output = output;
    // Drivers align dynamic shared memory in the same way.
    this.dynamicSharedBase = (int) Layout.aligned(staticSharedBytes, 16);
    int dynamic = grid.dynamicSharedBytes();
    this.shared = new byte[dynamic == 0 ? staticSharedBytes : dynamicSharedBase + dynamic];
    int threads = grid.blockThreads();
    launchOrder = memory.order();
    order = launchOrder == null ? null : launchOrder.block(threads, shared.length);
    written = memory.watchesUnwritten() ? new byte[shared.length] : null;
    warps = new Warp[(threads + Warp.SIZE - 1) / Warp.SIZE];
    lanes = new Lane[threads];
    for (int w = 0; w < warps.length; w++) {
      int size = Math.min(Warp.SIZE, threads - w * Warp.SIZE);
      warps[w] = new Warp(w, size, order == null ? null : order.warp(w));
    }
    for (int i = 0; i < threads; i++) {
      Warp warp = warps[i / Warp.SIZE];
      lanes[i] = new Lane(this, warp, i, grid);
      warp.lanes[i % Warp.SIZE] = lanes[i];
    }
    for (int i = 0; i < BARRIERS; i++) {
      barriers[i] = new BlockBarrier(this, warps.length, threads);
    }
  }

  String entryName() {
    return entry.function.name();
  }

  int threads() {
    return lanes.length;
  }

  /** Hands out a text that a thread prints. */
  public void print(String text) {
    output.accept(text);
  }

  /** Runs the block with this index from its start to its end. */
  public void run(int blockX, int blockY, int blockZ) {
    start(blockX, blockY, blockZ);
    boolean goesOn;
    do {
      goesOn = turn();
    } while (goesOn);
  }

  /** Puts all threads at the start of the block with this index. */
  public void start(int blockX, int blockY, int blockZ) {
    x = blockX;
    y = blockY;
    z = blockZ;
    live = lanes.length;
    converging = 0;
    Bytes.markUnwritten(shared, 0, shared.length);
    budget.clear(shared.length);
    if (order != null) {
      order.start();
    }
    if (written != null) {
      Arrays.fill(written, (byte) 0);
    }
    for (Warp warp : warps) {
      warp.start();
    }
    for (BlockBarrier barrier : barriers) {
      barrier.start();
    }
    for (Lane lane : lanes) {
      lane.start(entry);
    }
  }

  /**
   * Runs each ready thread for its share of instructions.
   *
   * @return whether any thread is left
   */
  public boolean turn() {
    boolean progress = runReady();
    if (converging > 0) {
      progress |= converge();
    }
    if (!progress && live > 0) {
      throw stuck();
    }
    return live > 0;
  }

  private boolean runReady() {
    boolean progress = false;
    for (Lane lane : lanes) {
      if (lane.state == Lane.LaneState.READY) {
        lane.run();
        progress = true;
      }
    }
    return progress;
  }

  private boolean converge() {
    boolean progress = false;
    for (Warp warp : warps) {
      progress |= Convergence.release(warp, PATIENCE);
    }
    return progress;
  }

  private PtxFault stuck() {
    Lane first = lanes[0];
    int waiting = 0;
    for (Lane lane : lanes) {
      if (lane.state != Lane.LaneState.EXITED) {
        if (waiting == 0) {
          first = lane;
        }
        waiting++;
      }
    }
    return first.fault(
        Reason.BARRIER_DIVERGENCE,
        "deadlocks at a barrier: "
            + (waiting + " of " + lanes.length + " threads wait for others that never arrive"),
        0);
  }

  void exited(Lane lane) {
    live--;
    lane.warp.remove(lane);
    for (BlockBarrier barrier : barriers) {
      barrier.openIfComplete();
    }
  }

  /** Returns one of the numbered barriers. */
  public BlockBarrier barrier(Lane lane, long number) {
    if (number < 0 || number >= BARRIERS) {
      throw lane.fault(
          Reason.BARRIER_DIVERGENCE, "uses barrier " + number + "; a block has " + BARRIERS, 0);
    }
    return barriers[(int) number];
  }
}
