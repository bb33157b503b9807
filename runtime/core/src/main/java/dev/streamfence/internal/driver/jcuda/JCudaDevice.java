// Long because the seam has many calls: each method makes one driver call, except
// keepFreedMemory, sharePool, attributes, loadModule and those that make and destroy graphs.
package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.ptr.PointerByReference;
import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCalls;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostRanges;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.simulation.DriverCall;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureStatus;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A device through JCuda. Thread-safe if the caller destroys, frees or unloads nothing that another
 * thread uses, and calls {@link #close} while no other call runs. A destroyed handle, or another
 * driver's, throws an {@link IllegalArgumentException} before the driver sees it; every call after
 * close throws an {@link IllegalStateException}.
 *
 * <p>The current context belongs to the operating system's thread, and any code can change it:
 * other libraries do, and a virtual thread finds the context of the thread that ran on its carrier
 * before. Each call therefore sets the context directly before the driver call, with nothing in
 * between that could unmount a virtual thread. It never restores the context: a caller with a
 * context of its own sets it again afterwards.
 */
final class JCudaDevice implements CudaDriver, CudaDriver.ContextHandle {
  /** As the driver understands a limit of block sizes. */
  private static final int NO_LIMIT = 0;

  private final CUdevice device;
  private final CUcontext context;
  private final DeviceProperties properties;
  private final DriverCalls calls = new DriverCalls();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Conditions conditions = new Conditions(this);

  JCudaDevice(CUdevice device, CUcontext context, DeviceProperties properties) {
    this.device = device;
    this.context = context;
    this.properties = properties;
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
    long[] free = new long[1];
    long[] total = new long[1];
    call(DriverCall.MEMORY_INFO, () -> JCudaDriver.cuMemGetInfo(free, total));
    return new MemoryInfo(free[0], total[0]);
  }

  @Override
  public void keepFreedMemory(long bytes) {
    PointerByReference pool = pool();
    call(
        DriverCall.KEEP_FREED_MEMORY,
        () -> UnboundFunctions.cuMemPoolSetReleaseThreshold(pool, bytes));
  }

  private PointerByReference pool() {
    UnboundFunctions.load();
    PointerByReference pool = new PointerByReference();
    setContext();
    check("cuDeviceGetMemPool", Status.of(() -> UnboundFunctions.cuDeviceGetMemPool(pool, device)));
    return pool;
  }

  @Override
  public StreamHandle createStream(int priority) {
    CUstream stream = new CUstream();
    call(
        DriverCall.CREATE_STREAM,
        () ->
            JCudaDriver.cuStreamCreateWithPriority(
                stream, CUstream_flags.CU_STREAM_NON_BLOCKING, priority));
    return new DriverHandle.Stream(this, stream);
  }

  @Override
  public void destroyStream(StreamHandle stream) {
    checkOpen();
    CUstream cuStream = own(DriverHandle.Stream.class, stream).destroy(this);
    call(DriverCall.DESTROY_STREAM, () -> JCudaDriver.cuStreamDestroy(cuStream));
  }

  @Override
  public void synchronizeStream(StreamHandle stream) {
    CUstream cuStream = use(stream);
    call(DriverCall.SYNCHRONIZE_STREAM, () -> JCudaDriver.cuStreamSynchronize(cuStream));
  }

  @Override
  public boolean isStreamIdle(StreamHandle stream) {
    CUstream cuStream = use(stream);
    return poll(DriverCall.IS_STREAM_IDLE, () -> JCudaDriver.cuStreamQuery(cuStream));
  }

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    waitFor(use(stream), use(event));
  }

  @Override
  public void waitForPeerEvent(StreamHandle stream, EventHandle event) {
    waitFor(use(stream), own(DriverHandle.Event.class, event).use());
  }

  private void waitFor(CUstream cuStream, CUevent cuEvent) {
    begin(DriverCall.WAIT_FOR_EVENT);
    check(DriverCall.WAIT_FOR_EVENT, FastestLaunchCalls.now().waitFor(cuStream, cuEvent));
  }

  @Override
  public EventHandle createEvent() {
    return createEvent(CUevent_flags.CU_EVENT_DISABLE_TIMING);
  }

  @Override
  public EventHandle createTimedEvent() {
    return createEvent(CUevent_flags.CU_EVENT_DEFAULT);
  }

  private EventHandle createEvent(int flags) {
    CUevent event = new CUevent();
    call(DriverCall.CREATE_EVENT, () -> JCudaDriver.cuEventCreate(event, flags));
    return new DriverHandle.Event(this, event);
  }

  @Override
  public @Nullable HostRanges hostRanges() {
    return NvtxRanges.find();
  }

  @Override
  public float elapsedMillis(EventHandle from, EventHandle to) {
    CUevent cuFrom = use(from);
    CUevent cuTo = use(to);
    float[] millis = new float[1];
    call(DriverCall.ELAPSED_TIME, () -> JCudaDriver.cuEventElapsedTime(millis, cuFrom, cuTo));
    return millis[0];
  }

  @Override
  public void destroyEvent(EventHandle event) {
    checkOpen();
    CUevent cuEvent = own(DriverHandle.Event.class, event).destroy(this);
    call(DriverCall.DESTROY_EVENT, () -> JCudaDriver.cuEventDestroy(cuEvent));
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    CUevent cuEvent = use(event);
    CUstream cuStream = use(stream);
    begin(DriverCall.RECORD_EVENT);
    check(DriverCall.RECORD_EVENT, FastestLaunchCalls.now().record(cuEvent, cuStream));
  }

  @Override
  public void synchronizeEvent(EventHandle event) {
    CUevent cuEvent = use(event);
    call(DriverCall.SYNCHRONIZE_EVENT, () -> JCudaDriver.cuEventSynchronize(cuEvent));
  }

  @Override
  public boolean isEventComplete(EventHandle event) {
    CUevent cuEvent = use(event);
    return poll(DriverCall.IS_EVENT_COMPLETE, () -> JCudaDriver.cuEventQuery(cuEvent));
  }

  @Override
  public long allocateAsync(long bytes, StreamHandle stream) {
    CUstream cuStream = use(stream);
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "cannot allocate " + bytes + " bytes; a size is at least 1");
    }
    DevicePointer pointer = new DevicePointer();
    call(DriverCall.ALLOCATE_ASYNC, () -> JCudaDriver.cuMemAllocAsync(pointer, bytes, cuStream));
    return pointer.address();
  }

  @Override
  public void freeAsync(long address, StreamHandle stream) {
    CUstream cuStream = use(stream);
    DevicePointer pointer = new DevicePointer(address);
    call(DriverCall.FREE_ASYNC, () -> JCudaDriver.cuMemFreeAsync(pointer, cuStream));
  }

  @Override
  public long allocate(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "cannot allocate " + bytes + " bytes; a size is at least 1");
    }
    DevicePointer pointer = new DevicePointer();
    call(DriverCall.ALLOCATE, () -> JCudaDriver.cuMemAlloc(pointer, bytes));
    return pointer.address();
  }

  @Override
  public void free(long address) {
    DevicePointer pointer = new DevicePointer(address);
    call(DriverCall.FREE, () -> JCudaDriver.cuMemFree(pointer));
  }

  @Override
  public HostMemory allocateHost(long bytes) {
    return pin(bytes);
  }

  private PinnedMemory pin(long bytes) {
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "cannot allocate "
              + bytes
              + " bytes of page-locked memory; a size is from 1 to "
              + Integer.MAX_VALUE);
    }
    RawPointer pointer = new RawPointer(0);
    call(DriverCall.ALLOCATE_HOST, () -> JCudaDriver.cuMemAllocHost(pointer, bytes));
    return PinnedMemory.of(this, pointer, bytes);
  }

  @Override
  public long deviceAddress(HostMemory memory) {
    RawPointer host = pinned(memory).pointer(this);
    DevicePointer pointer = new DevicePointer();
    call(
        DriverCall.HOST_DEVICE_ADDRESS,
        () -> JCudaDriver.cuMemHostGetDevicePointer(pointer, host, 0));
    return pointer.address();
  }

  @Override
  public void freeHost(HostMemory memory) {
    PinnedMemory pinned = pinned(memory);
    checkOpen();
    RawPointer pointer = pinned.free(this);
    try {
      call(DriverCall.FREE_HOST, () -> JCudaDriver.cuMemFreeHost(pointer));
    } catch (CudaDriverException e) {
      pinned.notFreed();
      throw e;
    }
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    CUstream cuStream = use(stream);
    RawPointer from = pinned(source).pointer(this, sourceOffset, bytes);
    DevicePointer to = new DevicePointer(destination);
    call(
        DriverCall.COPY_TO_DEVICE_ASYNC,
        () -> JCudaDriver.cuMemcpyHtoDAsync(to, from, bytes, cuStream));
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    CUstream cuStream = use(stream);
    RawPointer to = pinned(destination).pointer(this, destinationOffset, bytes);
    DevicePointer from = new DevicePointer(source);
    call(
        DriverCall.COPY_TO_HOST_ASYNC,
        () -> JCudaDriver.cuMemcpyDtoHAsync(to, from, bytes, cuStream));
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    CUstream cuStream = use(stream);
    DevicePointer to = new DevicePointer(destination);
    DevicePointer from = new DevicePointer(source);
    call(
        DriverCall.COPY_ON_DEVICE_ASYNC,
        () -> JCudaDriver.cuMemcpyDtoDAsync(to, from, bytes, cuStream));
  }

  @Override
  public ContextHandle context() {
    return this;
  }

  @Override
  public boolean isPeer(ContextHandle other) {
    return other instanceof JCudaDevice;
  }

  @Override
  public boolean canAccessPeer(ContextHandle peer) {
    CUdevice other = own(JCudaDevice.class, peer).device;
    int[] can = new int[1];
    call(DriverCall.CAN_ACCESS_PEER, () -> JCudaDriver.cuDeviceCanAccessPeer(can, device, other));
    return can[0] != 0;
  }

  @Override
  public void enablePeerAccess(ContextHandle peer) {
    CUcontext other = own(JCudaDevice.class, peer).context;
    call(DriverCall.ENABLE_PEER_ACCESS, () -> JCudaDriver.cuCtxEnablePeerAccess(other, 0));
  }

  @Override
  public void sharePool(ContextHandle peer) {
    CUdevice reader = own(JCudaDevice.class, peer).device;
    PointerByReference pool = pool();
    call(DriverCall.SHARE_POOL, () -> UnboundFunctions.cuMemPoolSetAccess(pool, reader));
  }

  @Override
  public void copyFromPeerAsync(
      long destination, ContextHandle peer, long source, long bytes, StreamHandle stream) {
    CUstream cuStream = use(stream);
    CUcontext other = own(JCudaDevice.class, peer).context;
    DevicePointer to = new DevicePointer(destination);
    DevicePointer from = new DevicePointer(source);
    call(
        DriverCall.COPY_FROM_PEER_ASYNC,
        () -> JCudaDriver.cuMemcpyPeerAsync(to, context, from, other, bytes, cuStream));
  }

  @Override
  public void fillAsync(long destination, int bytes, int value, long count, StreamHandle stream) {
    CUstream cuStream = use(stream);
    DevicePointer to = new DevicePointer(destination);
    call(
        Sink.fillCall(bytes),
        () ->
            switch (bytes) {
              case Byte.BYTES -> JCudaDriver.cuMemsetD8Async(to, (byte) value, count, cuStream);
              case Short.BYTES -> JCudaDriver.cuMemsetD16Async(to, (short) value, count, cuStream);
              default -> JCudaDriver.cuMemsetD32Async(to, value, count, cuStream);
            });
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    CUstream cuStream = use(stream);
    DevicePointer to = new DevicePointer(destination);
    call(
        DriverCall.FILL_32_STRIDED_ASYNC,
        () -> JCudaDriver.cuMemsetD2D32Async(to, pitch, value, 1, count, cuStream));
  }

  @Override
  public ModuleHandle loadModule(String name, byte[] image) {
    ModuleImage.check(name, image);
    PinnedMemory memory = pin(ModuleLoading.bytesFor(image));
    DriverHandle.Module module;
    try {
      module = new DriverHandle.Module(this, load(new ModuleLoading(name, image, memory)), name);
    } catch (RuntimeException | Error e) {
      afterFailure(e, () -> freeHost(memory));
      throw e;
    }
    try {
      freeHost(memory);
    } catch (RuntimeException | Error e) {
      afterFailure(e, () -> unloadModule(module));
      throw e;
    }
    return module;
  }

  private static void afterFailure(Throwable failure, Runnable undo) {
    try {
      undo.run();
    } catch (RuntimeException | Error second) {
      Suppressed.add(failure, second);
    }
  }

  private CUmodule load(ModuleLoading loading) {
    CUmodule module = new CUmodule();
    try {
      call(DriverCall.LOAD_MODULE, () -> loading.load(module));
      return module;
    } catch (CudaDriverException e) {
      throw loading.failure(e);
    }
  }

  @Override
  public void unloadModule(ModuleHandle module) {
    checkOpen();
    CUmodule cuModule = own(DriverHandle.Module.class, module).destroy(this);
    call(DriverCall.UNLOAD_MODULE, () -> JCudaDriver.cuModuleUnload(cuModule));
  }

  @Override
  public FunctionHandle function(ModuleHandle module, String entry) {
    DriverHandle.Module handle = own(DriverHandle.Module.class, module);
    CUmodule cuModule = handle.use(this);
    CUfunction function = new CUfunction();
    try {
      call(DriverCall.FUNCTION, () -> JCudaDriver.cuModuleGetFunction(function, cuModule, entry));
    } catch (CudaDriverException e) {
      if (e.code() == CUresult.CUDA_ERROR_NOT_FOUND) {
        throw new KernelLoadException(handle.name, "it has no entry point " + entry, "", e);
      }
      throw e.during("looking up entry point " + entry + " of module " + handle.name);
    }
    return new DriverHandle.Function(handle, function, entry);
  }

  @Override
  public ModuleVariable variable(ModuleHandle module, String name) {
    DriverHandle.Module handle = own(DriverHandle.Module.class, module);
    CUmodule cuModule = handle.use(this);
    DevicePointer pointer = new DevicePointer();
    long[] bytes = new long[1];
    try {
      call(
          DriverCall.MODULE_VARIABLE,
          () -> JCudaDriver.cuModuleGetGlobal(pointer, bytes, cuModule, name));
    } catch (CudaDriverException e) {
      if (e.code() == CUresult.CUDA_ERROR_NOT_FOUND) {
        throw new KernelLoadException(handle.name, "it has no variable " + name, "", e);
      }
      throw e.during("looking up variable " + name + " of module " + handle.name);
    }
    return new ModuleVariable(pointer.address(), bytes[0]);
  }

  @Override
  public FunctionAttributes attributes(FunctionHandle function) {
    CUfunction cuFunction = use(function);
    return new FunctionAttributes(
        attribute(cuFunction, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        attribute(cuFunction, CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  }

  private int attribute(CUfunction function, int attribute) {
    int[] value = new int[1];
    call(DriverCall.ATTRIBUTES, () -> JCudaDriver.cuFuncGetAttribute(value, attribute, function));
    return value[0];
  }

  @Override
  public void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    CUfunction cuFunction = use(function);
    int attribute = CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    call(
        DriverCall.ALLOW_DYNAMIC_SHARED_BYTES,
        () -> JCudaDriver.cuFuncSetAttribute(cuFunction, attribute, bytes));
  }

  @Override
  public int residentBlocksPerMultiprocessor(
      FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    CUfunction cuFunction = use(function);
    int[] blocks = new int[1];
    call(
        DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR,
        () ->
            JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                blocks, cuFunction, blockThreads, dynamicSharedBytes));
    return blocks[0];
  }

  @Override
  public int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    CUfunction cuFunction = use(function);
    int[] leastBlocks = new int[1];
    int[] blockSize = new int[1];
    // A callback for shared memory by block size would be one for the whole process.
    call(
        DriverCall.SUGGESTED_BLOCK_SIZE,
        () ->
            JCudaDriver.cuOccupancyMaxPotentialBlockSize(
                leastBlocks, blockSize, cuFunction, null, dynamicSharedBytes, NO_LIMIT));
    return blockSize[0];
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    CUfunction cuFunction = use(launch.function());
    CUstream cuStream = use(launch.stream());
    RawPointer table = pinned(launch.parameters()).pointer(this);
    DriverCall call = launch.call();
    begin(call);
    check(call, FastestLaunchCalls.now().launch(cuFunction, launch, cuStream, table));
  }

  @Override
  public GraphHandle createGraph(List<? extends GraphNode> nodes) {
    CUgraph cuGraph = new CUgraph();
    call(DriverCall.CREATE_GRAPH, () -> JCudaDriver.cuGraphCreate(cuGraph, 0));
    JCudaGraph graph = new JCudaGraph(this, cuGraph);
    boolean isMade = false;
    try {
      graph.add(nodes, context);
      isMade = true;
      return graph;
    } finally {
      if (!isMade) {
        destroy(cuGraph);
      }
    }
  }

  @Override
  public void instantiateGraph(GraphHandle graph) {
    JCudaGraph known = use(graph);
    CUgraphExec made = new CUgraphExec();
    call(DriverCall.INSTANTIATE_GRAPH, () -> JCudaDriver.cuGraphInstantiate(made, known.graph, 0));
    known.made(made);
  }

  @Override
  public boolean moveExecutable(GraphHandle from, GraphHandle to) {
    UnboundFunctions.load();
    JCudaGraph has = use(from);
    JCudaGraph wants = use(to);
    CUgraphExec executable = has.executable().handle();
    begin(DriverCall.UPDATE_GRAPH);
    int code = Status.of(() -> UnboundFunctions.cuGraphExecUpdate(executable, wants.graph));
    if (code == CUresult.CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
      return false;
    }
    check(DriverCall.UPDATE_GRAPH, code);
    has.changedInto(wants);
    return true;
  }

  /** The conditions of its graphs. */
  Conditions conditions() {
    return conditions;
  }

  @Override
  public void launchGraph(GraphHandle graph, StreamHandle stream) {
    JCudaGraph known = use(graph);
    CUstream cuStream = use(stream);
    begin(DriverCall.LAUNCH_GRAPH);
    check(
        DriverCall.LAUNCH_GRAPH,
        FastestLaunchCalls.now().launch(known.executable().handle(), cuStream));
  }

  @Override
  public void updateGraph(GraphHandle graph, List<? extends GraphNode> nodes, BitSet outdated) {
    JCudaGraph known = use(graph);
    LaunchCalls fastest = FastestLaunchCalls.now();
    fastest.prepareUpdate();
    // Once for all: nothing comes between the calls that could move a virtual thread.
    setContext();
    new GraphNodeSink.Updating(this, context, known.executable(), fastest).update(nodes, outdated);
  }

  /** Changes a launch of an executable graph, with the context set. */
  void updateKernel(
      LaunchCalls fastest,
      CUgraphExec graph,
      CUgraphNode node,
      CUfunction function,
      KernelLaunch launch,
      RawPointer arguments) {
    calls.begin(DriverCall.UPDATE_KERNEL_NODE);
    check(DriverCall.UPDATE_KERNEL_NODE, fastest.update(graph, node, function, launch, arguments));
  }

  @Override
  public void destroyGraph(GraphHandle graph) {
    checkOpen();
    JCudaGraph last = own(JCudaGraph.class, graph).destroy(this);
    boolean isGone = false;
    try {
      CUgraphExec executable = last.executableToDestroy();
      if (executable != null) {
        call(DriverCall.DESTROY_EXECUTABLE_GRAPH, () -> JCudaDriver.cuGraphExecDestroy(executable));
        last.executableDestroyed();
      }
      for (CUgraph each : List.copyOf(last.owned)) {
        destroy(each);
        last.owned.remove(each);
      }
      isGone = true;
    } finally {
      if (!isGone) {
        last.notDestroyed();
      }
    }
  }

  private void destroy(CUgraph graph) {
    call(DriverCall.DESTROY_GRAPH, () -> JCudaDriver.cuGraphDestroy(graph));
  }

  @Override
  public long rawHandle(StreamHandle stream) {
    return RawHandle.of(use(stream));
  }

  @Override
  public long rawHandle(EventHandle event) {
    return RawHandle.of(use(event));
  }

  @Override
  public StreamHandle foreignStream(long rawHandle) {
    CUstream stream = RawHandle.set(new CUstream(), rawHandle);
    CUcontext owner = new CUcontext();
    call(DriverCall.STREAM_CONTEXT, () -> JCudaDriver.cuStreamGetCtx(stream, owner));
    if (RawHandle.of(owner) != RawHandle.of(context)) {
      throw new IllegalArgumentException(
          "stream 0x"
              + Long.toHexString(rawHandle)
              + " belongs to another context than "
              + this
              + ", which uses the primary context");
    }
    return new DriverHandle.Stream(this, stream);
  }

  @Override
  public boolean isCapturing(StreamHandle stream) {
    CUstream cuStream = use(stream);
    int[] status = ((DriverHandle.Stream) stream).captureStatus;
    synchronized (status) {
      begin(DriverCall.IS_CAPTURING);
      int code;
      try {
        code = JCudaDriver.cuStreamIsCapturing(cuStream, status);
      } catch (CudaException e) {
        code = Status.of(e);
      }
      if (code == CUresult.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        // The legacy default stream, while a stream that waits for it is captured.
        return true;
      }
      check(DriverCall.IS_CAPTURING, code);
      return status[0] != CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE;
    }
  }

  @Override
  public void discardCapture(StreamHandle stream) {
    CUstream cuStream = use(stream);
    CUgraph captured = new CUgraph();
    call(DriverCall.END_CAPTURE, () -> JCudaDriver.cuStreamEndCapture(cuStream, captured));
    if (RawHandle.of(captured) != 0) {
      destroy(captured);
    }
  }

  @Override
  public EventHandle foreignEvent(long rawHandle) {
    return new DriverHandle.Event(this, RawHandle.set(new CUevent(), rawHandle));
  }

  @Override
  public PointerInfo pointerInfo(long address) {
    PointerAttributes attributes = new PointerAttributes();
    call(DriverCall.POINTER_INFO, () -> attributes.read(address));
    return attributes.info();
  }

  @Override
  public void inThreadOfOthers(Runnable work) {
    checkOpen();
    CUcontext before = new CUcontext();
    // Their errors are those of the other code's context, and do not lose this device.
    Status.check("cuCtxGetCurrent", Status.of(() -> JCudaDriver.cuCtxGetCurrent(before)));
    try {
      work.run();
    } finally {
      Status.check("cuCtxSetCurrent", Status.of(() -> JCudaDriver.cuCtxSetCurrent(before)));
    }
  }

  @Override
  public void synchronizeDevice() {
    call(DriverCall.SYNCHRONIZE_DEVICE, JCudaDriver::cuCtxSynchronize);
  }

  @Override
  public void close() {
    try {
      if (!closed.get() && calls.sticky().error() == null) {
        conditions.close();
      }
    } finally {
      release();
    }
  }

  private void release() {
    if (closed.compareAndSet(false, true)) {
      check(
          "cuDevicePrimaryCtxRelease",
          Status.of(() -> JCudaDriver.cuDevicePrimaryCtxRelease(device)));
    }
  }

  @Override
  public void makeCurrent() {
    begin(DriverCall.MAKE_CURRENT);
  }

  /** Makes one driver call in the device's context, and checks its code. */
  void call(DriverCall call, IntSupplier function) {
    begin(call);
    check(call, Status.of(function));
  }

  /** Makes one driver call, with the device's context set, and checks its code. */
  void callInContext(DriverCall call, IntSupplier function) {
    calls.begin(call);
    check(call, Status.of(function));
  }

  /** A call that may also return "not ready", which is not an error. */
  private boolean poll(DriverCall call, IntSupplier function) {
    begin(call);
    int code = Status.of(function);
    if (code == CUresult.CUDA_ERROR_NOT_READY) {
      return false;
    }
    check(call, code);
    return true;
  }

  /** Announces a call, and makes the context current that it needs. */
  private void begin(DriverCall call) {
    calls.begin(call);
    boolean isCurrent = false;
    try {
      setContext();
      isCurrent = true;
    } finally {
      if (!isCurrent) {
        calls.failed(call);
      }
    }
  }

  private void setContext() {
    checkOpen();
    check(DriverCall.MAKE_CURRENT, FastestLaunchCalls.now().setCurrent(context));
  }

  private void check(DriverCall call, int code) {
    if (code != CUresult.CUDA_SUCCESS) {
      calls.failed(call);
    }
    check(call.function(), code);
  }

  private void check(String function, int code) {
    if (code != CUresult.CUDA_SUCCESS) {
      throw calls.sticky().keep(Status.error(function, code));
    }
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException(this + " is closed");
    }
  }

  private CUstream use(StreamHandle stream) {
    return own(DriverHandle.Stream.class, stream).use(this);
  }

  private CUevent use(EventHandle event) {
    return own(DriverHandle.Event.class, event).use(this);
  }

  private JCudaGraph use(GraphHandle graph) {
    return own(JCudaGraph.class, graph).use(this);
  }

  CUfunction use(FunctionHandle function) {
    return own(DriverHandle.Function.class, function).use(this);
  }

  PinnedMemory pinned(HostMemory memory) {
    return own(PinnedMemory.class, memory);
  }

  /** What this binding made, as it knows it; throws if another driver made it. */
  private <T> T own(Class<T> kind, Object made) {
    if (kind.isInstance(made)) {
      return kind.cast(made);
    }
    throw DriverHandle.foreign(made, this);
  }

  @Override
  public String toString() {
    return "CUDA device " + properties.ordinal() + " (" + properties.name() + ")";
  }
}
