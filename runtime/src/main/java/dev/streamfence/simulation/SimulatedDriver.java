package dev.streamfence.simulation;

import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.FunctionAttributes;
import dev.streamfence.driver.HostMemory;
import dev.streamfence.driver.LaunchObserver;
import dev.streamfence.driver.MemoryInfo;
import org.jspecify.annotations.Nullable;

/**
 * The driver seam over a simulated device: one lock around its parts, each of which has the calls
 * of one kind. Thread-safe by that lock, which is held while a kernel runs.
 */
final class SimulatedDriver implements CudaDriver {
  private final DeviceProperties properties;
  private final Runnable onClose;
  private final Scheduler scheduler;
  private final DeviceState state;
  private final SimulatedStreams streams;
  private final SimulatedMemory memory;
  private final Transfers transfers;
  private final SimulatedModules modules;
  private final Launches launches;

  SimulatedDriver(
      DeviceProperties properties,
      SimulatedDevice.Builder settings,
      FaultPlan plan,
      Findings findings,
      Runnable onClose) {
    this.properties = properties;
    this.onClose = onClose;
    this.scheduler = new Scheduler(settings.schedule(), settings.seed());
    this.state = new DeviceState(plan, scheduler);
    SubmissionOrder order = new SubmissionOrder();
    RaceChecker checker = settings.checksRaces() ? checker(settings, findings) : null;
    Submissions submissions =
        new Submissions(state, scheduler, order, checker, settings.tracesSubmissions());
    MappedMemory mapped = new MappedMemory();
    this.streams = new SimulatedStreams(state, scheduler, order);
    this.memory =
        new SimulatedMemory(
            state,
            submissions,
            new AddressSpace(properties.totalMemoryInBytes()),
            mapped,
            checker,
            new SimulatedStream(order.newStream()));
    this.transfers = new Transfers(state, submissions, mapped, checker);
    this.modules =
        new SimulatedModules(
            properties, settings.instructionsPerLaunch(), state, scheduler, memory, mapped);
    this.launches = new Launches(properties, state, submissions, mapped, checker);
  }

  /** A wrong access ends the device unless it is only collected. */
  private RaceChecker checker(SimulatedDevice.Builder settings, Findings findings) {
    return new RaceChecker(
        settings.checksUninitializedReads(),
        finding -> {
          if (!findings.take(finding)) {
            state.lose(KernelFault.of(finding));
          }
        });
  }

  synchronized int liveObjects() {
    return streams.count() + memory.count() + modules.count();
  }

  synchronized void carryOutEverything() {
    scheduler.drainAll();
  }

  @Override
  public @Nullable LaunchObserver launchObserver() {
    return launches.observer();
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public synchronized MemoryInfo memoryInfo() {
    state.enter(DriverCall.MEMORY_INFO);
    return new MemoryInfo(memory.available(), properties.totalMemoryInBytes());
  }

  /** The simulated pool is the whole memory and gives nothing back to anybody. */
  @Override
  public synchronized void keepFreedMemory(long bytes) {
    state.enter(DriverCall.KEEP_FREED_MEMORY);
  }

  @Override
  public synchronized StreamHandle createStream(int priority) {
    return streams.createStream();
  }

  @Override
  public synchronized void destroyStream(StreamHandle stream) {
    streams.destroyStream(stream);
  }

  @Override
  public synchronized void synchronizeStream(StreamHandle stream) {
    streams.synchronizeStream(stream);
  }

  @Override
  public synchronized boolean isStreamIdle(StreamHandle stream) {
    return streams.isStreamIdle(stream);
  }

  @Override
  public synchronized void waitForEvent(StreamHandle stream, EventHandle event) {
    streams.waitForEvent(stream, event);
  }

  @Override
  public synchronized EventHandle createEvent() {
    return streams.createEvent();
  }

  @Override
  public synchronized void destroyEvent(EventHandle event) {
    streams.destroyEvent(event);
  }

  @Override
  public synchronized void recordEvent(EventHandle event, StreamHandle stream) {
    streams.recordEvent(event, stream);
  }

  @Override
  public synchronized void synchronizeEvent(EventHandle event) {
    streams.synchronizeEvent(event);
  }

  @Override
  public synchronized boolean isEventComplete(EventHandle event) {
    return streams.isEventComplete(event);
  }

  @Override
  public synchronized long allocateAsync(long bytes, StreamHandle stream) {
    return memory.allocateAsync(bytes, stream);
  }

  @Override
  public synchronized void freeAsync(long address, StreamHandle stream) {
    memory.freeAsync(address, stream);
  }

  @Override
  public synchronized long allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public synchronized void free(long address) {
    memory.free(address);
  }

  @Override
  public synchronized HostMemory allocateHost(long bytes) {
    return memory.allocateHost(bytes, this::accessed);
  }

  private synchronized void accessed(SimulatedHostMemory hostMemory) {
    memory.accessed(hostMemory);
  }

  @Override
  public synchronized void freeHost(HostMemory hostMemory) {
    memory.freeHost(hostMemory);
  }

  @Override
  public synchronized void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    transfers.copyToDevice(destination, source, sourceOffset, bytes, stream);
  }

  @Override
  public synchronized void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    transfers.copyToHost(destination, destinationOffset, source, bytes, stream);
  }

  @Override
  public synchronized void copyOnDeviceAsync(
      long destination, long source, long bytes, StreamHandle stream) {
    transfers.copyOnDevice(destination, source, bytes, stream);
  }

  @Override
  public synchronized void fill8Async(
      long destination, byte value, long count, StreamHandle stream) {
    transfers.fill(DriverCall.FILL_8_ASYNC, destination, 1, 1, value, count, stream);
  }

  @Override
  public synchronized void fill16Async(
      long destination, short value, long count, StreamHandle stream) {
    transfers.fill(DriverCall.FILL_16_ASYNC, destination, 2, 2, value, count, stream);
  }

  @Override
  public synchronized void fill32Async(
      long destination, int value, long count, StreamHandle stream) {
    transfers.fill(DriverCall.FILL_32_ASYNC, destination, 4, 4, value, count, stream);
  }

  @Override
  public synchronized void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    transfers.fill(DriverCall.FILL_32_STRIDED_ASYNC, destination, pitch, 4, value, count, stream);
  }

  @Override
  public synchronized ModuleHandle loadModule(String name, byte[] image) {
    return modules.load(name, image);
  }

  @Override
  public synchronized void unloadModule(ModuleHandle module) {
    modules.unload(module);
  }

  @Override
  public synchronized FunctionHandle function(ModuleHandle module, String entry) {
    return modules.function(module, entry);
  }

  @Override
  public synchronized FunctionAttributes attributes(FunctionHandle function) {
    return modules.attributes(function);
  }

  @Override
  public synchronized void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    modules.allowDynamicSharedBytes(function, bytes);
  }

  @Override
  public synchronized int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    return modules.residentBlocks(function, blockThreads, dynamicSharedBytes);
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
    launches.launch(
        function,
        cooperative,
        gridX,
        gridY,
        gridZ,
        blockX,
        blockY,
        blockZ,
        dynamicSharedBytes,
        stream,
        parameters);
  }

  @Override
  public synchronized void synchronizeDevice() {
    streams.synchronizeDevice();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (!state.end()) {
        return;
      }
    }
    onClose.run();
  }
}
