package dev.streamfence.driver;

import org.jspecify.annotations.Nullable;

/**
 * One device, seen through the driver calls that this project uses: typed, and with every status
 * checked inside. A status other than success becomes a {@link dev.streamfence.CudaDriverException}
 * unless a method says otherwise.
 *
 * <p>Thread-safe, and free of policy: nothing here waits for another stream or frees anything on
 * its own. No method needs anything of the calling Java thread; an implementation over CUDA sets
 * the device's context directly before each call. Unless its first sentence says "waits", a method
 * does not synchronise.
 *
 * <p>The launch path ({@link #launchKernel}, {@link #recordEvent}, {@link #waitForEvent}) allocates
 * no Java memory.
 */
public interface CudaDriver extends AutoCloseable {

  /** A stream of this device. Opaque; belongs to the driver that made it. */
  interface StreamHandle {}

  /** An event of this device, without timing. Opaque; belongs to the driver that made it. */
  interface EventHandle {}

  /** A loaded module of device code. Opaque; belongs to the driver that made it. */
  interface ModuleHandle {}

  /** An entry point of a loaded module. Opaque; valid until its module is unloaded. */
  interface FunctionHandle {}

  /** What the device is. Asks nothing of the driver: it was read when the device was opened. */
  DeviceProperties properties();

  /** Free and total device memory at this moment, by {@code cuMemGetInfo}. */
  MemoryInfo memoryInfo();

  /**
   * Creates a stream that has no implicit order with the legacy default stream, by {@code
   * cuStreamCreateWithPriority}.
   *
   * @param priority 0 for the default, lower for more urgent
   */
  StreamHandle createStream(int priority);

  /** Destroys a stream; work still queued on it is carried out. {@code cuStreamDestroy}. */
  void destroyStream(StreamHandle stream);

  /** Waits until everything queued on the stream so far is done. {@code cuStreamSynchronize}. */
  void synchronizeStream(StreamHandle stream);

  /** Whether everything queued on the stream so far is done. {@code cuStreamQuery}. */
  boolean isStreamIdle(StreamHandle stream);

  /**
   * Makes everything queued on {@code stream} from now on wait for the event. {@code
   * cuStreamWaitEvent}.
   */
  void waitForEvent(StreamHandle stream, EventHandle event);

  /** Creates an event without timing. {@code cuEventCreate}. */
  EventHandle createEvent();

  /** Destroys an event; waits already queued for it stay. {@code cuEventDestroy}. */
  void destroyEvent(EventHandle event);

  /** Makes the event stand for everything queued on the stream so far. {@code cuEventRecord}. */
  void recordEvent(EventHandle event, StreamHandle stream);

  /** Waits until what the event stands for is done. {@code cuEventSynchronize}. */
  void synchronizeEvent(EventHandle event);

  /** Whether what the event stands for is done. {@code cuEventQuery}. */
  boolean isEventComplete(EventHandle event);

  /**
   * Allocates device memory in stream order, from the device's own pool. {@code cuMemAllocAsync}.
   *
   * @param bytes at least 1
   * @return the address, to be used on other streams only after an event of {@code stream}
   */
  long allocateAsync(long bytes, StreamHandle stream);

  /** Frees device memory in stream order. {@code cuMemFreeAsync}. */
  void freeAsync(long address, StreamHandle stream);

  /**
   * Sets how much freed memory the device's pool keeps for later allocations, instead of giving it
   * back to the operating system at the next synchronisation. {@code cuMemPoolSetAttribute} with
   * the release threshold. The pool is shared by everybody in this process who allocates in stream
   * order.
   *
   * @param bytes at least 0; {@link Long#MAX_VALUE} for all of it
   */
  void keepFreedMemory(long bytes);

  /**
   * Allocates device memory that is ready at once, on every stream. May wait for the device. {@code
   * cuMemAlloc}.
   *
   * @param bytes at least 1
   */
  long allocate(long bytes);

  /**
   * Frees memory of {@link #allocate}, at once and in no stream's order: nothing may use it any
   * more. May wait for the device, and need not. {@code cuMemFree}.
   */
  void free(long address);

  /**
   * Allocates page-locked host memory, which copies may use while the host goes on. May wait for
   * the device. {@code cuMemAllocHost}.
   *
   * @param bytes at least 1; at most 2 GiB - 1, so that a buffer can show it
   */
  HostMemory allocateHost(long bytes);

  /** Frees page-locked host memory. May wait for the device. {@code cuMemFreeHost}. */
  void freeHost(HostMemory memory);

  /**
   * Queues a copy from page-locked host memory, which must stay unchanged until the copy is done.
   */
  void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream);

  /** Queues a copy to page-locked host memory, which is undefined until the copy is done. */
  void copyToHostAsync(
      HostMemory destination, long destinationOffset, long source, long bytes, StreamHandle stream);

  /** Queues a copy within the device. {@code cuMemcpyDtoDAsync}; the ranges do not overlap. */
  void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream);

  /** Queues a fill with one byte. {@code cuMemsetD8Async}. */
  void fill8Async(long destination, byte value, long count, StreamHandle stream);

  /**
   * Queues a fill with a 16-bit value; the address is a multiple of 2. {@code cuMemsetD16Async}.
   */
  void fill16Async(long destination, short value, long count, StreamHandle stream);

  /**
   * Queues a fill with a 32-bit value; the address is a multiple of 4. {@code cuMemsetD32Async}.
   */
  void fill32Async(long destination, int value, long count, StreamHandle stream);

  /**
   * Queues a fill of every {@code pitch} bytes with one 32-bit value. {@code cuMemsetD2D32Async}
   * with rows of one value; the address and the pitch are multiples of 4.
   */
  void fill32StridedAsync(long destination, long pitch, int value, long count, StreamHandle stream);

  /**
   * Loads device code, PTX text or a binary. May wait for the device. {@code cuModuleLoadDataEx}.
   *
   * @param name what errors call the module
   * @param image PTX text (without an end mark) or a binary that the driver knows
   * @throws dev.streamfence.KernelLoadException if the driver refuses the image, with the driver's
   *     own log
   */
  ModuleHandle loadModule(String name, byte[] image);

  /** Unloads a module; its kernels must be done. {@code cuModuleUnload}. */
  void unloadModule(ModuleHandle module);

  /**
   * An entry point of a module. {@code cuModuleGetFunction}.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such entry
   */
  FunctionHandle function(ModuleHandle module, String entry);

  /** The limits of an entry point as assembled for this device. {@code cuFuncGetAttribute}. */
  FunctionAttributes attributes(FunctionHandle function);

  /**
   * Allows launches of the function more dynamic shared memory than the default 48 KiB less its
   * static use.
   */
  void allowDynamicSharedBytes(FunctionHandle function, int bytes);

  /**
   * How many blocks of a kernel one multiprocessor holds at the same time, 0 if not even one fits.
   * {@code cuOccupancyMaxActiveBlocksPerMultiprocessor}.
   */
  int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes);

  /**
   * Queues a launch. {@code cuLaunchKernel}, or {@code cuLaunchCooperativeKernel}. Arguments are
   * copied before it returns.
   *
   * @param cooperative whether all blocks run at the same time, so that they may wait for each
   *     other; a grid that the device cannot hold at once is an error
   * @param parameters native memory that starts with a table of the arguments' addresses, one
   *     {@code void*} each
   */
  void launchKernel(
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
      HostMemory parameters);

  /**
   * Who wants to be told what launches declare; null when nobody does. Always the same answer: ask
   * once.
   */
  default @Nullable LaunchObserver launchObserver() {
    return null;
  }

  /** Waits until all work of this device's context is done. {@code cuCtxSynchronize}. */
  void synchronizeDevice();

  /** Lets go of the device. Handles that were not destroyed before are lost. Idempotent. */
  @Override
  void close();
}
