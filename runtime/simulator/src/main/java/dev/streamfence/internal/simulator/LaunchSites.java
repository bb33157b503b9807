package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of one launch first loaded from each allocation and first stored to it, for
 * reports. Confined to the driver's lock.
 */
final class LaunchSites {
  private record FirstAccesses(@Nullable Instruction load, @Nullable Instruction store) {}

  private final SimulatedModule module;
  private final Map<Long, FirstAccesses> byAddress = new HashMap<>();
  private String fault = "";

  LaunchSites(SimulatedModule module) {
    this.module = module;
  }

  /** Records the accesses to the allocation at an address. */
  void accessed(long address, @Nullable Instruction load, @Nullable Instruction store) {
    byAddress.put(address, new FirstAccesses(load, store));
  }

  /** Records the access that ended the launch. */
  void ended(String place) {
    fault = place;
  }

  /**
   * The instruction that makes the launch a part of a finding; empty if it is unknown.
   *
   * @param first whether the launch is the finding's first operation
   * @param address the allocation concerned
   */
  String of(Kind kind, boolean first, long address) {
    FirstAccesses known = byAddress.get(address);
    if (known == null) {
      return fault;
    }
    Instruction load = known.load();
    Instruction store = known.store();
    return switch (kind) {
      case WRITE_WRITE, UNDECLARED_WRITE, THREADS_WRITE_WRITE, THREADS_SAME_VALUE -> place(store);
      case READ_WRITE, THREADS_READ_WRITE -> place(first ? load : store);
      case WRITE_READ -> place(first ? store : load);
      case UNINITIALIZED_READ, UNDECLARED_READ, EQUAL_NUMBERS, UNDECLARED_NUMBER -> place(load);
      case USE_AFTER_FREE,
          FREE_WHILE_IN_USE,
          USE_BEFORE_READY,
          UNDECLARED_ALLOCATION,
          UNORDERED_HOST_WRITE ->
          place(load == null ? store : load);
    };
  }

  /** An instruction and its place in the code; empty for none. */
  String place(@Nullable Instruction instruction) {
    return instruction == null ? "" : module.place(instruction, instruction.line());
  }
}
