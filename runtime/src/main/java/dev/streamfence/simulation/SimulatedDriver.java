package dev.streamfence.simulation;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.FunctionAttributes;
import dev.streamfence.driver.HostMemory;
import dev.streamfence.driver.LaunchObserver;
import dev.streamfence.driver.LaunchObserver.Use;
import dev.streamfence.driver.MemoryInfo;
import dev.streamfence.ptx.BlockLimit;
import dev.streamfence.ptx.GlobalMemory;
import dev.streamfence.ptx.PtxEntry;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxFault;
import dev.streamfence.ptx.PtxGrid;
import dev.streamfence.ptx.PtxModule;
import dev.streamfence.ptx.PtxProgram;
import dev.streamfence.ptx.PtxVariable;
import dev.streamfence.simulation.AddressSpace.Freed;
import dev.streamfence.simulation.Declarations.Declaration;
import dev.streamfence.simulation.SimulatedModule.Function;
import dev.streamfence.simulation.SimulatedStream.Operation;
import dev.streamfence.simulation.SimulatedStream.Point;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The driver seam over a simulated device. Thread-safe by one lock, held while a kernel runs.
 *
 * <p>Longer than other files: it is one method per driver call, and each is short.
 */
final class SimulatedDriver implements CudaDriver {
  private static final class Event implements EventHandle {
    private @Nullable Point recorded;
  }

  /** Far from the device's, however many of those are used up. */
  private static final long FIRST_HOST_ADDRESS = 0x7f00_0000_0000L;

  private final DeviceProperties properties;
  private final FaultPlan plan;
  private final Runnable onClose;
  private final Scheduler scheduler;
  private final AddressSpace addresses;
  private final MappedMemory memory = new MappedMemory();
  private final Set<Event> events = new HashSet<>();
  private final Set<SimulatedHostMemory> hostMemory = new HashSet<>();
  private final Set<SimulatedModule> modules = new HashSet<>();
  private final SubmissionOrder order = new SubmissionOrder();
  private final Declarations declarations = new Declarations();
  private final Findings findings;
  private final @Nullable RaceChecker checker;
  private final boolean tracing;

  /** Stands for the order of what is allocated on no stream. */
  private final SimulatedStream host = new SimulatedStream(order.newStream());

  private long nextHostAddress = FIRST_HOST_ADDRESS;
  private @Nullable CudaDriverException fault;
  private boolean closed;

  SimulatedDriver(
      DeviceProperties properties,
      SimulatedDevice.Builder settings,
      FaultPlan plan,
      Findings findings,
      Runnable onClose) {
    this.properties = properties;
    this.plan = plan;
    this.findings = findings;
    this.onClose = onClose;
    this.scheduler = new Scheduler(settings.schedule(), settings.seed());
    this.tracing = settings.tracesSubmissions();
    this.checker =
        settings.checksRaces()
            ? new RaceChecker(settings.checksUninitializedReads(), this::found)
            : null;
    this.addresses = new AddressSpace(properties.totalMemoryInBytes());
  }

  synchronized int liveObjects() {
    return scheduler.count()
        + events.size()
        + hostMemory.size()
        + modules.size()
        + addresses.count();
  }

  synchronized void carryOutEverything() {
    scheduler.drainAll();
  }

  @Override
  public @Nullable LaunchObserver launchObserver() {
    return checker == null ? null : declarations;
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public synchronized MemoryInfo memoryInfo() {
    enter(DriverCall.MEMORY_INFO);
    return new MemoryInfo(addresses.available(), properties.totalMemoryInBytes());
  }

  /** The simulated pool is the whole memory and gives nothing back to anybody. */
  @Override
  public synchronized void keepFreedMemory(long bytes) {
    enter(DriverCall.KEEP_FREED_MEMORY);
  }

  @Override
  public synchronized StreamHandle createStream(int priority) {
    enter(DriverCall.CREATE_STREAM);
    SimulatedStream stream = new SimulatedStream(order.newStream());
    scheduler.add(stream);
    return stream;
  }

  @Override
  public synchronized void destroyStream(StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.DESTROY_STREAM, stream);
    scheduler.remove(known);
  }

  @Override
  public synchronized void synchronizeStream(StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.SYNCHRONIZE_STREAM, stream);
    scheduler.drain(known);
    order.hostKnows(order.reached(known.clock()));
    requireNoFault();
  }

  @Override
  public synchronized boolean isStreamIdle(StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.IS_STREAM_IDLE, stream);
    boolean idle = known.isIdle();
    if (idle) {
      order.hostKnows(order.reached(known.clock()));
    }
    scheduler.poll(known);
    requireNoFault();
    return idle;
  }

  @Override
  public synchronized void waitForEvent(StreamHandle stream, EventHandle event) {
    SimulatedStream known = enter(DriverCall.WAIT_FOR_EVENT, stream);
    Point point = require(DriverCall.WAIT_FOR_EVENT, event).recorded;
    if (point != null) {
      order.waited(known.clock(), point.clock());
      if (!point.isReached()) {
        scheduler.enqueue(known, new Operation.Wait(point));
      }
    }
  }

  @Override
  public synchronized EventHandle createEvent() {
    enter(DriverCall.CREATE_EVENT);
    Event event = new Event();
    events.add(event);
    return event;
  }

  @Override
  public synchronized void destroyEvent(EventHandle event) {
    enter(DriverCall.DESTROY_EVENT);
    events.remove(require(DriverCall.DESTROY_EVENT, event));
  }

  @Override
  public synchronized void recordEvent(EventHandle event, StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.RECORD_EVENT, stream);
    Point point = new Point(known, order.reached(known.clock()));
    require(DriverCall.RECORD_EVENT, event).recorded = point;
    scheduler.enqueue(known, new Operation.Reach(point));
  }

  @Override
  public synchronized void synchronizeEvent(EventHandle event) {
    enter(DriverCall.SYNCHRONIZE_EVENT);
    Point point = require(DriverCall.SYNCHRONIZE_EVENT, event).recorded;
    if (point != null) {
      scheduler.reach(point);
      order.hostKnows(point.clock());
      requireNoFault();
    }
  }

  @Override
  public synchronized boolean isEventComplete(EventHandle event) {
    enter(DriverCall.IS_EVENT_COMPLETE);
    Point point = require(DriverCall.IS_EVENT_COMPLETE, event).recorded;
    if (point == null || point.isReached()) {
      if (point != null) {
        order.hostKnows(point.clock());
      }
      return true;
    }
    scheduler.poll(point.stream());
    requireNoFault();
    return false;
  }

  @Override
  public synchronized long allocateAsync(long bytes, StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.ALLOCATE_ASYNC, stream);
    requireArgument(DriverCall.ALLOCATE_ASYNC, bytes > 0, bytes + " bytes");
    OptionalLong address =
        bytes > Integer.MAX_VALUE - 8 ? OptionalLong.empty() : addresses.allocate(bytes, known);
    if (address.isEmpty()) {
      throw error(DriverCall.ALLOCATE_ASYNC, ResultCode.OUT_OF_MEMORY, bytes + " bytes");
    }
    Submitted op =
        submit(
            known,
            DriverCall.ALLOCATE_ASYNC,
            new Use("", address.getAsLong(), bytes, false, false));
    if (checker != null) {
      checker.promised(op, address.getAsLong(), (int) bytes);
    }
    work(
        known,
        () -> {
          memory.map(address.getAsLong(), (int) bytes);
          if (checker != null) {
            checker.allocated(op, address.getAsLong(), (int) bytes);
          }
        });
    return address.getAsLong();
  }

  @Override
  public synchronized void freeAsync(long address, StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.FREE_ASYNC, stream);
    Freed freed = addresses.free(address, known);
    if (freed == null) {
      throw error(
          DriverCall.FREE_ASYNC,
          ResultCode.INVALID_VALUE,
          "0x" + Long.toHexString(address) + " is not allocated");
    }
    Submitted op = submit(known, DriverCall.FREE_ASYNC, new Use("", address, 0, false, false));
    work(
        known,
        () -> {
          memory.unmap(address);
          freed.carryOut();
          if (checker != null) {
            checker.freed(op, address);
          }
        });
  }

  @Override
  public synchronized long allocate(long bytes) {
    enter(DriverCall.ALLOCATE);
    requireArgument(DriverCall.ALLOCATE, bytes > 0, bytes + " bytes");
    OptionalLong address =
        bytes > Integer.MAX_VALUE - 8 ? OptionalLong.empty() : addresses.allocate(bytes, host);
    if (address.isEmpty()) {
      throw error(DriverCall.ALLOCATE, ResultCode.OUT_OF_MEMORY, bytes + " bytes");
    }
    memory.map(address.getAsLong(), (int) bytes);
    return address.getAsLong();
  }

  /** Waits for nothing, as the driver need not: work that is still queued finds the memory gone. */
  @Override
  public synchronized void free(long address) {
    enter(DriverCall.FREE);
    Freed freed = addresses.free(address, host);
    requireArgument(
        DriverCall.FREE, freed != null, "0x" + Long.toHexString(address) + " is not allocated");
    memory.unmap(address);
    requireNonNull(freed).carryOut();
  }

  @Override
  public synchronized HostMemory allocateHost(long bytes) {
    enter(DriverCall.ALLOCATE_HOST);
    requireArgument(
        DriverCall.ALLOCATE_HOST, bytes > 0 && bytes <= Integer.MAX_VALUE - 8, bytes + " bytes");
    SimulatedHostMemory allocated =
        new SimulatedHostMemory(nextHostAddress, (int) bytes, this::hostAccess);
    nextHostAddress += (bytes + 0xFFFF) & ~0xFFFFL;
    hostMemory.add(allocated);
    if (checker != null) {
      checker.allocatedHost(onHost(DriverCall.ALLOCATE_HOST), allocated.address(), (int) bytes);
    }
    return allocated;
  }

  @Override
  public synchronized void freeHost(HostMemory memory) {
    enter(DriverCall.FREE_HOST);
    requireArgument(
        DriverCall.FREE_HOST,
        memory instanceof SimulatedHostMemory allocated && hostMemory.remove(allocated),
        "host memory that is not allocated here");
    if (checker != null) {
      checker.freed(onHost(DriverCall.FREE_HOST), memory.address());
      checker.forget(memory.address());
    }
  }

  @Override
  public synchronized void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.COPY_TO_DEVICE_ASYNC, stream);
    requireRange(DriverCall.COPY_TO_DEVICE_ASYNC, source, sourceOffset, bytes);
    transfer(
        known,
        DriverCall.COPY_TO_DEVICE_ASYNC,
        submit(
            known,
            DriverCall.COPY_TO_DEVICE_ASYNC,
            new Use("source", source.address() + sourceOffset, bytes, true, false),
            new Use("destination", destination, bytes, false, true)),
        () -> {
          Allocation target = memory.require(destination, bytes);
          ((SimulatedHostMemory) source)
              .bytes()
              .get((int) sourceOffset, target.bytes(), target.offset(destination), (int) bytes);
        });
  }

  @Override
  public synchronized void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.COPY_TO_HOST_ASYNC, stream);
    requireRange(DriverCall.COPY_TO_HOST_ASYNC, destination, destinationOffset, bytes);
    transfer(
        known,
        DriverCall.COPY_TO_HOST_ASYNC,
        submit(
            known,
            DriverCall.COPY_TO_HOST_ASYNC,
            new Use("source", source, bytes, true, false),
            new Use("destination", destination.address() + destinationOffset, bytes, false, true)),
        () -> {
          Allocation from = memory.require(source, bytes);
          ((SimulatedHostMemory) destination)
              .bytes()
              .put((int) destinationOffset, from.bytes(), from.offset(source), (int) bytes);
        });
  }

  @Override
  public synchronized void copyOnDeviceAsync(
      long destination, long source, long bytes, StreamHandle stream) {
    SimulatedStream known = enter(DriverCall.COPY_ON_DEVICE_ASYNC, stream);
    transfer(
        known,
        DriverCall.COPY_ON_DEVICE_ASYNC,
        submit(
            known,
            DriverCall.COPY_ON_DEVICE_ASYNC,
            new Use("source", source, bytes, true, false),
            new Use("destination", destination, bytes, false, true)),
        () -> {
          Allocation from = memory.require(source, bytes);
          Allocation to = memory.require(destination, bytes);
          System.arraycopy(
              from.bytes(), from.offset(source), to.bytes(), to.offset(destination), (int) bytes);
        });
  }

  @Override
  public synchronized void fill8Async(
      long destination, byte value, long count, StreamHandle stream) {
    fill(DriverCall.FILL_8_ASYNC, destination, 1, 1, value, count, stream);
  }

  @Override
  public synchronized void fill16Async(
      long destination, short value, long count, StreamHandle stream) {
    fill(DriverCall.FILL_16_ASYNC, destination, 2, 2, value, count, stream);
  }

  @Override
  public synchronized void fill32Async(
      long destination, int value, long count, StreamHandle stream) {
    fill(DriverCall.FILL_32_ASYNC, destination, 4, 4, value, count, stream);
  }

  @Override
  public synchronized void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    fill(DriverCall.FILL_32_STRIDED_ASYNC, destination, pitch, 4, value, count, stream);
  }

  @Override
  public synchronized ModuleHandle loadModule(String name, byte[] image) {
    enter(DriverCall.LOAD_MODULE);
    try {
      PtxModule ptx = PtxModule.parse(new String(image, StandardCharsets.UTF_8));
      if (!ptx.runsOn(properties.computeMajor(), properties.computeMinor())) {
        throw new KernelLoadException(
            name, "the device answered CUDA_ERROR_NO_BINARY_FOR_GPU (209)", "", null);
      }
      PtxProgram program = PtxProgram.translate(ptx);
      long[] variables = place(program.globals());
      SimulatedModule module =
          new SimulatedModule(
              name,
              ptx,
              program.instantiate(memory, variables),
              variables,
              properties.sharedBytesPerBlock());
      modules.add(module);
      return module;
    } catch (PtxException e) {
      throw new KernelLoadException(
          name, "the simulated device cannot run it: " + e.getMessage(), "", e);
    }
  }

  @Override
  public synchronized void unloadModule(ModuleHandle module) {
    enter(DriverCall.UNLOAD_MODULE);
    SimulatedModule known = (SimulatedModule) module;
    requireArgument(DriverCall.UNLOAD_MODULE, modules.remove(known), "a module that is not loaded");
    scheduler.drainAll();
    for (long variable : known.variables()) {
      memory.unmap(variable);
      Freed freed = addresses.free(variable, host);
      if (freed != null) {
        freed.carryOut();
      }
    }
  }

  @Override
  public synchronized FunctionHandle function(ModuleHandle module, String entry) {
    enter(DriverCall.FUNCTION);
    SimulatedModule known = (SimulatedModule) module;
    return known
        .function(entry)
        .orElseThrow(
            () -> new KernelLoadException(known.name(), "there is no entry " + entry, "", null));
  }

  @Override
  public synchronized FunctionAttributes attributes(FunctionHandle function) {
    enter(DriverCall.ATTRIBUTES);
    PtxEntry entry = ((Function) function).entry();
    int most = properties.maxThreadsPerBlock();
    return new FunctionAttributes(
        entry.blockLimit().map(limit -> Math.min(limit.threads(), most)).orElse(most),
        (int) entry.staticSharedBytes());
  }

  @Override
  public synchronized void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    enter(DriverCall.ALLOW_DYNAMIC_SHARED_BYTES);
    Function known = (Function) function;
    requireArgument(
        DriverCall.ALLOW_DYNAMIC_SHARED_BYTES,
        bytes >= 0
            && bytes + known.entry().staticSharedBytes() <= properties.sharedBytesPerBlockOptIn(),
        bytes + " bytes of dynamic shared memory");
    known.allowDynamicSharedBytes(bytes);
  }

  @Override
  public synchronized int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    enter(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR);
    requireArgument(
        DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR,
        blockThreads > 0 && dynamicSharedBytes >= 0,
        "blocks have at least one thread");
    PtxEntry entry = ((Function) function).entry();
    return Residency.blocks(blockThreads, entry.staticSharedBytes() + dynamicSharedBytes);
  }

  @Override
  public synchronized void launchKernel(
      FunctionHandle function,
      boolean cooperative,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int dynamicSharedBytes,
      StreamHandle stream,
      HostMemory parameters) {
    DriverCall call = DriverCall.launch(cooperative);
    Declaration declaration = declarations.take(stream);
    SimulatedStream known = enter(call, stream);
    Function kernel = (Function) function;
    long threads = (long) blockX * blockY * blockZ;
    requireArgument(
        call,
        Math.min(Math.min(gridX, gridY), gridZ) > 0
            && Math.min(Math.min(blockX, blockY), blockZ) > 0
            && gridY <= properties.maxGridY()
            && gridZ <= properties.maxGridZ()
            && blockZ <= properties.maxBlockZ()
            && threads <= properties.maxThreadsPerBlock(),
        "the shape is outside the device's limits");
    Optional<BlockLimit> limit = kernel.entry().blockLimit();
    requireArgument(
        call,
        limit.isEmpty() || limit.get().allows(blockX, blockY, blockZ),
        "the kernel allows other blocks");
    requireArgument(
        call,
        dynamicSharedBytes <= kernel.allowedDynamicSharedBytes(),
        dynamicSharedBytes + " bytes of dynamic shared memory are not allowed");
    if (cooperative) {
      requireResident(
          (long) gridX * gridY * gridZ,
          Residency.blocks((int) threads, kernel.entry().staticSharedBytes() + dynamicSharedBytes));
    }
    byte[] arguments = kernel.arguments(parameters);
    PtxGrid grid = new PtxGrid(gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicSharedBytes);
    SimulatedModule module = kernel.module();
    String entry = kernel.entry().name();
    Submitted op =
        declaration == null
            ? submit(known, entry, 0, kernel.pointers(arguments), false)
            : submit(known, declaration.purpose(), declaration.ticket(), declaration.uses(), true);
    work(known, () -> launch(op, module, entry, cooperative, grid, arguments));
  }

  private void requireResident(long blocks, int perMultiprocessor) {
    if (blocks > (long) perMultiprocessor * properties.multiprocessors()) {
      int code = ResultCode.COOPERATIVE_LAUNCH_TOO_LARGE;
      String call = DriverCall.LAUNCH_COOPERATIVE_KERNEL.function();
      throw new CudaDriverException(call, code, ResultCode.name(code));
    }
  }

  private void launch(
      Submitted op,
      SimulatedModule module,
      String entry,
      boolean cooperative,
      PtxGrid grid,
      byte[] arguments) {
    LaunchAccesses accesses = checker == null ? null : checker.begin(memory);
    PtxFault thrown = null;
    try {
      GlobalMemory seen = accesses == null ? memory : accesses;
      if (cooperative) {
        module.instance().runTogether(entry, grid, arguments, seen);
      } else {
        module.instance().run(entry, grid, arguments, seen);
      }
    } catch (PtxFault e) {
      thrown = e;
    }
    if (checker != null && accesses != null) {
      checker.launched(op, accesses);
    }
    if (thrown != null
        && !(thrown.getCause() instanceof IllegalAccess refusal && isExplained(op, refusal))) {
      lose(KernelFault.of(thrown, module.name()));
    }
  }

  @Override
  public synchronized void synchronizeDevice() {
    enter(DriverCall.SYNCHRONIZE_DEVICE);
    scheduler.drainAll();
    scheduler.forEach(stream -> order.hostKnows(order.reached(stream.clock())));
    requireNoFault();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    onClose.run();
  }

  private long[] place(List<PtxVariable> globals) {
    long[] placed = new long[globals.size()];
    for (int i = 0; i < placed.length; i++) {
      int size = Math.max(1, Math.toIntExact(globals.get(i).sizeInBytes()));
      placed[i] =
          addresses
              .allocate(size, host)
              .orElseThrow(
                  () -> error(DriverCall.LOAD_MODULE, ResultCode.OUT_OF_MEMORY, size + " bytes"));
      memory.map(placed[i], size);
      if (checker != null) {
        checker.forget(placed[i]);
      }
    }
    return placed;
  }

  private void fill(
      DriverCall call,
      long destination,
      long pitch,
      int width,
      long value,
      long count,
      StreamHandle stream) {
    SimulatedStream known = enter(call, stream);
    requireArgument(call, destination % width == 0 && pitch % width == 0, "a misaligned address");
    Submitted op =
        submit(
            known,
            call,
            new Use("destination", destination, (count - 1) * pitch + width, false, true));
    access(
        known,
        call,
        op,
        () -> {
          memory.require(destination, (count - 1) * pitch + width);
          for (long i = 0; i < count; i++) {
            memory.store(destination + i * pitch, width, value);
          }
          if (checker != null) {
            checker.filled(op, destination, pitch, width, count);
          }
        });
  }

  private void transfer(SimulatedStream stream, DriverCall call, Submitted op, Runnable run) {
    access(
        stream,
        call,
        op,
        () -> {
          run.run();
          if (checker != null) {
            checker.transferred(op);
          }
        });
  }

  private void access(SimulatedStream stream, DriverCall call, Submitted op, Runnable run) {
    work(
        stream,
        () -> {
          try {
            run.run();
          } catch (IllegalAccess e) {
            if (!isExplained(op, e)) {
              lose(error(call, ResultCode.ILLEGAL_ADDRESS, e.fact()));
            }
          }
        });
  }

  private boolean isExplained(Submitted op, IllegalAccess refusal) {
    return checker != null && checker.explains(op, refusal.address());
  }

  private Submitted submit(SimulatedStream stream, DriverCall call, Use... uses) {
    return submit(stream, call.function(), 0, List.of(uses), false);
  }

  private Submitted submit(
      SimulatedStream stream, String what, long ticket, List<Use> uses, boolean declared) {
    return new Submitted(
        what,
        order.submit(stream.clock()),
        ticket,
        uses,
        declared,
        tracing ? new Submitted.Here(what) : null);
  }

  /** The host has the bytes in its hands from now on; what it finds there must be done. */
  private synchronized void hostAccess(SimulatedHostMemory accessed) {
    if (checker != null && accessed.sizeInBytes() > 0) {
      checker.transferred(
          onHost("the host", new Use("", accessed.address(), accessed.sizeInBytes(), false, true)));
    }
  }

  private Submitted onHost(DriverCall call) {
    return onHost(call.function());
  }

  private Submitted onHost(String what, Use... uses) {
    return new Submitted(
        what, order.onHost(), 0, List.of(uses), false, tracing ? new Submitted.Here(what) : null);
  }

  /** A wrong access ends the device unless it is only collected. */
  private void found(Finding finding) {
    if (!findings.take(finding)) {
      lose(
          new CudaDriverException(
              DriverCall.LAUNCH_KERNEL.function(),
              ResultCode.LAUNCH_FAILED,
              ResultCode.name(ResultCode.LAUNCH_FAILED),
              "an asynchronous operation, " + finding.second().what(),
              new RacyAccessException(finding)));
    }
  }

  private void work(SimulatedStream stream, Runnable run) {
    scheduler.enqueue(stream, new Operation.Work(run));
  }

  /** The first fault is the device's for good; whatever is queued will never run. */
  private void lose(CudaDriverException first) {
    if (fault == null) {
      fault = first;
      scheduler.abandonAll();
    }
  }

  private void enter(DriverCall call) {
    if (closed) {
      throw error(call, ResultCode.DEINITIALIZED, "the device is closed");
    }
    plan.enter(call);
    requireNoFault(call);
  }

  private SimulatedStream enter(DriverCall call, StreamHandle stream) {
    enter(call);
    if (stream instanceof SimulatedStream known && scheduler.has(known)) {
      return known;
    }
    throw error(call, ResultCode.INVALID_HANDLE, "a stream that does not exist here");
  }

  private Event require(DriverCall call, EventHandle event) {
    if (event instanceof Event known && events.contains(known)) {
      return known;
    }
    throw error(call, ResultCode.INVALID_HANDLE, "an event that does not exist here");
  }

  private void requireNoFault() {
    if (fault != null) {
      throw fault;
    }
  }

  private void requireNoFault(DriverCall call) {
    if (fault != null) {
      throw new CudaDriverException(
          call.function(), fault.code(), fault.codeName(), fault.purpose(), fault.getCause());
    }
  }

  private void requireRange(DriverCall call, HostMemory host, long offset, long bytes) {
    requireArgument(
        call,
        host instanceof SimulatedHostMemory
            && offset >= 0
            && bytes >= 0
            && offset <= host.sizeInBytes() - bytes,
        bytes + " bytes from offset " + offset + " of host memory");
  }

  private void requireArgument(DriverCall call, boolean valid, String what) {
    if (!valid) {
      throw error(call, ResultCode.INVALID_VALUE, what);
    }
  }

  private static CudaDriverException error(DriverCall call, int code, String what) {
    return new CudaDriverException(call.function(), code, ResultCode.name(code), what, null);
  }
}
