package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.simulation.DriverCall;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * One driver with one handle of each kind, and a sample of each call of the table. Confined to one
 * thread.
 */
final class SeamCalls {
  static final String PTX =
      """
      .version 8.0
      .target sm_70
      .address_size 64
      .global .u32 level;
      .const .b8 limits[24];
      .visible .entry nothing() { ret; }
      .visible .entry kinds(
        .param .s8 a, .param .u16 b, .param .s16 c, .param .s32 d,
        .param .s64 e, .param .f32 f, .param .f64 g, .param .u64 h
      ) { ret; }
      """;

  final CudaDriver driver;
  final StreamHandle stream;
  final EventHandle event;
  final EventHandle timed;
  final long memory;
  final long directMemory;
  final HostMemory host;
  final ModuleHandle module;
  final FunctionHandle function;
  final GraphHandle graph;
  private final GraphHandle otherGraph;

  SeamCalls(CudaDriver driver) {
    this.driver = driver;
    stream = driver.createStream(0);
    event = driver.createEvent();
    timed = driver.createTimedEvent();
    driver.recordEvent(timed, stream);
    driver.synchronizeEvent(timed);
    memory = driver.allocateAsync(64, stream);
    directMemory = driver.allocate(64);
    host = driver.allocateHost(64);
    module = driver.loadModule("module.ptx", ptx());
    function = driver.function(module, "nothing");
    graph = driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
    driver.instantiateGraph(graph);
    otherGraph = driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
    // The first condition loads a module.
    driver.destroyGraph(driver.createGraph(List.of(conditionNode())));
  }

  static byte[] ptx() {
    return PTX.getBytes(StandardCharsets.US_ASCII);
  }

  /** Makes a call, with arguments that the stand-in takes. */
  void make(DriverCall call) {
    sample(call).run();
  }

  private Runnable sample(DriverCall call) {
    return switch (call) {
      case CREATE_STREAM -> () -> driver.createStream(0);
      case DESTROY_STREAM -> () -> driver.destroyStream(stream);
      case SYNCHRONIZE_STREAM -> () -> driver.synchronizeStream(stream);
      case IS_STREAM_IDLE -> () -> driver.isStreamIdle(stream);
      case WAIT_FOR_EVENT -> () -> driver.waitForEvent(stream, event);
      case CREATE_EVENT -> () -> driver.createEvent();
      case DESTROY_EVENT -> () -> driver.destroyEvent(event);
      case RECORD_EVENT -> () -> driver.recordEvent(event, stream);
      case SYNCHRONIZE_EVENT -> () -> driver.synchronizeEvent(event);
      case IS_EVENT_COMPLETE -> () -> driver.isEventComplete(event);
      case ELAPSED_TIME -> () -> driver.elapsedMillis(timed, timed);
      case ALLOCATE_ASYNC -> () -> driver.allocateAsync(8, stream);
      case FREE_ASYNC -> () -> driver.freeAsync(memory, stream);
      case ALLOCATE -> () -> driver.allocate(8);
      case FREE -> () -> driver.free(directMemory);
      case KEEP_FREED_MEMORY -> () -> driver.keepFreedMemory(64);
      case ALLOCATE_HOST -> () -> driver.allocateHost(8);
      case HOST_DEVICE_ADDRESS -> () -> driver.deviceAddress(host);
      case FREE_HOST -> () -> driver.freeHost(host);
      case COPY_TO_DEVICE_ASYNC -> () -> driver.copyToDeviceAsync(memory, host, 0, 64, stream);
      case COPY_TO_HOST_ASYNC -> () -> driver.copyToHostAsync(host, 0, memory, 64, stream);
      case COPY_ON_DEVICE_ASYNC -> () -> driver.copyOnDeviceAsync(memory + 32, memory, 32, stream);
      case COPY_FROM_PEER_ASYNC ->
          () -> {
            driver.waitForPeerEvent(stream, event);
            driver.copyFromPeerAsync(memory + 32, driver.context(), memory, 32, stream);
          };
      case CAN_ACCESS_PEER -> () -> driver.canAccessPeer(driver.context());
      case ENABLE_PEER_ACCESS -> () -> driver.enablePeerAccess(driver.context());
      case SHARE_POOL -> () -> driver.sharePool(driver.context());
      case FILL_8_ASYNC -> () -> driver.fill8Async(memory, (byte) 1, 64, stream);
      case FILL_16_ASYNC -> () -> driver.fill16Async(memory, (short) 1, 32, stream);
      case FILL_32_ASYNC -> () -> driver.fill32Async(memory, 1, 16, stream);
      case FILL_32_STRIDED_ASYNC -> () -> driver.fill32StridedAsync(memory, 8, 1, 8, stream);
      case LOAD_MODULE -> () -> driver.loadModule("m.ptx", ptx());
      case UNLOAD_MODULE -> () -> driver.unloadModule(module);
      case FUNCTION -> () -> driver.function(module, "nothing");
      case MODULE_VARIABLE -> () -> driver.variable(module, "level");
      case ATTRIBUTES -> () -> driver.attributes(function);
      case ALLOW_DYNAMIC_SHARED_BYTES -> () -> driver.allowDynamicSharedBytes(function, 65536);
      case RESIDENT_BLOCKS_PER_MULTIPROCESSOR ->
          () -> driver.residentBlocksPerMultiprocessor(function, 32, 0);
      case SUGGESTED_BLOCK_SIZE -> () -> driver.suggestedBlockSize(function, 0);
      case LAUNCH_KERNEL -> () -> launch(false, host);
      case LAUNCH_COOPERATIVE_KERNEL -> () -> launch(true, host);
      case CREATE_GRAPH -> () -> driver.createGraph(List.of());
      case INSTANTIATE_GRAPH -> () -> driver.instantiateGraph(otherGraph);
      case UPDATE_GRAPH -> () -> driver.moveExecutable(graph, otherGraph);
      case ADD_KERNEL_NODE -> () -> driver.createGraph(List.of(launchNode(false)));
      case SET_KERNEL_NODE_ATTRIBUTE -> () -> driver.createGraph(List.of(launchNode(true)));
      case CREATE_CONDITION, ADD_CONDITION -> () -> driver.createGraph(List.of(conditionNode()));
      case ADD_COPY_NODE -> () -> driver.createGraph(List.of(launchNode(false), copyNode()));
      case ADD_FILL_NODE ->
          () -> driver.createGraph(List.of(launchNode(false), copyNode(), fillNode(0, 1)));
      case LAUNCH_GRAPH -> () -> driver.launchGraph(graph, stream);
      case UPDATE_KERNEL_NODE -> () -> driver.updateGraph(graph, 0, launchNode(false));
      case UPDATE_COPY_NODE -> () -> driver.updateGraph(graph, 1, copyNode());
      case UPDATE_FILL_NODE -> () -> driver.updateGraph(graph, 2, fillNode(0, 1));
      case DESTROY_EXECUTABLE_GRAPH, DESTROY_GRAPH -> () -> driver.destroyGraph(graph);
      case SYNCHRONIZE_DEVICE -> () -> driver.synchronizeDevice();
      case MEMORY_INFO -> () -> driver.memoryInfo();
      case STREAM_CONTEXT -> () -> driver.foreignStream(driver.rawHandle(stream));
      case IS_CAPTURING -> () -> driver.isCapturing(stream);
      case END_CAPTURE -> () -> driver.discardCapture(stream);
      case POINTER_INFO -> () -> driver.pointerInfo(memory);
      case MAKE_CURRENT -> () -> driver.makeCurrent();
    };
  }

  private GraphNode launchNode(boolean cooperative) {
    return new Node(
        (sink, on) -> sink.launchKernel(new KernelLaunch(function, cooperative, on, host)));
  }

  private GraphNode copyNode() {
    return new Node((sink, on) -> sink.copyOnDeviceAsync(memory + 32, memory, 32, on), 0);
  }

  private GraphNode fillNode(int... after) {
    return new Node((sink, on) -> sink.fill16Async(memory, (short) -1, 32, on), after);
  }

  private GraphNode conditionNode() {
    return new ConditionNode(new GraphCondition(true, memory, List.of(fillNode())));
  }

  /** A condition as a recording makes it. */
  record ConditionNode(GraphCondition condition) implements GraphNode {
    @Override
    public int[] after() {
      return new int[0];
    }

    @Override
    public void put(Sink sink, StreamHandle on) {
      throw new AssertionError("a condition is no call");
    }

    @Override
    public String purpose() {
      return "a condition";
    }

    @Override
    public List<LaunchObserver.Use> uses() {
      return List.of();
    }
  }

  /** A node as a recording makes it. */
  record Node(BiConsumer<Sink, StreamHandle> call, int... after) implements GraphNode {
    @Override
    public void put(Sink sink, StreamHandle on) {
      call.accept(sink, on);
    }

    @Override
    public String purpose() {
      return "a node";
    }

    @Override
    public List<LaunchObserver.Use> uses() {
      return List.of();
    }
  }

  void launch(boolean cooperative, HostMemory parameters) {
    driver.launchKernel(new KernelLaunch(function, cooperative, stream, parameters));
  }
}
