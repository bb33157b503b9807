package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Warp;
import dev.streamfence.internal.ptx.syntax.Lexer;
import dev.streamfence.internal.ptx.syntax.PtxGrid;

/** The predefined registers: the index of the thread, the shape of the launch, and the clocks. */
final class SpecialRegisters {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private SpecialRegisters() {}

  /** Reads one value of a lane. */
  @FunctionalInterface
  private interface Reader {
    long read(Lane lane);
  }

  /** Returns a step that puts a special register's value into a slot. */
  static Op read(Translation translation, String name, int slot) {
    Reader reader = reader(translation, name);
    return lane -> lane.registers[slot] = reader.read(lane);
  }

  private static long workspace(Lane lane) {
    lane.block.askedForWorkspace = true;
    return lane.block.workspace;
  }

  private static Reader reader(Translation translation, String name) {
    return switch (name) {
      case "%tid.x" -> lane -> lane.x;
      case "%tid.y" -> lane -> lane.y;
      case "%tid.z" -> lane -> lane.z;
      case "%ntid.x" -> lane -> lane.block.grid.blockX();
      case "%ntid.y" -> lane -> lane.block.grid.blockY();
      case "%ntid.z" -> lane -> lane.block.grid.blockZ();
      case "%ctaid.x" -> lane -> lane.block.x;
      case "%ctaid.y" -> lane -> lane.block.y;
      case "%ctaid.z" -> lane -> lane.block.z;
      case "%nctaid.x" -> lane -> lane.block.grid.gridX();
      case "%nctaid.y" -> lane -> lane.block.grid.gridY();
      case "%nctaid.z" -> lane -> lane.block.grid.gridZ();
      case "%laneid" -> lane -> lane.laneIndex;
      case "%warpid" -> lane -> lane.warp.index;
      case "%nwarpid" -> lane -> PtxGrid.MAX_BLOCK_THREADS / Warp.SIZE;
      case "%smid", "%gridid", "%clock_hi", "%globaltimer_hi" -> lane -> 0;
      // The workspace of a cooperative launch; the other registers are driver-internal and unused
      // here.
      case "%envreg1" -> lane -> workspace(lane) >>> 32;
      case "%envreg2" -> lane -> workspace(lane) & LOW_32;
      case "%nsmid" -> lane -> 1;
      // Each instruction takes one tick and one nanosecond: monotonic, and the same in every run.
      case "%clock", "%globaltimer_lo" -> lane -> lane.clock() & LOW_32;
      case "%clock64", "%globaltimer" -> Lane::clock;
      case "%lanemask_eq" -> lane -> (1L << lane.laneIndex);
      case "%lanemask_lt" -> lane -> (1L << lane.laneIndex) - 1;
      case "%lanemask_le" -> lane -> (2L << lane.laneIndex) - 1;
      case "%lanemask_gt" -> lane -> -(2L << lane.laneIndex) & LOW_32;
      case "%lanemask_ge" -> lane -> -(1L << lane.laneIndex) & LOW_32;
      case "%dynamic_smem_size" -> lane -> lane.block.grid.dynamicSharedBytes();
      case "%total_smem_size", "%aggr_smem_size" -> lane -> lane.block.shared.length;
      default ->
          throw translation.unsupported("'" + Lexer.shortened(name) + "' is not declared or known");
    };
  }
}
