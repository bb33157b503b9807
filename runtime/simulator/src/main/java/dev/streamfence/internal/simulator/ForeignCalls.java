package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.simulator.Declarations.LaunchDeclaration;
import dev.streamfence.internal.simulator.schedule.ModelledTime;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedKernel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What code that is not the runtime's does with the device. Its calls are neither counted nor made
 * to fail. Each returns a number, 0 if it has none to return. Confined to the driver's lock.
 */
final class ForeignCalls {
  private static final String STREAM = "stream";
  private static final String EVENT = "event";
  private static final String MEMORY = "memory at";

  private final DeviceState state;
  private final SimulatedStreams streams;
  private final SimulatedMemory memory;
  private final Submissions submissions;
  private final MappedMemory mapped;
  private final @Nullable RaceChecker checker;
  private final Declarations declarations;

  /** The library that each stream, event and allocation belongs to, by kind. */
  private final Map<String, Map<Long, ForeignLibrary>> owners = new HashMap<>();

  ForeignCalls(
      DeviceState state,
      SimulatedStreams streams,
      SimulatedMemory memory,
      Submissions submissions,
      MappedMemory mapped,
      @Nullable RaceChecker checker,
      Declarations declarations) {
    this.state = state;
    this.streams = streams;
    this.memory = memory;
    this.submissions = submissions;
    this.mapped = mapped;
    this.checker = checker;
    this.declarations = declarations;
  }

  /** The number of existing streams, events and allocations of libraries. */
  int count() {
    return owners.values().stream().mapToInt(Map::size).sum();
  }

  /** Throws if the device does not work. */
  void requireUsable() {
    requireNoFault(DriverCall.LAUNCH_KERNEL);
    if (!state.isUsable()) {
      throw new IllegalStateException("the simulated device is closed");
    }
  }

  long createStream(ForeignLibrary library) {
    return own(library, STREAM, streams.addStream());
  }

  long destroyStream(ForeignLibrary library, long stream) {
    outsideCapture(stream);
    disown(library, stream, STREAM);
    streams.removeStream(stream);
    return 0;
  }

  long synchronize(long stream) {
    streams.drain(outsideCapture(stream));
    requireNoFault(DriverCall.SYNCHRONIZE_STREAM);
    return 0;
  }

  /** The runtime does not learn what is thrown here. */
  private void requireNoFault(DriverCall call) {
    CudaDriverException fault = state.fault(call);
    if (fault != null) {
      throw fault;
    }
  }

  long beginCapture(long stream) {
    outsideCapture(stream).beginCapture();
    return 0;
  }

  long endCapture(long stream) {
    SimulatedStream known = streams.stream(stream);
    if (!known.isCapturing()) {
      throw new IllegalStateException(inWords(stream) + " is not being captured");
    }
    return known.endCapture();
  }

  /** A stream for a call that cannot be captured. */
  private SimulatedStream outsideCapture(long stream) {
    SimulatedStream known = streams.stream(stream);
    if (known.isCapturing()) {
      throw new IllegalStateException(inWords(stream) + " is being captured");
    }
    return known;
  }

  private static String inWords(long stream) {
    return STREAM + " 0x" + Long.toHexString(stream);
  }

  long createEvent(ForeignLibrary library) {
    return own(library, EVENT, streams.addEvent());
  }

  long destroyEvent(ForeignLibrary library, long event) {
    disown(library, event, EVENT);
    streams.removeEvent(event);
    return 0;
  }

  long recordEvent(long event, long stream) {
    streams.record(event, outsideCapture(stream));
    return 0;
  }

  long waitForEvent(long stream, long event) {
    streams.await(outsideCapture(stream), event);
    return 0;
  }

  long isDone(long event) {
    return streams.isDone(event) ? 1 : 0;
  }

  long allocate(ForeignLibrary library, long bytes) {
    state.enterForeign(DriverCall.ALLOCATE);
    return own(library, MEMORY, memory.allocateForeign(bytes, library + " allocates"));
  }

  long free(ForeignLibrary library, long address) {
    disown(library, address, MEMORY);
    memory.freeForeign(address, library + " frees its memory");
    return 0;
  }

  long free(ForeignLibrary library, long address, long stream) {
    SimulatedStream known = outsideCapture(stream);
    disown(library, address, MEMORY);
    memory.freeForeign(address, library + " frees its memory", known);
    return 0;
  }

  long launch(ForeignLibrary library, long stream, String kernel, SimulatedKernel code) {
    SimulatedStream known = streams.stream(stream);
    if (known.isCapturing()) {
      known.capture();
      return 0;
    }
    LaunchDeclaration scope = declarations.scope(known);
    String what = kernel + " of " + library;
    Submitted op =
        scope == null
            ? submissions.submit(known, Submissions.on(what, known), 0, List.of(), false, null)
            : submissions.submit(
                known, what + " in " + scope.purpose(), scope.ticket(), scope.uses(), true, null);
    submissions.access(known, op, ModelledTime.kernel(0), () -> run(op, code));
    return 0;
  }

  private void run(Submitted op, SimulatedKernel code) {
    LaunchAccesses accesses = checker == null ? null : checker.begin(mapped, op);
    GlobalMemory seen = accesses == null ? mapped : accesses;
    ForeignAccess access = new ForeignAccess(seen);
    try {
      code.run(access);
    } finally {
      access.end();
      if (checker != null && accesses != null) {
        checker.launched(op, accesses);
      }
    }
  }

  private long own(ForeignLibrary library, String kind, long number) {
    owners.computeIfAbsent(kind, k -> new HashMap<>()).put(number, library);
    return number;
  }

  private void disown(ForeignLibrary library, long number, String kind) {
    if (!owners.computeIfAbsent(kind, k -> new HashMap<>()).remove(number, library)) {
      throw new IllegalArgumentException(
          kind + " 0x" + Long.toHexString(number) + " does not belong to " + library);
    }
  }
}
