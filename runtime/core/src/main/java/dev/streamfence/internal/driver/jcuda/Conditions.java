package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.simulation.DriverCall;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import jcuda.driver.CUDA_KERNEL_NODE_PARAMS;
import jcuda.driver.CUcontext;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphNode;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of graphs. The driver decides by a value of its own, which only a kernel can set:
 * so a kernel that reads the number comes before each condition, and at the end of each pass of a
 * loop. Thread-safe.
 */
final class Conditions {
  /**
   * The kernel that passes a number on. The driver knows the function that it calls, as part of the
   * <a href="https://docs.nvidia.com/cuda/cuda-runtime-api/">device runtime</a>.
   */
  static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);
      .visible .entry streamfence_condition(.param .u64 condition, .param .u64 number)
      {
        .reg .pred %isSet;
        .reg .b32 %number, %value;
        .reg .b64 %condition, %address;
        ld.param.u64 %condition, [condition];
        ld.param.u64 %address, [number];
        cvta.to.global.u64 %address, %address;
        ld.global.u32 %number, [%address];
        setp.ne.u32 %isSet, %number, 0;
        selp.u32 %value, 1, 0, %isSet;
        {
          .param .b64 to;
          .param .b32 passed;
          st.param.b64 [to], %condition;
          st.param.b32 [passed], %value;
          call.uni cudaGraphSetConditional, (to, passed);
        }
        ret;
      }
      """;

  private static final String ENTRY = "streamfence_condition";

  /** The nodes that a condition repeats or leaves out, as a graph of the driver's. Immutable. */
  record Body(CUgraph graph, long handle) {}

  /**
   * A {@code CUgraphNodeParams} of {@code cuda.h} for a condition: the type, the handle, whether it
   * is a loop, the number of its graphs, the address of the graphs that the driver has made, and
   * the context.
   */
  private static final class NodeParameters {
    private static final int BYTES = 256;
    private static final int TYPE_CONDITIONAL = 13;
    private static final int HANDLE = 16;
    private static final int KIND = 24;
    private static final int GRAPHS = 28;
    private static final int MADE = 32;
    private static final int CONTEXT = 40;

    private final Memory memory = new Memory(BYTES);

    private NodeParameters(long handle, boolean isLoop, CUcontext context) {
      memory.clear();
      memory.setInt(0, TYPE_CONDITIONAL);
      memory.setLong(HANDLE, handle);
      memory.setInt(KIND, isLoop ? 1 : 0);
      memory.setInt(GRAPHS, 1);
      memory.setLong(CONTEXT, RawHandle.of(context));
    }

    private CUgraph made() {
      return RawHandle.set(new CUgraph(), memory.getPointer(MADE).getLong(0));
    }
  }

  private final JCudaDevice device;

  /** Loaded with the first condition. Guarded by this, like the function. */
  private @Nullable ModuleHandle module;

  private @Nullable FunctionHandle function;

  Conditions(JCudaDevice device) {
    this.device = device;
  }

  /** Adds a condition by three driver calls, and returns what its nodes are to be added to. */
  Body add(
      CUgraphNode added,
      CUgraph graph,
      CUgraphNode[] after,
      GraphCondition condition,
      CUcontext context) {
    UnboundFunctions.load();
    LongByReference handle = new LongByReference();
    device.call(
        DriverCall.CREATE_CONDITION,
        () -> UnboundFunctions.cuGraphConditionalHandleCreate(handle, graph, context));
    CUgraphNode[] read = {new CUgraphNode()};
    addReading(read[0], graph, after, handle.getValue(), condition.address());
    NodeParameters parameters = new NodeParameters(handle.getValue(), condition.isLoop(), context);
    device.call(
        DriverCall.ADD_CONDITION,
        () -> UnboundFunctions.cuGraphAddNode(added, graph, read, parameters.memory));
    return new Body(parameters.made(), handle.getValue());
  }

  /** Ends a pass of a loop, after the last of its nodes: the number is read again. */
  void endPass(Body body, CUgraphNode[] last, GraphCondition condition) {
    addReading(new CUgraphNode(), body.graph(), last, body.handle(), condition.address());
  }

  private void addReading(
      CUgraphNode added, CUgraph graph, CUgraphNode[] after, long handle, long address) {
    // The arguments' addresses, and the arguments.
    Memory memory = new Memory(4L * Long.BYTES);
    memory.setPointer(0, memory.share(2L * Long.BYTES));
    memory.setPointer(Long.BYTES, memory.share(3L * Long.BYTES));
    memory.setLong(2L * Long.BYTES, handle);
    memory.setLong(3L * Long.BYTES, address);
    CUDA_KERNEL_NODE_PARAMS parameters = new CUDA_KERNEL_NODE_PARAMS();
    parameters.func = device.use(function());
    parameters.gridDimX = 1;
    parameters.gridDimY = 1;
    parameters.gridDimZ = 1;
    parameters.blockDimX = 1;
    parameters.blockDimY = 1;
    parameters.blockDimZ = 1;
    parameters.kernelParams = new RawPointer(Pointer.nativeValue(memory));
    try {
      device.call(
          DriverCall.ADD_KERNEL_NODE,
          () -> JCudaDriver.cuGraphAddKernelNode(added, graph, after, after.length, parameters));
    } finally {
      // The parameters have only its address.
      Reference.reachabilityFence(memory);
    }
  }

  private synchronized FunctionHandle function() {
    FunctionHandle known = function;
    if (known == null) {
      ModuleHandle loaded = module;
      if (loaded == null) {
        loaded = device.loadModule("conditions of graphs", PTX.getBytes(StandardCharsets.US_ASCII));
        module = loaded;
      }
      known = device.function(loaded, ENTRY);
      function = known;
    }
    return known;
  }

  /** Unloads the kernel; no graph with a condition is in use any more. */
  synchronized void close() {
    ModuleHandle loaded = module;
    module = null;
    function = null;
    if (loaded != null) {
      device.unloadModule(loaded);
    }
  }
}
