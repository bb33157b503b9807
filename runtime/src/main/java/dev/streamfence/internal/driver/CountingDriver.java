package dev.streamfence.internal.driver;

import dev.streamfence.simulation.DriverCall;
import org.jspecify.annotations.Nullable;

/**
 * A driver that counts the calls to another driver, failed ones included. Thread-safe; allocates
 * nothing.
 */
public final class CountingDriver implements CudaDriver {
  private final CudaDriver driver;
  private final CallCounts counts = new CallCounts();

  /** Creates a counter for a driver; closing the counter closes the driver. */
  public CountingDriver(CudaDriver driver) {
    this.driver = driver;
  }

  /** The counts of the calls so far. */
  public CallCounts counts() {
    return counts;
  }

  @Override
  public DeviceProperties properties() {
    return driver.properties();
  }

  @Override
  public StreamHandle createStream(int priority) {
    counts.add(DriverCall.CREATE_STREAM);
    return driver.createStream(priority);
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    counts.add(DriverCall.DESTROY_STREAM);
    driver.destroyStream(stream);
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    counts.add(DriverCall.SYNCHRONIZE_STREAM);
    driver.synchronizeStream(stream);
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    counts.add(DriverCall.IS_STREAM_IDLE);
    return driver.isStreamIdle(stream);
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    counts.add(DriverCall.WAIT_FOR_EVENT);
    driver.waitForEvent(stream, event);
  }

  @Override
  public EventHandle createEvent() {
    counts.add(DriverCall.CREATE_EVENT);
    return driver.createEvent();
  }

  @Override
  public void destroyEvent(EventHandle event) {
    counts.add(DriverCall.DESTROY_EVENT);
    driver.destroyEvent(event);
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    counts.add(DriverCall.RECORD_EVENT);
    driver.recordEvent(event, stream);
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    counts.add(DriverCall.SYNCHRONIZE_EVENT);
    driver.synchronizeEvent(event);
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    counts.add(DriverCall.IS_EVENT_COMPLETE);
    return driver.isEventComplete(event);
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    counts.add(DriverCall.ALLOCATE_ASYNC);
    return driver.allocateAsync(bytes, stream);
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    counts.add(DriverCall.FREE_ASYNC);
    driver.freeAsync(address, stream);
  }

  @Override
  public long allocate(long bytes) {
    counts.add(DriverCall.ALLOCATE);
    return driver.allocate(bytes);
  }

  @Override
  public void free(long address) {
    counts.add(DriverCall.FREE);
    driver.free(address);
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    counts.add(DriverCall.ALLOCATE_HOST);
    return driver.allocateHost(bytes);
  }

  @Override
  public void freeHost(HostMemory memory) {
    counts.add(DriverCall.FREE_HOST);
    driver.freeHost(memory);
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    counts.add(DriverCall.COPY_TO_DEVICE_ASYNC);
    driver.copyToDeviceAsync(destination, source, sourceOffset, bytes, stream);
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    counts.add(DriverCall.COPY_TO_HOST_ASYNC);
    driver.copyToHostAsync(destination, destinationOffset, source, bytes, stream);
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    counts.add(DriverCall.COPY_ON_DEVICE_ASYNC);
    driver.copyOnDeviceAsync(destination, source, bytes, stream);
  }

  @Override
  public void fill8Async(long destination, byte value, long count, StreamHandle stream) {
    counts.add(DriverCall.FILL_8_ASYNC);
    driver.fill8Async(destination, value, count, stream);
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle stream) {
    counts.add(DriverCall.FILL_16_ASYNC);
    driver.fill16Async(destination, value, count, stream);
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle stream) {
    counts.add(DriverCall.FILL_32_ASYNC);
    driver.fill32Async(destination, value, count, stream);
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    counts.add(DriverCall.FILL_32_STRIDED_ASYNC);
    driver.fill32StridedAsync(destination, pitch, value, count, stream);
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    counts.add(DriverCall.LOAD_MODULE);
    return driver.loadModule(name, image);
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    counts.add(DriverCall.UNLOAD_MODULE);
    driver.unloadModule(module);
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    counts.add(DriverCall.FUNCTION);
    return driver.function(module, entry);
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    counts.add(DriverCall.ATTRIBUTES);
    return driver.attributes(function);
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    counts.add(DriverCall.ALLOW_DYNAMIC_SHARED_BYTES);
    driver.allowDynamicSharedBytes(function, bytes);
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    counts.add(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR);
    return driver.residentBlocksPerMultiprocessor(function, blockThreads, dynamicSharedBytes);
  }

  @Override
  public void launchKernel(
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
    counts.add(DriverCall.launch(cooperative));
    driver.launchKernel(
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
  public @Nullable LaunchObserver launchObserver() {
    return driver.launchObserver();
  }

  @Override
  public void synchronizeDevice() {
    counts.add(DriverCall.SYNCHRONIZE_DEVICE);
    driver.synchronizeDevice();
  }

  @Override
  public void keepFreedMemory(long bytes) {
    counts.add(DriverCall.KEEP_FREED_MEMORY);
    driver.keepFreedMemory(bytes);
  }

  @Override
  public MemoryInfo memoryInfo() {
    counts.add(DriverCall.MEMORY_INFO);
    return driver.memoryInfo();
  }

  @Override
  public void close() {
    driver.close();
  }
}
