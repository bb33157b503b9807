package dev.streamfence.it.compare;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.simulation.DriverCall;
import java.util.List;

/**
 * A driver whose launches, events and waits are only counted: rows then measure the runtime alone.
 * It passes all other calls on to another driver. It is a class since a proxy would allocate.
 */
final class IdleDriver implements CudaDriver {
  private final CudaDriver driver;
  private final DriverCalls calls;

  IdleDriver(CudaDriver driver) {
    this.driver = driver;
    this.calls = driver.calls();
  }

  @Override
  public DriverCalls calls() {
    return calls;
  }

  @Override
  public DeviceProperties properties() {
    return driver.properties();
  }

  @Override
  public MemoryInfo memoryInfo() {
    return driver.memoryInfo();
  }

  @Override
  public StreamHandle createStream(int priority) {
    return driver.createStream(priority);
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    driver.destroyStream(stream);
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    driver.synchronizeStream(stream);
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    return driver.isStreamIdle(stream);
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    calls.begin(DriverCall.WAIT_FOR_EVENT);
  }

  @Override
  public void waitForPeerEvent(StreamHandle stream, EventHandle event) {
    calls.begin(DriverCall.WAIT_FOR_EVENT);
  }

  @Override
  public ContextHandle context() {
    return driver.context();
  }

  @Override
  public boolean isPeer(ContextHandle other) {
    return driver.isPeer(other);
  }

  @Override
  public boolean canAccessPeer(ContextHandle peer) {
    return driver.canAccessPeer(peer);
  }

  @Override
  public void enablePeerAccess(ContextHandle peer) {
    driver.enablePeerAccess(peer);
  }

  @Override
  public void sharePool(ContextHandle peer) {
    driver.sharePool(peer);
  }

  @Override
  public void copyFromPeerAsync(
      long destination, ContextHandle peer, long source, long bytes, StreamHandle stream) {
    driver.copyFromPeerAsync(destination, peer, source, bytes, stream);
  }

  @Override
  public EventHandle createEvent() {
    return driver.createEvent();
  }

  @Override
  public EventHandle createTimedEvent() {
    return driver.createTimedEvent();
  }

  @Override
  public float elapsedMillis(EventHandle from, EventHandle to) {
    return driver.elapsedMillis(from, to);
  }

  @Override
  public void destroyEvent(EventHandle event) {
    driver.destroyEvent(event);
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    calls.begin(DriverCall.RECORD_EVENT);
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    driver.synchronizeEvent(event);
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    return driver.isEventComplete(event);
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    return driver.allocateAsync(bytes, stream);
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    driver.freeAsync(address, stream);
  }

  @Override
  public void keepFreedMemory(long bytes) {
    driver.keepFreedMemory(bytes);
  }

  @Override
  public long allocate(long bytes) {
    return driver.allocate(bytes);
  }

  @Override
  public void free(long address) {
    driver.free(address);
  }

  @Override
  public long deviceAddress(HostMemory memory) {
    return driver.deviceAddress(memory);
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    return driver.allocateHost(bytes);
  }

  @Override
  public void freeHost(HostMemory memory) {
    driver.freeHost(memory);
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    driver.copyToDeviceAsync(destination, source, sourceOffset, bytes, stream);
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    driver.copyToHostAsync(destination, destinationOffset, source, bytes, stream);
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    driver.copyOnDeviceAsync(destination, source, bytes, stream);
  }

  @Override
  public void fill8Async(long destination, byte value, long count, StreamHandle stream) {
    driver.fill8Async(destination, value, count, stream);
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle stream) {
    driver.fill16Async(destination, value, count, stream);
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle stream) {
    driver.fill32Async(destination, value, count, stream);
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    driver.fill32StridedAsync(destination, pitch, value, count, stream);
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    return driver.loadModule(name, image);
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    driver.unloadModule(module);
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    return driver.function(module, entry);
  }

  @Override
  public ModuleVariable variable(ModuleHandle module, String name) {
    return driver.variable(module, name);
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    return driver.attributes(function);
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    driver.allowDynamicSharedBytes(function, bytes);
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    return driver.residentBlocksPerMultiprocessor(function, blockThreads, dynamicSharedBytes);
  }

  @Override
  public int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    return driver.suggestedBlockSize(function, dynamicSharedBytes);
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    calls.begin(launch.call());
  }

  @Override
  public GraphHandle createGraph(List<? extends GraphNode> nodes) {
    calls.begin(DriverCall.CREATE_GRAPH);
    return new GraphHandle() {};
  }

  @Override
  public void instantiateGraph(GraphHandle graph) {
    calls.begin(DriverCall.INSTANTIATE_GRAPH);
  }

  @Override
  public boolean moveExecutable(GraphHandle from, GraphHandle to) {
    calls.begin(DriverCall.UPDATE_GRAPH);
    return true;
  }

  @Override
  public void launchGraph(GraphHandle graph, StreamHandle stream) {
    calls.begin(DriverCall.LAUNCH_GRAPH);
  }

  @Override
  public void updateGraph(GraphHandle graph, int index, GraphNode node) {
    calls.begin(DriverCall.UPDATE_KERNEL_NODE);
  }

  @Override
  public void destroyGraph(GraphHandle graph) {
    calls.begin(DriverCall.DESTROY_GRAPH);
  }

  @Override
  public long rawHandle(StreamHandle stream) {
    return driver.rawHandle(stream);
  }

  @Override
  public long rawHandle(EventHandle event) {
    return driver.rawHandle(event);
  }

  @Override
  public StreamHandle foreignStream(long rawHandle) {
    return driver.foreignStream(rawHandle);
  }

  @Override
  public boolean isCapturing(StreamHandle stream) {
    return driver.isCapturing(stream);
  }

  @Override
  public void discardCapture(StreamHandle stream) {
    driver.discardCapture(stream);
  }

  @Override
  public EventHandle foreignEvent(long rawHandle) {
    return driver.foreignEvent(rawHandle);
  }

  @Override
  public PointerInfo pointerInfo(long address) {
    return driver.pointerInfo(address);
  }

  @Override
  public void makeCurrent() {
    driver.makeCurrent();
  }

  @Override
  public void synchronizeDevice() {
    driver.synchronizeDevice();
  }

  @Override
  public void close() {
    driver.close();
  }
}
