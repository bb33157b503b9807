// Long because the driver interface has many calls, with one method each.
package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.simulator.Declarations.LaunchDeclaration;
import dev.streamfence.internal.simulator.bytes.HeapMemory;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import dev.streamfence.simulation.DriverCall;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The driver of a simulated device: one lock around its parts, each with the calls of one kind.
 * Thread-safe through that lock, which is held while a kernel runs.
 */
public class SimulatedDriver implements CudaDriver, CudaDriver.ContextHandle {
  private final DriverCalls calls = new DriverCalls();
  private final DeviceProperties properties;
  private final SimulatedMachine.Shared shared;
  private final Runnable onClose;
  private final Scheduler scheduler;
  private final DeviceState state;
  private final DriverLock lock;
  private final SimulatedStreams streams;
  private final MappedMemory mapped;
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

  /** The driver of a device that is being opened, see {@link SimulatedHardware#open}. */
  protected SimulatedDriver(SimulatedHardware.Parts parts) {
    this.properties = parts.properties();
    this.shared = parts.shared();
    this.onClose = parts.onClose();
    SimulationSettings settings = parts.settings();
    this.scheduler = shared.scheduler().forAnotherDevice();
    SubmissionOrder order = shared.order();
    this.state = new DeviceState(parts.plan(), scheduler, order);
    WaitingThreads waiting = shared.waiting();
    this.lock = new DriverLock(state, waiting);
    RaceChecker checker = shared.checker();
    long base = shared.add(state);
    Submissions submissions =
        new Submissions(
            state,
            scheduler,
            order,
            checker,
            settings.tracesSubmissions(),
            shared.where(properties));
    this.mapped = new MappedMemory(address -> shared.isOfAnother(base, address));
    HeapMemory heap = new HeapMemory();
    this.streams = new SimulatedStreams(state, scheduler, order);
    this.memory =
        new SimulatedMemory(
            state,
            submissions,
            heap,
            new AddressSpace(properties.totalMemoryInBytes(), heap, settings.segmentShift(), base),
            mapped,
            checker,
            new SimulatedStream(order.newStream()),
            base);
    this.transfers = new Transfers(state, submissions, mapped, checker);
    this.modules =
        new SimulatedModules(
            state,
            properties,
            settings.instructionsPerLaunch(),
            settings.kernelOutput(),
            waiting::interrupted,
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
  public long nanoTime() {
    return scheduler.clock().nanoTime();
  }

  @Override
  public DriverCalls calls() {
    return calls;
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public MemoryInfo memoryInfo() {
    return call(
        DriverCall.MEMORY_INFO,
        () -> new MemoryInfo(memory.available(), properties.totalMemoryInBytes()));
  }

  /** Has no effect: the simulated pool is the whole memory and never gives any back. */
  @Override
  public void keepFreedMemory(long bytes) {
    run(DriverCall.KEEP_FREED_MEMORY, () -> {});
  }

  @Override
  public StreamHandle createStream(int priority) {
    return call(DriverCall.CREATE_STREAM, () -> streams.createStream());
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    run(DriverCall.DESTROY_STREAM, () -> streams.destroyStream(stream));
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    run(DriverCall.SYNCHRONIZE_STREAM, () -> streams.synchronizeStream(stream));
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    return call(DriverCall.IS_STREAM_IDLE, () -> streams.isStreamIdle(stream));
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    run(DriverCall.WAIT_FOR_EVENT, () -> streams.waitForEvent(stream, event));
  }

  @Override
  public void waitForPeerEvent(StreamHandle stream, EventHandle event) {
    run(DriverCall.WAIT_FOR_EVENT, () -> streams.waitForPeerEvent(stream, event));
  }

  @Override
  public EventHandle createEvent() {
    return call(DriverCall.CREATE_EVENT, () -> streams.createEvent(false));
  }

  @Override
  public EventHandle createTimedEvent() {
    return call(DriverCall.CREATE_EVENT, () -> streams.createEvent(true));
  }

  @Override
  public float elapsedMillis(EventHandle from, EventHandle to) {
    return call(DriverCall.ELAPSED_TIME, () -> streams.elapsedMillis(from, to));
  }

  @Override
  public void destroyEvent(EventHandle event) {
    run(DriverCall.DESTROY_EVENT, () -> streams.destroyEvent(event));
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    run(DriverCall.RECORD_EVENT, () -> streams.recordEvent(event, stream));
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    run(DriverCall.SYNCHRONIZE_EVENT, () -> streams.synchronizeEvent(event));
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    return call(DriverCall.IS_EVENT_COMPLETE, () -> streams.isEventComplete(event));
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    return call(DriverCall.ALLOCATE_ASYNC, () -> memory.allocateAsync(bytes, stream));
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    run(DriverCall.FREE_ASYNC, () -> memory.freeAsync(address, stream));
  }

  @Override
  public long allocate(long bytes) {
    return call(DriverCall.ALLOCATE, () -> memory.allocate(bytes));
  }

  @Override
  public void free(long address) {
    run(DriverCall.FREE, () -> memory.free(address));
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    return call(DriverCall.ALLOCATE_HOST, () -> memory.allocateHost(bytes, hostAccess));
  }

  @Override
  public long deviceAddress(HostMemory hostMemory) {
    return call(DriverCall.HOST_DEVICE_ADDRESS, () -> memory.deviceAddress(hostMemory));
  }

  @Override
  public void freeHost(HostMemory hostMemory) {
    run(DriverCall.FREE_HOST, () -> memory.freeHost(hostMemory));
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    run(
        DriverCall.COPY_TO_DEVICE_ASYNC,
        () -> transfers.copyToDevice(destination, source, sourceOffset, bytes, stream));
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    run(
        DriverCall.COPY_TO_HOST_ASYNC,
        () -> transfers.copyToHost(destination, destinationOffset, source, bytes, stream));
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    run(
        DriverCall.COPY_ON_DEVICE_ASYNC,
        () -> transfers.copyOnDevice(destination, source, bytes, stream));
  }

  @Override
  public ContextHandle context() {
    return this;
  }

  @Override
  public boolean isPeer(ContextHandle other) {
    return other instanceof SimulatedDriver known && known.shared == shared;
  }

  @Override
  public boolean canAccessPeer(ContextHandle peer) {
    return call(DriverCall.CAN_ACCESS_PEER, () -> isPeer(peer));
  }

  @Override
  public void enablePeerAccess(ContextHandle peer) {
    run(
        DriverCall.ENABLE_PEER_ACCESS,
        () -> mapped.enableAccessTo(((SimulatedDriver) peer).mapped));
  }

  @Override
  public void sharePool(ContextHandle peer) {
    run(DriverCall.SHARE_POOL, () -> mapped.shareWith(((SimulatedDriver) peer).mapped));
  }

  @Override
  public void copyFromPeerAsync(
      long destination, ContextHandle peer, long source, long bytes, StreamHandle stream) {
    run(
        DriverCall.COPY_FROM_PEER_ASYNC,
        () ->
            transfers.copyFromPeer(
                destination, ((SimulatedDriver) peer).transfers, source, bytes, stream));
  }

  @Override
  public void fillAsync(long destination, int bytes, int value, long count, StreamHandle stream) {
    run(
        Sink.fillCall(bytes),
        () -> transfers.fill(destination, bytes, bytes, value, count, stream));
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    run(
        DriverCall.FILL_32_STRIDED_ASYNC,
        () -> transfers.fill(destination, pitch, 4, value, count, stream));
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    return call(DriverCall.LOAD_MODULE, () -> modules.load(name, image));
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    run(DriverCall.UNLOAD_MODULE, () -> modules.unload(module));
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    return call(DriverCall.FUNCTION, () -> modules.function(module, entry));
  }

  @Override
  public ModuleVariable variable(ModuleHandle module, String name) {
    return call(DriverCall.MODULE_VARIABLE, () -> modules.variable(module, name));
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    return call(DriverCall.ATTRIBUTES, () -> modules.attributes(function));
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    run(
        DriverCall.ALLOW_DYNAMIC_SHARED_BYTES,
        () -> modules.allowDynamicSharedBytes(function, bytes));
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    return call(
        DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR,
        () -> modules.residentBlocks(function, blockThreads, dynamicSharedBytes));
  }

  @Override
  public int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    return call(
        DriverCall.SUGGESTED_BLOCK_SIZE,
        () -> modules.suggestedBlockSize(function, dynamicSharedBytes));
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    LaunchDeclaration declaration = launches.observer().take(launch.stream());
    run(launch.call(), () -> launches.launch(launch, declaration));
  }

  @Override
  public GraphHandle createGraph(List<? extends GraphNode> nodes) {
    SimulatedGraph graph = call(DriverCall.CREATE_GRAPH, () -> new SimulatedGraph(streams));
    boolean isMade = false;
    try {
      add(graph, nodes);
      isMade = true;
      return graph;
    } finally {
      if (!isMade) {
        run(DriverCall.DESTROY_GRAPH, graph::destroy);
      }
    }
  }

  @Override
  public void instantiateGraph(GraphHandle graph) {
    run(DriverCall.INSTANTIATE_GRAPH, ((SimulatedGraph) graph)::instantiate);
  }

  @Override
  public boolean moveExecutable(GraphHandle from, GraphHandle to) {
    return call(
        DriverCall.UPDATE_GRAPH, () -> ((SimulatedGraph) to).takeOver((SimulatedGraph) from));
  }

  private void add(SimulatedGraph graph, List<? extends GraphNode> nodes) {
    for (GraphNode node : nodes) {
      GraphCondition condition = node.condition();
      if (condition == null) {
        add(graph, node);
      } else {
        add(graph, node, condition);
      }
    }
  }

  private void add(SimulatedGraph graph, GraphNode node, GraphCondition condition) {
    run(DriverCall.CREATE_CONDITION, () -> {});
    // A GPU reads the number by a kernel, before the condition and after each pass of a loop.
    run(DriverCall.ADD_KERNEL_NODE, () -> {});
    add(
        call(DriverCall.ADD_CONDITION, () -> graph.add(node.after(), condition, node, transfers)),
        condition.nodes());
    if (condition.isLoop()) {
      run(DriverCall.ADD_KERNEL_NODE, () -> {});
    }
  }

  private void add(SimulatedGraph graph, GraphNode node) {
    // Without the lock, which the node takes when it writes its arguments.
    SimulatedGraph.Call read = SimulatedGraph.Call.of(node, launches, transfers);
    run(read.adds(), () -> graph.add(node.after(), read));
    if (read.isCooperative()) {
      run(DriverCall.SET_KERNEL_NODE_ATTRIBUTE, () -> {});
    }
  }

  @Override
  public void launchGraph(GraphHandle graph, StreamHandle stream) {
    LaunchDeclaration declaration = launches.observer().take(stream);
    run(
        DriverCall.LAUNCH_GRAPH,
        () ->
            ((SimulatedGraph) graph)
                .launch(state.stream(stream), declaration == null ? 0 : declaration.ticket()));
  }

  @Override
  public void updateGraph(GraphHandle graph, List<? extends GraphNode> nodes, BitSet outdated) {
    for (int i = outdated.nextSetBit(0); i >= 0; i = outdated.nextSetBit(i)) {
      int index = i;
      SimulatedGraph.Call read = SimulatedGraph.Call.of(nodes.get(i), launches, transfers);
      run(read.updates(), () -> ((SimulatedGraph) graph).update(index, read));
      outdated.clear(i);
    }
  }

  @Override
  public void destroyGraph(GraphHandle graph) {
    SimulatedGraph known = (SimulatedGraph) graph;
    if (known.isExecutable()) {
      run(DriverCall.DESTROY_EXECUTABLE_GRAPH, known::endExecutable);
    }
    run(DriverCall.DESTROY_GRAPH, known::destroy);
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
    return call(DriverCall.STREAM_CONTEXT, () -> streams.foreignStream(rawHandle));
  }

  @Override
  public boolean isCapturing(StreamHandle stream) {
    return call(DriverCall.IS_CAPTURING, () -> streams.isCapturing(stream));
  }

  @Override
  public void discardCapture(StreamHandle stream) {
    run(DriverCall.END_CAPTURE, () -> streams.discardCapture(stream));
  }

  @Override
  public EventHandle foreignEvent(long rawHandle) {
    return lock.call(() -> streams.foreignEvent(rawHandle));
  }

  @Override
  public PointerInfo pointerInfo(long address) {
    return call(DriverCall.POINTER_INFO, () -> memory.pointerInfo(address, properties.ordinal()));
  }

  @Override
  public void makeCurrent() {
    run(DriverCall.MAKE_CURRENT, () -> {});
  }

  @Override
  public void synchronizeDevice() {
    run(DriverCall.SYNCHRONIZE_DEVICE, () -> streams.synchronizeDevice());
  }

  @Override
  public void everyStreamAwaited() {
    locked(
        () -> {
          scheduler.drainAll();
          state.requireNoFault(DriverCall.SYNCHRONIZE_DEVICE);
          return true;
        });
  }

  @Override
  public void close() {
    carryOutEverything();
    if (lock.call(state::end)) {
      onClose.run();
      locked(
          () -> {
            state.requireNoSilentFault();
            return true;
          });
    }
  }

  private void run(DriverCall call, Runnable work) {
    call(
        call,
        () -> {
          work.run();
          return true;
        });
  }

  /** Makes a call unless the device refuses it or its failure is planned. */
  private <T> T call(DriverCall call, Supplier<T> work) {
    calls.begin(call);
    boolean hasSucceeded = false;
    try {
      T result =
          locked(
              () -> {
                state.enter(call);
                return work.get();
              });
      hasSucceeded = true;
      return result;
    } finally {
      if (!hasSucceeded) {
        calls.failed(call);
      }
    }
  }

  private <T> T locked(Supplier<T> work) {
    try {
      return lock.call(work);
    } catch (CudaDriverException e) {
      // Outside of the lock, since the runtime then takes locks under which it calls the driver.
      throw calls.sticky().keep(e);
    }
  }
}
