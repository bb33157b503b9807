// Long because the driver interface has many calls, with one method each.
package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.simulator.bytes.HeapMemory;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The driver of a simulated device: one lock around its parts, each with the calls of one kind.
 * Thread-safe through that lock, which is held while a kernel runs.
 */
final class SimulatedDriver implements CudaDriver {
  private static final System.Logger LOGGER = System.getLogger(SimulatedDevice.class.getName());

  private final DeviceProperties properties;
  private final Runnable onClose;
  private final Scheduler scheduler;
  private final DeviceState state;
  private final DriverLock lock;
  private final SimulatedStreams streams;
  private final SimulatedMemory memory;
  private final Transfers transfers;
  private final SimulatedModules modules;
  private final Launches launches;
  private final ForeignCalls foreign;

  private final SimulatedHostMemory.HostAccess hostAccess =
      new SimulatedHostMemory.HostAccess() {
        @Override
        public void begun(SimulatedHostMemory hostMemory, boolean writes) {
          lock.run(() -> memory.accessed(hostMemory, writes));
        }

        @Override
        public void ended(SimulatedHostMemory hostMemory, String owner) {
          lock.run(() -> memory.accessEnded(hostMemory, owner));
        }
      };

  SimulatedDriver(
      DeviceProperties properties,
      SimulationSettings settings,
      FaultPlan plan,
      FindingLog findings,
      Runnable onClose) {
    this.properties = properties;
    this.onClose = onClose;
    this.scheduler = new Scheduler(settings.schedule(), settings.seed());
    this.state = new DeviceState(plan, scheduler);
    WaitingThreads waiting = new WaitingThreads();
    this.lock = new DriverLock(state, waiting);
    SubmissionOrder order = new SubmissionOrder();
    RaceChecker checker = settings.checksRaces() ? checker(settings, findings) : null;
    Submissions submissions =
        new Submissions(state, scheduler, order, checker, settings.tracesSubmissions());
    MappedMemory mapped = new MappedMemory();
    HeapMemory heap = new HeapMemory();
    this.streams = new SimulatedStreams(state, scheduler, order);
    this.memory =
        new SimulatedMemory(
            state,
            submissions,
            heap,
            new AddressSpace(properties.totalMemoryInBytes(), heap, settings.segmentShift()),
            mapped,
            checker,
            new SimulatedStream(order.newStream()));
    this.transfers = new Transfers(state, submissions, mapped, checker);
    this.modules =
        new SimulatedModules(
            properties,
            settings.instructionsPerLaunch(),
            settings.kernelOutput(),
            waiting::interrupted,
            state,
            scheduler,
            memory,
            mapped);
    this.launches = new Launches(properties, state, submissions, mapped, checker);
    this.foreign =
        new ForeignCalls(state, streams, memory, submissions, mapped, checker, launches.observer());
  }

  /** Carries out a call of code that is not the runtime's; returns its number. */
  long foreign(ToLongFunction<ForeignCalls> call) {
    return lock.call(
        () -> {
          foreign.requireUsable();
          return call.applyAsLong(foreign);
        });
  }

  /** The checker, whose findings end the device unless they are only collected. */
  private RaceChecker checker(SimulationSettings settings, FindingLog findings) {
    Set<String> warned = new HashSet<>();
    return new RaceChecker(
        settings.checksThreadRaces(),
        settings.checksUninitializedReads(),
        finding -> {
          if (findings.take(finding)) {
            return;
          }
          if (finding.kind().isWarning()) {
            if (warned.add(finding.first().site() + finding.second().site())) {
              LOGGER.log(System.Logger.Level.WARNING, "{0}", finding);
            }
          } else {
            state.lose(finding);
          }
        });
  }

  int liveObjects() {
    return lock.call(() -> streams.count() + memory.count() + modules.count() - foreign.count());
  }

  void carryOutEverything() {
    lock.run(() -> scheduler.drainAll());
  }

  @Override
  public LaunchObserver launchObserver() {
    return launches.observer();
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public MemoryInfo memoryInfo() {
    return lock.call(
        () -> {
          state.enter(DriverCall.MEMORY_INFO);
          return new MemoryInfo(memory.available(), properties.totalMemoryInBytes());
        });
  }

  /** Has no effect: the simulated pool is the whole memory and never gives any back. */
  @Override
  public void keepFreedMemory(long bytes) {
    lock.run(() -> state.enter(DriverCall.KEEP_FREED_MEMORY));
  }

  @Override
  public StreamHandle createStream(int priority) {
    return lock.call(() -> streams.createStream());
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    lock.run(() -> streams.destroyStream(stream));
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    lock.run(() -> streams.synchronizeStream(stream));
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    return lock.call(() -> streams.isStreamIdle(stream));
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    lock.run(() -> streams.waitForEvent(stream, event));
  }

  @Override
  public EventHandle createEvent() {
    return lock.call(() -> streams.createEvent());
  }

  @Override
  public void destroyEvent(EventHandle event) {
    lock.run(() -> streams.destroyEvent(event));
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    lock.run(() -> streams.recordEvent(event, stream));
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    lock.run(() -> streams.synchronizeEvent(event));
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    return lock.call(() -> streams.isEventComplete(event));
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    return lock.call(() -> memory.allocateAsync(bytes, stream));
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    lock.run(() -> memory.freeAsync(address, stream));
  }

  @Override
  public long allocate(long bytes) {
    return lock.call(() -> memory.allocate(bytes));
  }

  @Override
  public void free(long address) {
    lock.run(() -> memory.free(address));
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    return lock.call(() -> memory.allocateHost(bytes, hostAccess));
  }

  @Override
  public long deviceAddress(HostMemory hostMemory) {
    return lock.call(() -> memory.deviceAddress(hostMemory));
  }

  @Override
  public void freeHost(HostMemory hostMemory) {
    lock.run(() -> memory.freeHost(hostMemory));
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    lock.run(() -> transfers.copyToDevice(destination, source, sourceOffset, bytes, stream));
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    lock.run(() -> transfers.copyToHost(destination, destinationOffset, source, bytes, stream));
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    lock.run(() -> transfers.copyOnDevice(destination, source, bytes, stream));
  }

  @Override
  public void fill8Async(long destination, byte value, long count, StreamHandle stream) {
    lock.run(
        () -> transfers.fill(DriverCall.FILL_8_ASYNC, destination, 1, 1, value, count, stream));
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle stream) {
    lock.run(
        () -> transfers.fill(DriverCall.FILL_16_ASYNC, destination, 2, 2, value, count, stream));
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle stream) {
    lock.run(
        () -> transfers.fill(DriverCall.FILL_32_ASYNC, destination, 4, 4, value, count, stream));
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    lock.run(
        () ->
            transfers.fill(
                DriverCall.FILL_32_STRIDED_ASYNC, destination, pitch, 4, value, count, stream));
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    return lock.call(() -> modules.load(name, image));
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    lock.run(() -> modules.unload(module));
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    return lock.call(() -> modules.function(module, entry));
  }

  @Override
  public ModuleVariable variable(ModuleHandle module, String name) {
    return lock.call(() -> modules.variable(module, name));
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    return lock.call(() -> modules.attributes(function));
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    lock.run(() -> modules.allowDynamicSharedBytes(function, bytes));
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    return lock.call(() -> modules.residentBlocks(function, blockThreads, dynamicSharedBytes));
  }

  @Override
  public int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    return lock.call(() -> modules.suggestedBlockSize(function, dynamicSharedBytes));
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    lock.run(() -> launches.launch(launch));
  }

  @Override
  public long rawHandle(StreamHandle stream) {
    return lock.call(() -> streams.rawHandle(stream));
  }

  @Override
  public long rawHandle(EventHandle event) {
    return lock.call(() -> streams.rawHandle(event));
  }

  @Override
  public StreamHandle foreignStream(long rawHandle) {
    return lock.call(() -> streams.foreignStream(rawHandle));
  }

  @Override
  public EventHandle foreignEvent(long rawHandle) {
    return lock.call(() -> streams.foreignEvent(rawHandle));
  }

  @Override
  public PointerInfo pointerInfo(long address) {
    return lock.call(() -> memory.pointerInfo(address, properties.ordinal()));
  }

  @Override
  public void makeCurrent() {
    lock.run(() -> state.enter(DriverCall.MAKE_CURRENT));
  }

  @Override
  public void synchronizeDevice() {
    lock.run(() -> streams.synchronizeDevice());
  }

  @Override
  public void everyStreamAwaited() {
    lock.run(
        () -> {
          scheduler.drainAll();
          state.requireNoFault(DriverCall.SYNCHRONIZE_DEVICE);
        });
  }

  @Override
  public void close() {
    carryOutEverything();
    if (lock.call(state::end)) {
      onClose.run();
      lock.run(state::requireNoSilentFault);
    }
  }
}
