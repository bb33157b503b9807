package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.KernelThread;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RacyAccessException.Operation;
import dev.streamfence.internal.ptx.run.order.ThreadConflict;
import dev.streamfence.internal.ptx.run.order.ThreadConflict.ConflictingAccess;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.simulator.LaunchAccesses.UnwrittenLoad;
import dev.streamfence.internal.simulator.SimulatedModule.KernelFunction;

/** Describes what threads of one launch do, for findings. Confined to the driver's lock. */
final class LaunchThreads {
  private final Submitted op;
  private final KernelFunction kernel;
  private final PtxGrid grid;
  private final MappedMemory memory;

  LaunchThreads(Submitted op, KernelFunction kernel, PtxGrid grid, MappedMemory memory) {
    this.op = op;
    this.kernel = kernel;
    this.grid = grid;
    this.memory = memory;
  }

  /** Two threads without an order; one that only reads comes first. */
  Finding describe(ThreadConflict conflict) {
    ConflictingAccess one = conflict.first();
    ConflictingAccess other = conflict.second();
    boolean bothStore = one.stores() && other.stores();
    ConflictingAccess first = other.stores() ? one : other;
    ConflictingAccess second = other.stores() ? other : one;
    Kind kind = bothStore ? Kind.THREADS_WRITE_WRITE : Kind.THREADS_READ_WRITE;
    return new Finding(
        conflict.sameValue() ? Kind.THREADS_SAME_VALUE : kind,
        operation(first, conflict),
        operation(second, conflict),
        conflict.address(),
        conflict.bytes());
  }

  /** A load of shared memory that nothing has written. */
  Finding describe(UnwrittenLoad load) {
    Operation loads = inShared(load.thread(), load.instruction(), load.offset());
    return new Finding(Kind.UNINITIALIZED_READ, loads, loads, load.offset(), load.bytes());
  }

  /** The kernel's name. */
  String kernel() {
    return kernel.entry().name();
  }

  private Operation operation(ConflictingAccess access, ThreadConflict conflict) {
    KernelThread thread = thread(access);
    long address = conflict.address();
    if (conflict.shared()) {
      return inShared(thread, access.instruction(), address);
    }
    SimulatedAllocation allocation = memory.find(address);
    long base = allocation == null ? address : allocation.address();
    long size = allocation == null ? 0 : allocation.size();
    return op.at(address, base, size, thread, place(access.instruction()));
  }

  private Operation inShared(KernelThread thread, Instruction instruction, long offset) {
    String variable = kernel.module().sharedVariable(kernel.entry().name(), offset);
    return op.inShared(variable, thread, place(instruction));
  }

  private String place(Instruction instruction) {
    return kernel.module().place(instruction, instruction.line());
  }

  private KernelThread thread(ConflictingAccess access) {
    int block = access.block();
    int thread = access.thread();
    return new KernelThread(
        block % grid.gridX(),
        block / grid.gridX() % grid.gridY(),
        block / grid.gridX() / grid.gridY(),
        thread % grid.blockX(),
        thread / grid.blockX() % grid.blockY(),
        thread / grid.blockX() / grid.blockY());
  }
}
