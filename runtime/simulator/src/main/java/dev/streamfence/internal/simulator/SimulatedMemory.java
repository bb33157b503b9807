// Long because the same few maps know all memory, the runtime's and that of other code.
package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.simulator.AddressSpace.AddressRange;
import dev.streamfence.internal.simulator.AddressSpace.Freed;
import dev.streamfence.internal.simulator.AddressSpace.HeapExhausted;
import dev.streamfence.internal.simulator.bytes.Backing;
import dev.streamfence.internal.simulator.bytes.HeapMemory;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The driver calls that allocate and free, on the device and on the host, for the runtime and for
 * other code. Confined to the driver's lock.
 */
final class SimulatedMemory {
  /** Far from the device's addresses, however many of those are in use. */
  private static final long FIRST_HOST_ADDRESS = 0x7f00_0000_0000L;

  /** The largest size of a buffer. */
  private static final long MAX_HOST_BYTES = Integer.MAX_VALUE - 8;

  /** A variable of a module, and the load that initialized it. */
  private record Placed(long size, Submitted op) {}

  private final DeviceState state;
  private final Submissions submissions;
  private final HeapMemory heap;
  private final AddressSpace addresses;
  private final MappedMemory memory;
  private final @Nullable RaceChecker checker;

  /** Represents the order of allocations on no stream. */
  private final SimulatedStream host;

  private final Set<SimulatedHostMemory> hostMemory = new HashSet<>();

  /** The variables of modules by their addresses, unless nothing is checked. */
  private final Map<Long, Placed> placed = new HashMap<>();

  private long nextHostAddress;

  /**
   * Creates memory without allocations.
   *
   * @param base added to each address of host memory
   */
  SimulatedMemory(
      DeviceState state,
      Submissions submissions,
      HeapMemory heap,
      AddressSpace addresses,
      MappedMemory memory,
      @Nullable RaceChecker checker,
      SimulatedStream host,
      long base) {
    this.state = state;
    this.submissions = submissions;
    this.heap = heap;
    this.addresses = addresses;
    this.memory = memory;
    this.checker = checker;
    this.host = host;
    this.nextHostAddress = base + FIRST_HOST_ADDRESS;
  }

  /** The number of existing allocations. */
  int count() {
    return hostMemory.size() + addresses.count();
  }

  /** Bytes available to allocations at this moment. */
  long available() {
    return addresses.available();
  }

  long allocateAsync(long bytes, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    AddressRange range = range(bytes, known);
    long address = range.address();
    Backing memoryOfIt = range.bytes();
    Submitted op = submissions.submit(known, new Use("", address, bytes, false, false));
    if (checker != null) {
      checker.promised(op, address, bytes);
    }
    submissions.instant(
        known,
        op,
        () -> {
          memory.map(SimulatedAllocation.fresh(address, bytes, memoryOfIt));
          if (checker != null) {
            checker.allocated(op, address, bytes);
          }
        });
    return address;
  }

  void freeAsync(long address, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    Freed freed = free(address, known);
    Submitted op = submissions.submit(known, new Use("", address, 0, false, false));
    submissions.instant(
        known,
        op,
        () -> {
          memory.unmap(address);
          freed.carryOut();
          if (checker != null) {
            checker.freed(op, address);
          }
        });
  }

  long allocate(long bytes) {
    AddressRange range = range(bytes, host);
    memory.map(SimulatedAllocation.fresh(range.address(), bytes, range.bytes()));
    if (checker != null) {
      checker.allocated(submissions.onHost(state.call().function()), range.address(), bytes);
    }
    return range.address();
  }

  /** Does not wait, as the driver need not: work still queued finds the memory gone. */
  void free(long address) {
    freeAtOnce(address, state.call().function());
  }

  private void freeAtOnce(long address, String what) {
    Freed freed = free(address, host);
    memory.unmap(address);
    freed.carryOut();
    if (checker != null) {
      checker.freed(submissions.onHost(what, new Use("", address, 0, false, false)), address);
    }
  }

  /**
   * Allocates memory for other code.
   *
   * @param what the allocation, for reports
   */
  long allocateForeign(long bytes, String what) {
    if (bytes < 1) {
      throw new IllegalArgumentException(bytes + " bytes; an allocation has at least 1");
    }
    AddressRange range;
    try {
      range = range(bytes, host);
    } catch (CudaDriverException e) {
      throw new IllegalArgumentException(what + " " + bytes + " bytes: " + e.purpose(), e);
    }
    memory.map(SimulatedAllocation.fresh(range.address(), bytes, range.bytes()));
    if (checker != null) {
      checker.allocatedByOthers(submissions.onHost(what), range.address(), bytes);
    }
    return range.address();
  }

  /** Frees memory of other code. */
  void freeForeign(long address, String what) {
    freeAtOnce(address, what);
  }

  /** Frees memory of other code in the order of a stream. */
  void freeForeign(long address, String what, SimulatedStream stream) {
    Freed freed = free(address, stream);
    Submitted op =
        submissions.submit(
            stream,
            Submissions.on(what, stream),
            0,
            List.of(new Use("", address, 0, false, false)),
            false,
            null);
    submissions.instant(
        stream,
        op,
        () -> {
          memory.unmap(address);
          freed.carryOut();
          if (checker != null) {
            checker.freed(op, address);
          }
        });
  }

  /** Where an address lies; of memory whose allocation is queued, the size is rounded up. */
  PointerInfo pointerInfo(long address, int ordinal) {
    for (SimulatedHostMemory known : hostMemory) {
      if (address >= known.address() && address - known.address() < known.sizeInBytes()) {
        return new PointerInfo(
            PointerInfo.MemoryPlace.HOST, ordinal, known.address(), known.sizeInBytes());
      }
    }
    SimulatedAllocation mapped = memory.findOwn(address, 1);
    if (mapped != null) {
      return new PointerInfo(
          PointerInfo.MemoryPlace.DEVICE, ordinal, mapped.address(), mapped.size());
    }
    AddressRange range = addresses.containing(address);
    return range == null
        ? new PointerInfo(PointerInfo.MemoryPlace.UNKNOWN, -1, 0, 0)
        : new PointerInfo(PointerInfo.MemoryPlace.DEVICE, ordinal, range.address(), range.size());
  }

  /**
   * Allocates host memory.
   *
   * @param onAccess called when the host asks for its bytes
   */
  HostMemory allocateHost(long bytes, SimulatedHostMemory.HostAccess onAccess) {
    state.requireArgument(bytes > 0 && bytes <= MAX_HOST_BYTES, bytes + " bytes");
    SimulatedHostMemory allocated =
        heap.take(bytes, () -> new SimulatedHostMemory(nextHostAddress, (int) bytes, onAccess));
    if (allocated == null) {
      throw beyondTheHeap(bytes);
    }
    nextHostAddress += (bytes + 0xFFFF) & ~0xFFFFL;
    hostMemory.add(allocated);
    if (checker != null) {
      checker.allocatedHost(
          submissions.onHost(state.call().function()), allocated.address(), bytes);
    }
    return allocated;
  }

  /** Lets operations reach host memory, at the host's own address as on a device with UVA. */
  long deviceAddress(HostMemory known) {
    state.requireArgument(
        known instanceof SimulatedHostMemory allocated && hostMemory.contains(allocated),
        "host memory that is not allocated here");
    SimulatedHostMemory mapped = (SimulatedHostMemory) known;
    memory.map(
        new SimulatedAllocation(
            mapped.address(), mapped.sizeInBytes(), Backing.of(mapped.bytes().array())));
    return mapped.address();
  }

  void freeHost(HostMemory freed) {
    state.requireArgument(
        freed instanceof SimulatedHostMemory allocated && hostMemory.remove(allocated),
        "host memory that is not allocated here");
    heap.giveBack(freed.sizeInBytes());
    memory.unmap(freed.address());
    if (checker != null) {
      checker.freed(submissions.onHost(state.call().function()), freed.address());
      checker.forget(freed.address());
      checker.host().forget(freed.address());
    }
  }

  /** Records that the host accesses the bytes; the work that conflicts with that must be done. */
  void accessed(SimulatedHostMemory accessed, boolean writes) {
    if (checker != null && state.isUsable() && accessed.sizeInBytes() > 0) {
      Submitted op = byHost(accessed, writes);
      checker.host().begun(op, accessed.whole(), writes);
      checker.transferred(op);
    }
  }

  /** Records that the host's access is over, and watches the bytes from now on. */
  void accessEnded(SimulatedHostMemory accessed, String owner) {
    if (checker != null && state.isUsable()) {
      checker.host().ended(byHost(accessed, true), accessed, owner);
    }
  }

  private Submitted byHost(SimulatedHostMemory accessed, boolean writes) {
    return submissions.onHost(
        "the host", new Use("", accessed.address(), accessed.sizeInBytes(), !writes, writes));
  }

  /**
   * Allocates a variable of a module.
   *
   * @throws CudaDriverException if there is no memory for it
   */
  long place(long bytes) {
    long size = Math.max(1, bytes);
    AddressRange range = range(size, host);
    memory.map(SimulatedAllocation.fresh(range.address(), size, range.bytes()));
    if (checker != null) {
      checker.forget(range.address());
      placed.put(range.address(), new Placed(size, submissions.onHost(state.call().function())));
    }
    return range.address();
  }

  /** Watches a variable of a module from now on: the host may copy to and from it. */
  void watch(long variable) {
    Placed known = placed.get(variable);
    if (checker != null && known != null) {
      checker.watch(known.op(), variable, known.size());
    }
  }

  /** Frees the variables of a module. */
  void remove(List<Long> variables) {
    for (long variable : variables) {
      memory.unmap(variable);
      placed.remove(variable);
      if (checker != null) {
        checker.forget(variable);
      }
      Freed freed = addresses.free(variable, host);
      if (freed != null) {
        freed.carryOut();
      }
    }
  }

  private AddressRange range(long bytes, SimulatedStream stream) {
    state.requireArgument(bytes > 0, bytes + " bytes");
    try {
      AddressRange range = addresses.allocate(bytes, stream);
      if (range == null) {
        throw state.error(ResultCode.OUT_OF_MEMORY, "an allocation of " + bytes + " bytes");
      }
      return range;
    } catch (HeapExhausted e) {
      throw beyondTheHeap(bytes);
    }
  }

  private CudaDriverException beyondTheHeap(long bytes) {
    return state.error(
        ResultCode.OUT_OF_MEMORY,
        "an allocation of "
            + bytes
            + " bytes, for which the Java heap of at most "
            + Runtime.getRuntime().maxMemory()
            + " bytes (-Xmx) has no room");
  }

  private Freed free(long address, SimulatedStream stream) {
    Freed freed = addresses.free(address, stream);
    if (freed == null) {
      throw state.error(
          ResultCode.INVALID_VALUE, "0x" + Long.toHexString(address) + " is not allocated");
    }
    return freed;
  }
}
