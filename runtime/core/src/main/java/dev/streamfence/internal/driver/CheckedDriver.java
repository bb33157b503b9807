// Long because each of the driver's calls is checked alike, without a lambda that would allocate.
package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import dev.streamfence.simulation.DriverCall;
import org.jspecify.annotations.Nullable;

/**
 * A driver that counts the calls to another driver, failed ones included, and keeps the first
 * sticky error that one of them returns. From then on it refuses every call with that error, except
 * those that release something. Callers only add what a call was for, by {@link
 * CudaDriverException#during}. Thread-safe; allocates nothing.
 */
public final class CheckedDriver implements CudaDriver {
  private final CudaDriver driver;
  private final CallCounts counts = new CallCounts();
  private final StickyError sticky = new StickyError();

  /** Checks the calls to a driver; closing this closes the driver. */
  public CheckedDriver(CudaDriver driver) {
    this.driver = driver;
  }

  /** The first sticky error, if there was one. */
  public StickyError sticky() {
    return sticky;
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
    begin(DriverCall.CREATE_STREAM);
    try {
      return driver.createStream(priority);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    unchecked(DriverCall.DESTROY_STREAM);
    try {
      driver.destroyStream(stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    unchecked(DriverCall.SYNCHRONIZE_STREAM);
    try {
      driver.synchronizeStream(stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    begin(DriverCall.IS_STREAM_IDLE);
    try {
      return driver.isStreamIdle(stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    begin(DriverCall.WAIT_FOR_EVENT);
    try {
      driver.waitForEvent(stream, event);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public EventHandle createEvent() {
    begin(DriverCall.CREATE_EVENT);
    try {
      return driver.createEvent();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void destroyEvent(EventHandle event) {
    unchecked(DriverCall.DESTROY_EVENT);
    try {
      driver.destroyEvent(event);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    begin(DriverCall.RECORD_EVENT);
    try {
      driver.recordEvent(event, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    unchecked(DriverCall.SYNCHRONIZE_EVENT);
    try {
      driver.synchronizeEvent(event);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    begin(DriverCall.IS_EVENT_COMPLETE);
    try {
      return driver.isEventComplete(event);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    begin(DriverCall.ALLOCATE_ASYNC);
    try {
      return driver.allocateAsync(bytes, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    unchecked(DriverCall.FREE_ASYNC);
    try {
      driver.freeAsync(address, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public long allocate(long bytes) {
    begin(DriverCall.ALLOCATE);
    try {
      return driver.allocate(bytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void free(long address) {
    unchecked(DriverCall.FREE);
    try {
      driver.free(address);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    begin(DriverCall.ALLOCATE_HOST);
    try {
      return driver.allocateHost(bytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public long deviceAddress(HostMemory memory) {
    begin(DriverCall.HOST_DEVICE_ADDRESS);
    try {
      return driver.deviceAddress(memory);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void freeHost(HostMemory memory) {
    unchecked(DriverCall.FREE_HOST);
    try {
      driver.freeHost(memory);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    begin(DriverCall.COPY_TO_DEVICE_ASYNC);
    try {
      driver.copyToDeviceAsync(destination, source, sourceOffset, bytes, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    begin(DriverCall.COPY_TO_HOST_ASYNC);
    try {
      driver.copyToHostAsync(destination, destinationOffset, source, bytes, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    begin(DriverCall.COPY_ON_DEVICE_ASYNC);
    try {
      driver.copyOnDeviceAsync(destination, source, bytes, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void fill8Async(long destination, byte value, long count, StreamHandle stream) {
    begin(DriverCall.FILL_8_ASYNC);
    try {
      driver.fill8Async(destination, value, count, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle stream) {
    begin(DriverCall.FILL_16_ASYNC);
    try {
      driver.fill16Async(destination, value, count, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle stream) {
    begin(DriverCall.FILL_32_ASYNC);
    try {
      driver.fill32Async(destination, value, count, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    begin(DriverCall.FILL_32_STRIDED_ASYNC);
    try {
      driver.fill32StridedAsync(destination, pitch, value, count, stream);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    begin(DriverCall.LOAD_MODULE);
    try {
      return driver.loadModule(name, image);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    unchecked(DriverCall.UNLOAD_MODULE);
    try {
      driver.unloadModule(module);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    begin(DriverCall.FUNCTION);
    try {
      return driver.function(module, entry);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public ModuleVariable variable(ModuleHandle module, String name) {
    begin(DriverCall.MODULE_VARIABLE);
    try {
      return driver.variable(module, name);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    begin(DriverCall.ATTRIBUTES);
    try {
      return driver.attributes(function);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    begin(DriverCall.ALLOW_DYNAMIC_SHARED_BYTES);
    try {
      driver.allowDynamicSharedBytes(function, bytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    begin(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR);
    try {
      return driver.residentBlocksPerMultiprocessor(function, blockThreads, dynamicSharedBytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    begin(DriverCall.SUGGESTED_BLOCK_SIZE);
    try {
      return driver.suggestedBlockSize(function, dynamicSharedBytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    begin(launch.call());
    try {
      driver.launchKernel(launch);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public @Nullable LaunchObserver launchObserver() {
    return driver.launchObserver();
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
    begin(DriverCall.STREAM_CONTEXT);
    try {
      return driver.foreignStream(rawHandle);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public EventHandle foreignEvent(long rawHandle) {
    return driver.foreignEvent(rawHandle);
  }

  @Override
  public PointerInfo pointerInfo(long address) {
    begin(DriverCall.POINTER_INFO);
    try {
      return driver.pointerInfo(address);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void makeCurrent() {
    begin(DriverCall.MAKE_CURRENT);
    try {
      driver.makeCurrent();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void inThreadOfOthers(Runnable calls) {
    driver.inThreadOfOthers(calls);
  }

  @Override
  public void synchronizeDevice() {
    begin(DriverCall.SYNCHRONIZE_DEVICE);
    try {
      driver.synchronizeDevice();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void keepFreedMemory(long bytes) {
    begin(DriverCall.KEEP_FREED_MEMORY);
    try {
      driver.keepFreedMemory(bytes);
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public MemoryInfo memoryInfo() {
    begin(DriverCall.MEMORY_INFO);
    try {
      return driver.memoryInfo();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  /** Counts a call, or refuses it if the device is lost. */
  private void begin(DriverCall call) {
    sticky.check();
    counts.add(call);
  }

  /**
   * Counts a call that is made on a lost device as well: it releases something, or waits for the
   * work that keeps something from being released.
   */
  private void unchecked(DriverCall call) {
    counts.add(call);
  }

  @Override
  public void everyStreamAwaited() {
    try {
      driver.everyStreamAwaited();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }

  @Override
  public void close() {
    try {
      driver.close();
    } catch (CudaDriverException e) {
      throw sticky.keep(e);
    }
  }
}
