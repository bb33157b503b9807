package dev.streamfence.internal.driver;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One device and the driver calls that this project makes on it: typed, counted in {@link #calls},
 * and with every status checked inside. A status other than success becomes a {@link
 * dev.streamfence.CudaDriverException} unless a method says otherwise. After a sticky one, every
 * call throws it again, unless the call is made on a lost device.
 *
 * <p>Thread-safe, and free of policy: nothing here waits for another stream or frees anything on
 * its own. No method requires anything of the calling Java thread; an implementation over CUDA sets
 * the device's context directly before each call. Unless its first sentence says "waits", a method
 * does not synchronise.
 *
 * <p>The launch path ({@link #launchKernel}, {@link #recordEvent}, {@link #waitForEvent}) allocates
 * no Java memory.
 */
public interface CudaDriver extends Sink, AutoCloseable {

  /** A stream of this device. Opaque; belongs to the driver that made it. */
  interface StreamHandle {}

  /** An event of this device. Opaque; belongs to the driver that made it. */
  interface EventHandle {}

  /** A loaded module of device code. Opaque; belongs to the driver that made it. */
  interface ModuleHandle {}

  /** An entry point of a loaded module. Opaque; valid until its module is unloaded. */
  interface FunctionHandle {}

  /** An executable graph, and the graph that it was made of. Opaque. */
  interface GraphHandle {}

  /** A device as others see it, which copy from it. Opaque; belongs to the driver that made it. */
  interface ContextHandle {}

  /** The calls so far, and the sticky error of one of them. Makes no driver call. */
  DriverCalls calls();

  /** The first sticky error, if there was one. */
  default StickyError sticky() {
    return calls().sticky();
  }

  /** The device's properties. Makes no driver call: they were read when the device was opened. */
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

  /** Destroys a stream; work still queued on it runs. {@code cuStreamDestroy}. */
  void destroyStream(StreamHandle stream);

  /** Waits until everything queued on the stream so far is done. {@code cuStreamSynchronize}. */
  void synchronizeStream(StreamHandle stream);

  /** Whether everything queued on the stream so far is done. {@code cuStreamQuery}. */
  boolean isStreamIdle(StreamHandle stream);

  /**
   * Makes everything queued later on {@code stream} wait for the event. {@code cuStreamWaitEvent}.
   */
  void waitForEvent(StreamHandle stream, EventHandle event);

  /** Waits like {@link #waitForEvent}, for an event of a {@linkplain #isPeer peer}. */
  void waitForPeerEvent(StreamHandle stream, EventHandle event);

  /** Creates an event without timing. {@code cuEventCreate}. */
  EventHandle createEvent();

  /** Creates an event whose time {@link #elapsedMillis} can ask for. {@code cuEventCreate}. */
  EventHandle createTimedEvent();

  /**
   * The time between two events with timing, both of which are complete. {@code
   * cuEventElapsedTime}.
   *
   * @return in milliseconds; negative if {@code to} was reached first
   */
  float elapsedMillis(EventHandle from, EventHandle to);

  /** Destroys an event; waits already queued for it remain. {@code cuEventDestroy}. */
  void destroyEvent(EventHandle event);

  /** Makes the event capture everything queued on the stream so far. {@code cuEventRecord}. */
  void recordEvent(EventHandle event, StreamHandle stream);

  /** Waits until the work that the event captured is done. {@code cuEventSynchronize}. */
  void synchronizeEvent(EventHandle event);

  /** Whether the work that the event captured is done. {@code cuEventQuery}. */
  boolean isEventComplete(EventHandle event);

  /**
   * Allocates device memory in stream order, from the device's own pool. {@code cuMemAllocAsync}.
   *
   * @param bytes at least 1
   * @return the address; other streams may use it only after an event of {@code stream}
   */
  long allocateAsync(long bytes, StreamHandle stream);

  /** Frees device memory in stream order. {@code cuMemFreeAsync}. */
  void freeAsync(long address, StreamHandle stream);

  /**
   * Sets how much freed memory the device's pool keeps for later allocations, instead of giving it
   * back to the operating system at the next synchronisation. {@code cuMemPoolSetAttribute} with
   * the release threshold. All code in this process that allocates in stream order shares the pool.
   *
   * @param bytes at least 0; {@link Long#MAX_VALUE} for all of it
   */
  void keepFreedMemory(long bytes);

  /**
   * Allocates device memory that is ready immediately on every stream. May wait for the device.
   * {@code cuMemAlloc}.
   *
   * @param bytes at least 1
   */
  long allocate(long bytes);

  /**
   * Frees memory from {@link #allocate} immediately, outside any stream's order: nothing may still
   * use it. May wait for the device, but need not. {@code cuMemFree}.
   */
  void free(long address);

  /**
   * Allocates page-locked host memory, which copies may use while the host continues. May wait for
   * the device. {@code cuMemAllocHost}.
   *
   * @param bytes at least 1; at most 2 GiB - 1, the most that a buffer can hold
   */
  HostMemory allocateHost(long bytes);

  /**
   * The address at which kernels, copies and fills on the device reach page-locked host memory,
   * which they then read and write over the bus. {@code cuMemHostGetDevicePointer}.
   *
   * @throws dev.streamfence.CudaDriverException if the device cannot reach host memory
   */
  long deviceAddress(HostMemory memory);

  /** Frees page-locked host memory. May wait for the device. {@code cuMemFreeHost}. */
  void freeHost(HostMemory memory);

  /**
   * Loads device code, PTX text or a binary. May wait for the device. {@code cuModuleLoadDataEx}.
   *
   * @param name the module's name in errors
   * @param image PTX text (without a terminating zero) or a binary that the driver knows
   * @throws dev.streamfence.KernelLoadException if the driver refuses the image; carries the
   *     driver's log
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

  /**
   * A variable of a module. {@code cuModuleGetGlobal}.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such variable
   */
  ModuleVariable variable(ModuleHandle module, String name);

  /** The limits of an entry point as assembled for this device. {@code cuFuncGetAttribute}. */
  FunctionAttributes attributes(FunctionHandle function);

  /**
   * Lets launches of the function use more dynamic shared memory than the default of 48 KiB minus
   * its static use.
   */
  void allowDynamicSharedBytes(FunctionHandle function, int bytes);

  /**
   * The occupancy of a kernel: how many of its blocks one multiprocessor holds at the same time; 0
   * if not even one fits. {@code cuOccupancyMaxActiveBlocksPerMultiprocessor}.
   */
  int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes);

  /**
   * The number of threads per block, within the limits of the kernel, with which most threads run
   * at the same time; 0 if not even one block fits. {@code cuOccupancyMaxPotentialBlockSize}.
   */
  int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes);

  /**
   * The observer of what launches declare, or null if there is none. The answer never changes: ask
   * once.
   */
  default @Nullable LaunchObserver launchObserver() {
    return null;
  }

  /**
   * Makes a graph. {@code cuGraphCreate} and the calls for each node; if one of them fails, what
   * the others made is destroyed. Copies the arguments of launches.
   */
  GraphHandle createGraph(List<? extends GraphNode> nodes);

  /** Makes a graph executable, once. {@code cuGraphInstantiate}. */
  void instantiateGraph(GraphHandle graph);

  /**
   * Makes a graph executable by a change of another's executable graph, which cannot be launched
   * any more then. {@code cuGraphExecUpdate}. Runs that are queued do not change.
   *
   * @return false if the two differ in more than the driver can change; nothing has changed then
   */
  boolean moveExecutable(GraphHandle from, GraphHandle to);

  /**
   * Queues a run of a graph, which comes after its earlier runs on any stream. {@code
   * cuGraphLaunch}. Allocates no Java memory.
   */
  void launchGraph(GraphHandle graph, StreamHandle stream);

  /**
   * Gives later runs of a graph the arguments that some nodes have at this moment. {@code
   * cuGraphExecKernelNodeSetParams} and its like, one call each.
   *
   * @param nodes all nodes, where those of a condition follow it
   * @param outdated the places of these nodes; each is cleared once the driver knows its arguments
   */
  void updateGraph(GraphHandle graph, List<? extends GraphNode> nodes, BitSet outdated);

  /**
   * Destroys a graph; a run that is queued still runs. {@code cuGraphExecDestroy} and {@code
   * cuGraphDestroy}. If one of them fails, a later call goes on there.
   */
  void destroyGraph(GraphHandle graph);

  /** The driver's own handle, a {@code CUstream}, for code that is not ours. No driver call. */
  long rawHandle(StreamHandle stream);

  /** The driver's own handle, a {@code CUevent}, for code that is not ours. No driver call. */
  long rawHandle(EventHandle event);

  /**
   * A stream that other code made and will destroy. {@code cuStreamGetCtx} tells whether it belongs
   * to this device's context; the driver cannot tell whether it exists.
   *
   * @param rawHandle a {@code CUstream}; 1 for the legacy default stream
   * @throws IllegalArgumentException if it belongs to another context
   */
  StreamHandle foreignStream(long rawHandle);

  /**
   * Whether what is put on the stream is captured by other code instead of run, or would be refused
   * because that captures another stream. {@code cuStreamIsCapturing}. Allocates no Java memory.
   */
  boolean isCapturing(StreamHandle stream);

  /**
   * Ends a capture that other code has begun in this thread, and destroys what it has captured.
   * {@code cuStreamEndCapture} and {@code cuGraphDestroy}.
   */
  void discardCapture(StreamHandle stream);

  /**
   * An event that other code made and will destroy. Makes no driver call.
   *
   * @param rawHandle a {@code CUevent}
   */
  EventHandle foreignEvent(long rawHandle);

  /** Where an address lies. {@code cuPointerGetAttributes}. */
  PointerInfo pointerInfo(long address);

  /**
   * Makes the device's context current in the calling thread, for code that is not ours. {@code
   * cuCtxSetCurrent}.
   */
  void makeCurrent();

  /**
   * Runs driver calls in a thread of other code: the context that is current there before is
   * current again afterwards. {@code cuCtxGetCurrent} and {@code cuCtxSetCurrent}.
   */
  default void inThreadOfOthers(Runnable calls) {
    calls.run();
  }

  /** This device for others, which copy from it. No driver call. */
  ContextHandle context();

  /**
   * Whether streams can wait for that device's events, and copies read its memory. No driver call.
   */
  boolean isPeer(ContextHandle other);

  /**
   * Whether this device can access the memory of a peer directly. {@code cuDeviceCanAccessPeer}.
   */
  boolean canAccessPeer(ContextHandle peer);

  /**
   * Lets this device access what {@link #allocate} of a peer returns. {@code
   * cuCtxEnablePeerAccess}, which refuses the second call.
   */
  void enablePeerAccess(ContextHandle peer);

  /**
   * Lets a peer access what {@link #allocateAsync} returns. {@code cuMemPoolSetAccess} for the
   * device's own pool.
   */
  void sharePool(ContextHandle peer);

  /**
   * Queues a copy from the memory of a peer. {@code cuMemcpyPeerAsync}, which goes through the host
   * if this device has no access to that memory.
   */
  void copyFromPeerAsync(
      long destination, ContextHandle peer, long source, long bytes, StreamHandle stream);

  /** Waits until all work of this device's context is done. {@code cuCtxSynchronize}. */
  void synchronizeDevice();

  /**
   * Where a profiler learns what a thread does; null if none is there. The answer never changes:
   * ask once. No driver call.
   */
  default @Nullable HostRanges hostRanges() {
    return null;
  }

  /**
   * The host's clock, in nanoseconds that can be compared with each other and with the times of
   * events. No driver call. That of a simulated device stands still while it carries out work.
   */
  default long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Notes that the host has waited for every stream of the runtime. A device that runs work only
   * when the host waits for it now also runs what other code has queued; that orders nothing. Does
   * nothing on a GPU, which runs all work anyway.
   */
  default void everyStreamAwaited() {}

  /** Releases the device. Handles not destroyed before are lost. Idempotent. */
  @Override
  void close();
}
