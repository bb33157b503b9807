package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.KernelLaunch;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUstream;

/**
 * The calls of a launch without JNI. The class does not initialize where {@link
 * ForeignFunctions#find} fails. The method handles are constants, so that the compiler inlines
 * them; handles and addresses are passed as numbers.
 */
final class ForeignLaunchCalls implements LaunchCalls {
  private static final MethodHandle SET_CURRENT =
      ForeignFunctions.find("cuCtxSetCurrent", long.class);

  /** Function, grid, blocks, dynamic shared memory, stream, arguments, further options. */
  private static final MethodHandle LAUNCH =
      ForeignFunctions.find(
          "cuLaunchKernel",
          long.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          long.class,
          long.class,
          long.class);

  /** As {@link #LAUNCH}, without further options. */
  private static final MethodHandle LAUNCH_COOPERATIVE =
      ForeignFunctions.find(
          "cuLaunchCooperativeKernel",
          long.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          int.class,
          long.class,
          long.class);

  private static final MethodHandle LAUNCH_GRAPH =
      ForeignFunctions.find("cuGraphLaunch", long.class, long.class);

  /** Executable graph, node, a {@code CUDA_KERNEL_NODE_PARAMS_v2}. */
  private static final MethodHandle UPDATE =
      ForeignFunctions.find(
          "cuGraphExecKernelNodeSetParams_v2", long.class, long.class, long.class);

  /**
   * A {@code CUDA_KERNEL_NODE_PARAMS_v2} of {@code cuda.h}: function, grid, blocks, dynamic shared
   * memory, padding, arguments, and three addresses that stay 0.
   */
  private static final class KernelNode {
    private static final int BYTES = 72;
    private static final int GRID = 8;
    private static final int ARGUMENTS = 40;

    private final ByteBuffer memory =
        ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
    private final long address = ForeignFunctions.address(memory);

    private void set(long function, KernelLaunch shape, long arguments) {
      memory.putLong(0, function);
      memory.putInt(GRID, shape.gridX());
      memory.putInt(GRID + 4, shape.gridY());
      memory.putInt(GRID + 8, shape.gridZ());
      memory.putInt(GRID + 12, shape.blockX());
      memory.putInt(GRID + 16, shape.blockY());
      memory.putInt(GRID + 20, shape.blockZ());
      memory.putInt(GRID + 24, shape.dynamicSharedBytes());
      memory.putLong(ARGUMENTS, arguments);
    }
  }

  /** The driver copies it, so each thread needs one. */
  private static final ThreadLocal<KernelNode> NODES = ThreadLocal.withInitial(KernelNode::new);

  private static final MethodHandle RECORD =
      ForeignFunctions.find("cuEventRecord", long.class, long.class);

  /** Stream, event, flags. */
  private static final MethodHandle WAIT =
      ForeignFunctions.find("cuStreamWaitEvent", long.class, long.class, int.class);

  @Override
  public int setCurrent(CUcontext context) {
    try {
      return (int) SET_CURRENT.invokeExact(RawHandle.of(context));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  @Override
  public int launch(
      CUfunction function, KernelLaunch shape, CUstream stream, RawPointer arguments) {
    try {
      return shape.isCooperative()
          ? (int)
              LAUNCH_COOPERATIVE.invokeExact(
                  RawHandle.of(function),
                  shape.gridX(),
                  shape.gridY(),
                  shape.gridZ(),
                  shape.blockX(),
                  shape.blockY(),
                  shape.blockZ(),
                  shape.dynamicSharedBytes(),
                  RawHandle.of(stream),
                  arguments.address())
          : (int)
              LAUNCH.invokeExact(
                  RawHandle.of(function),
                  shape.gridX(),
                  shape.gridY(),
                  shape.gridZ(),
                  shape.blockX(),
                  shape.blockY(),
                  shape.blockZ(),
                  shape.dynamicSharedBytes(),
                  RawHandle.of(stream),
                  arguments.address(),
                  0L);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  @Override
  public int launch(CUgraphExec graph, CUstream stream) {
    try {
      return (int) LAUNCH_GRAPH.invokeExact(RawHandle.of(graph), RawHandle.of(stream));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  @Override
  public void prepareUpdate() {
    NODES.get();
  }

  @Override
  public int update(
      CUgraphExec graph,
      CUgraphNode node,
      CUfunction function,
      KernelLaunch shape,
      RawPointer arguments) {
    KernelNode memory = NODES.get();
    memory.set(RawHandle.of(function), shape, arguments.address());
    try {
      return (int) UPDATE.invokeExact(RawHandle.of(graph), RawHandle.of(node), memory.address);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  @Override
  public int record(CUevent event, CUstream stream) {
    try {
      return (int) RECORD.invokeExact(RawHandle.of(event), RawHandle.of(stream));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  @Override
  public int waitFor(CUstream stream, CUevent event) {
    try {
      return (int) WAIT.invokeExact(RawHandle.of(stream), RawHandle.of(event), 0);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** A native function throws nothing, but what Java itself throws anywhere may come through. */
  private static RuntimeException impossible(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw new IllegalStateException("a call of the driver did not reach it", thrown);
  }
}
