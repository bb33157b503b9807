package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.simulation.DriverCall;
import java.util.BitSet;
import java.util.List;
import jcuda.driver.CUDA_KERNEL_NODE_PARAMS;
import jcuda.driver.CUDA_MEMCPY3D;
import jcuda.driver.CUDA_MEMSET_NODE_PARAMS;
import jcuda.driver.CUcontext;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUkernelNodeAttrID;
import jcuda.driver.CUkernelNodeAttrValue;
import jcuda.driver.CUmemorytype;
import jcuda.driver.JCudaDriver;

/** What takes one call for a node of a graph. Confined to one thread. */
abstract sealed class GraphNodeSink implements Sink {
  final JCudaDevice device;
  final CUcontext context;

  private GraphNodeSink(JCudaDevice device, CUcontext context) {
    this.device = device;
    this.context = context;
  }

  abstract void kernel(CUfunction function, KernelLaunch launch, RawPointer arguments);

  abstract void copy(CUDA_MEMCPY3D parameters);

  abstract void fill(CUDA_MEMSET_NODE_PARAMS parameters);

  @Override
  public void launchKernel(KernelLaunch launch) {
    kernel(
        device.use(launch.function()), launch, device.pinned(launch.parameters()).pointer(device));
  }

  /** The parameters of a launch as JCuda takes them. */
  static CUDA_KERNEL_NODE_PARAMS parameters(
      CUfunction function, KernelLaunch launch, RawPointer arguments) {
    CUDA_KERNEL_NODE_PARAMS parameters = new CUDA_KERNEL_NODE_PARAMS();
    parameters.func = function;
    parameters.gridDimX = launch.gridX();
    parameters.gridDimY = launch.gridY();
    parameters.gridDimZ = launch.gridZ();
    parameters.blockDimX = launch.blockX();
    parameters.blockDimY = launch.blockY();
    parameters.blockDimZ = launch.blockZ();
    parameters.sharedMemBytes = launch.dynamicSharedBytes();
    parameters.kernelParams = arguments;
    return parameters;
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    CUDA_MEMCPY3D parameters = copyOf(bytes);
    parameters.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_HOST;
    parameters.srcHost = device.pinned(source).pointer(device, sourceOffset, bytes);
    toDevice(parameters, destination);
    copy(parameters);
  }

  @Override
  public void copyToHostAsync(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    CUDA_MEMCPY3D parameters = copyOf(bytes);
    fromDevice(parameters, source);
    parameters.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_HOST;
    parameters.dstHost = device.pinned(destination).pointer(device, destinationOffset, bytes);
    copy(parameters);
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream) {
    CUDA_MEMCPY3D parameters = copyOf(bytes);
    fromDevice(parameters, source);
    toDevice(parameters, destination);
    copy(parameters);
  }

  private static CUDA_MEMCPY3D copyOf(long bytes) {
    CUDA_MEMCPY3D parameters = new CUDA_MEMCPY3D();
    parameters.WidthInBytes = bytes;
    parameters.Height = 1;
    parameters.Depth = 1;
    return parameters;
  }

  private static void fromDevice(CUDA_MEMCPY3D parameters, long source) {
    parameters.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    parameters.srcDevice = RawHandle.address(source);
  }

  private static void toDevice(CUDA_MEMCPY3D parameters, long destination) {
    parameters.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    parameters.dstDevice = RawHandle.address(destination);
  }

  @Override
  public void fillAsync(long destination, int bytes, int value, long count, StreamHandle stream) {
    int bits = bytes == Integer.BYTES ? value : value & ((1 << (bytes * Byte.SIZE)) - 1);
    CUDA_MEMSET_NODE_PARAMS parameters = fillOf(destination, bytes, bits);
    parameters.width = count;
    parameters.height = 1;
    fill(parameters);
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle stream) {
    CUDA_MEMSET_NODE_PARAMS parameters = fillOf(destination, Integer.BYTES, value);
    parameters.pitch = pitch;
    parameters.width = 1;
    parameters.height = count;
    fill(parameters);
  }

  private static CUDA_MEMSET_NODE_PARAMS fillOf(long destination, int elementBytes, int value) {
    CUDA_MEMSET_NODE_PARAMS parameters = new CUDA_MEMSET_NODE_PARAMS();
    parameters.dst = RawHandle.address(destination);
    parameters.elementSize = elementBytes;
    parameters.value = value;
    return parameters;
  }

  /** Adds a node to a graph. */
  static final class Adding extends GraphNodeSink {
    private final CUgraph graph;
    private final CUgraphNode node;
    private final CUgraphNode[] after;

    Adding(
        JCudaDevice device,
        CUcontext context,
        CUgraph graph,
        CUgraphNode node,
        CUgraphNode[] after) {
      super(device, context);
      this.graph = graph;
      this.node = node;
      this.after = after;
    }

    @Override
    void kernel(CUfunction function, KernelLaunch launch, RawPointer arguments) {
      CUDA_KERNEL_NODE_PARAMS parameters = parameters(function, launch, arguments);
      device.call(
          DriverCall.ADD_KERNEL_NODE,
          () -> JCudaDriver.cuGraphAddKernelNode(node, graph, after, after.length, parameters));
      if (launch.isCooperative()) {
        CUkernelNodeAttrValue value = new CUkernelNodeAttrValue();
        value.cooperative = 1;
        device.call(
            DriverCall.SET_KERNEL_NODE_ATTRIBUTE,
            () ->
                JCudaDriver.cuGraphKernelNodeSetAttribute(
                    node, CUkernelNodeAttrID.CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, value));
      }
    }

    @Override
    void copy(CUDA_MEMCPY3D parameters) {
      device.call(
          DriverCall.ADD_COPY_NODE,
          () ->
              JCudaDriver.cuGraphAddMemcpyNode(
                  node, graph, after, after.length, parameters, context));
    }

    @Override
    void fill(CUDA_MEMSET_NODE_PARAMS parameters) {
      device.call(
          DriverCall.ADD_FILL_NODE,
          () ->
              JCudaDriver.cuGraphAddMemsetNode(
                  node, graph, after, after.length, parameters, context));
    }
  }

  /** Changes nodes of an executable graph. */
  static final class Updating extends GraphNodeSink {
    private final CUgraphExec graph;
    private final List<CUgraphNode> nodes;
    private final LaunchCalls calls;

    /** The one that is being changed. */
    private CUgraphNode node;

    Updating(
        JCudaDevice device, CUcontext context, JCudaGraph.Executable changed, LaunchCalls calls) {
      super(device, context);
      this.graph = changed.handle();
      this.nodes = changed.nodes();
      this.calls = calls;
      this.node = nodes.get(0);
    }

    /** Gives the driver the arguments that nodes have at this moment; clears the bit of each. */
    void update(List<? extends GraphNode> all, BitSet outdated) {
      for (int i = outdated.nextSetBit(0); i >= 0; i = outdated.nextSetBit(i)) {
        node = nodes.get(i);
        all.get(i).put(this, JCudaGraph.NO_STREAM);
        outdated.clear(i);
      }
    }

    @Override
    void kernel(CUfunction function, KernelLaunch launch, RawPointer arguments) {
      device.updateKernel(calls, graph, node, function, launch, arguments);
    }

    @Override
    void copy(CUDA_MEMCPY3D parameters) {
      device.callInContext(
          DriverCall.UPDATE_COPY_NODE,
          () -> JCudaDriver.cuGraphExecMemcpyNodeSetParams(graph, node, parameters, context));
    }

    @Override
    void fill(CUDA_MEMSET_NODE_PARAMS parameters) {
      device.callInContext(
          DriverCall.UPDATE_FILL_NODE,
          () -> JCudaDriver.cuGraphExecMemsetNodeSetParams(graph, node, parameters, context));
    }
  }
}
