package dev.streamfence.internal.ptx.run.machine;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.run.order.ThreadOrder;
import dev.streamfence.internal.ptx.syntax.StateSpace;

/** The memories as seen by one lane, with all checks of accesses. */
public final class LaneMemory {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  /** Stands for bytes that are written, in each of them. */
  private static final long WRITTEN = -1;

  private LaneMemory() {}

  /** Reads a scalar of 1, 2, 4 or 8 bytes. */
  @FunctionalInterface
  public interface Loader {
    long load(Lane lane, long address, int bytes);
  }

  /** Writes a scalar of 1, 2, 4 or 8 bytes. */
  @FunctionalInterface
  public interface Storer {
    void store(Lane lane, long address, int bytes, long value);
  }

  public static Loader loader(StateSpace space) {
    return switch (space) {
      case GLOBAL -> LaneMemory::loadGlobal;
      case SHARED -> LaneMemory::loadShared;
      case LOCAL -> LaneMemory::loadLocal;
      case CONST -> LaneMemory::loadConst;
      case PARAM -> LaneMemory::loadParam;
      case GENERIC, REG -> LaneMemory::loadGeneric;
    };
  }

  public static Storer storer(StateSpace space) {
    return switch (space) {
      case GLOBAL -> LaneMemory::storeGlobal;
      case SHARED -> LaneMemory::storeShared;
      case LOCAL -> LaneMemory::storeLocal;
      case PARAM -> LaneMemory::storeParam;
      case CONST -> LaneMemory::refuseStore;
      case GENERIC, REG -> LaneMemory::storeGeneric;
    };
  }

  public static void checkAligned(Lane lane, long address, int bytes) {
    if ((address & (bytes - 1)) != 0) {
      throw lane.fault(
          Reason.MISALIGNED, "makes an access of " + bytes + " bytes that is not aligned", address);
    }
  }

  private static long loadGlobal(Lane lane, long address, int bytes) {
    checkAligned(lane, address, bytes);
    try {
      long value = lane.block.memory.load(address, bytes);
      ThreadOrder order = lane.order;
      if (order != null) {
        order.loaded(lane.site(), address, bytes);
      }
      return value;
    } catch (PtxFault fault) {
      throw fault;
    } catch (RuntimeException refusal) {
      throw refused(lane, "load", address, bytes, refusal);
    }
  }

  private static void storeGlobal(Lane lane, long address, int bytes, long value) {
    checkAligned(lane, address, bytes);
    try {
      lane.block.memory.store(address, bytes, value);
      ThreadOrder order = lane.order;
      if (order != null) {
        order.stored(lane.site(), address, bytes);
      }
    } catch (PtxFault fault) {
      throw fault;
    } catch (RuntimeException refusal) {
      throw refused(lane, "store", address, bytes, refusal);
    }
  }

  private static PtxFault refused(
      Lane lane, String access, long address, int bytes, RuntimeException refusal) {
    String fact = "makes a " + access + " of " + bytes + " bytes that global memory refuses";
    return new PtxFault(
        Reason.GLOBAL_ACCESS,
        refusal.getMessage() == null ? fact : fact + " (" + refusal.getMessage() + ")",
        lane,
        address,
        refusal);
  }

  private static int within(
      Lane lane, long address, int bytes, int size, Reason reason, String memory) {
    long offset = address & LOW_32;
    if (offset + bytes > size) {
      throw lane.fault(
          reason, "reaches outside the " + size + " bytes of its " + memory + " memory", offset);
    }
    checkAligned(lane, offset, bytes);
    return (int) offset;
  }

  private static int shared(Lane lane, long address, int bytes) {
    return within(
        lane, address, bytes, lane.block.shared.length, Reason.SHARED_ACCESS, "block's shared");
  }

  private static int local(Lane lane, long address, int bytes) {
    return within(lane, address, bytes, lane.localEnd, Reason.LOCAL_ACCESS, "local");
  }

  private static long loadShared(Lane lane, long address, int bytes) {
    ThreadBlock block = lane.block;
    int offset = shared(lane, address, bytes);
    ThreadOrder order = lane.order;
    if (order != null) {
      long conflict = order.loadsShared(lane.site(), offset, bytes);
      if (conflict != 0) {
        report(lane, conflict, false, false, offset, bytes);
      }
    }
    byte[] written = block.written;
    if (written != null && !isSame(Bytes.get(written, offset, bytes), WRITTEN, bytes)) {
      block.memory.loadsUnwritten(lane, offset, bytes);
    }
    return Bytes.get(block.shared, offset, bytes);
  }

  private static void storeShared(Lane lane, long address, int bytes, long value) {
    ThreadBlock block = lane.block;
    int offset = shared(lane, address, bytes);
    ThreadOrder order = lane.order;
    if (order != null) {
      long conflict = order.storesShared(lane.site(), offset, bytes);
      if (conflict != 0) {
        long old = Bytes.get(block.shared, offset, bytes);
        report(lane, conflict, true, isSame(old, value, bytes), offset, bytes);
      }
    }
    if (block.written != null) {
      Bytes.put(block.written, offset, bytes, WRITTEN);
    }
    Bytes.put(block.shared, offset, bytes, value);
  }

  /**
   * Records a store to shared memory that the thread has begun and makes later: others may not
   * touch the place meanwhile.
   */
  public static void beginsStoreToShared(Lane lane, long address, int bytes) {
    int offset = shared(lane, address, bytes);
    ThreadOrder order = lane.order;
    long conflict = order == null ? 0 : order.storesShared(lane.site(), offset, bytes);
    if (conflict != 0) {
      report(lane, conflict, true, false, offset, bytes);
    }
  }

  /** Whether two values have the same low bytes. */
  public static boolean isSame(long one, long other, int bytes) {
    return (one ^ other) << (Long.SIZE - bytes * Byte.SIZE) == 0;
  }

  private static void report(
      Lane lane, long conflict, boolean stores, boolean sameValue, int offset, int bytes) {
    requireNonNull(lane.block.launchOrder)
        .report(
            conflict,
            requireNonNull(lane.order),
            lane.site(),
            stores,
            sameValue,
            true,
            offset,
            bytes);
  }

  private static long loadLocal(Lane lane, long address, int bytes) {
    return Bytes.get(lane.local, local(lane, address, bytes), bytes);
  }

  private static void storeLocal(Lane lane, long address, int bytes, long value) {
    Bytes.put(lane.local, local(lane, address, bytes), bytes, value);
  }

  private static long loadConst(Lane lane, long address, int bytes) {
    ConstantBank constants = lane.block.constants;
    int offset =
        within(lane, address, bytes, constants.size(), Reason.CONSTANT_ACCESS, "module's constant");
    try {
      return constants.load(lane.block.memory, offset, bytes);
    } catch (RuntimeException refusal) {
      throw refused(lane, "load", address, bytes, refusal);
    }
  }

  private static void refuseStore(Lane lane, long address, int bytes, long value) {
    throw lane.fault(Reason.CONSTANT_ACCESS, "stores to constant memory", address);
  }

  private static long loadParam(Lane lane, long address, int bytes) {
    int offset = within(lane, address, bytes, lane.params.length, Reason.LOCAL_ACCESS, "parameter");
    return Bytes.get(lane.params, offset, bytes);
  }

  private static void storeParam(Lane lane, long address, int bytes, long value) {
    int offset = within(lane, address, bytes, lane.params.length, Reason.LOCAL_ACCESS, "parameter");
    Bytes.put(lane.params, offset, bytes, value);
  }

  private static long loadGeneric(Lane lane, long address, int bytes) {
    return switch ((int) (address >>> 60)) {
      case 4 -> loadShared(lane, address, bytes);
      case 5 -> loadLocal(lane, address, bytes);
      case 6 -> loadConst(lane, address, bytes);
      case 7 -> loadEntryParam(lane, address, bytes);
      default -> loadGlobal(lane, address, bytes);
    };
  }

  private static long loadEntryParam(Lane lane, long address, int bytes) {
    byte[] params = lane.entryParams();
    int offset =
        within(lane, address, bytes, params.length, Reason.LOCAL_ACCESS, "entry's parameter");
    return Bytes.get(params, offset, bytes);
  }

  private static void storeGeneric(Lane lane, long address, int bytes, long value) {
    switch ((int) (address >>> 60)) {
      case 4 -> storeShared(lane, address, bytes, value);
      case 5 -> storeLocal(lane, address, bytes, value);
      case 6, 7 -> refuseStore(lane, address, bytes, value);
      default -> storeGlobal(lane, address, bytes, value);
    }
  }
}
