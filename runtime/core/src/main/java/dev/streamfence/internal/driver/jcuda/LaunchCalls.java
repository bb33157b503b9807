package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.KernelLaunch;
import jcuda.CudaException;
import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * The driver calls that a launch of a kernel or of a graph may need. Each returns the driver's
 * code. Without an update, none allocates anything unless it fails. Thread-safe.
 */
interface LaunchCalls {
  /** {@code cuCtxSetCurrent}. */
  int setCurrent(CUcontext context);

  /**
   * {@code cuLaunchKernel} or {@code cuLaunchCooperativeKernel}.
   *
   * @param arguments the table of the arguments' addresses
   */
  int launch(CUfunction function, KernelLaunch shape, CUstream stream, RawPointer arguments);

  /** {@code cuGraphLaunch}. */
  int launch(CUgraphExec graph, CUstream stream);

  /** Takes what {@link #update} needs in this thread, so that nothing waits for memory there. */
  default void prepareUpdate() {}

  /**
   * {@code cuGraphExecKernelNodeSetParams}.
   *
   * @param arguments the table of the arguments' addresses
   */
  int update(
      CUgraphExec graph,
      CUgraphNode node,
      CUfunction function,
      KernelLaunch shape,
      RawPointer arguments);

  /** {@code cuEventRecord}. */
  int record(CUevent event, CUstream stream);

  /** {@code cuStreamWaitEvent}. */
  int waitFor(CUstream stream, CUevent event);

  /** The calls through JCuda, which throws the code where the process asked it to. */
  final class ThroughJCuda implements LaunchCalls {
    @Override
    public int setCurrent(CUcontext context) {
      try {
        return JCudaDriver.cuCtxSetCurrent(context);
      } catch (CudaException e) {
        return Status.of(e);
      }
    }

    @Override
    public int launch(
        CUfunction function, KernelLaunch shape, CUstream stream, RawPointer arguments) {
      try {
        return shape.isCooperative()
            ? JCudaDriver.cuLaunchCooperativeKernel(
                function,
                shape.gridX(),
                shape.gridY(),
                shape.gridZ(),
                shape.blockX(),
                shape.blockY(),
                shape.blockZ(),
                shape.dynamicSharedBytes(),
                stream,
                arguments)
            : JCudaDriver.cuLaunchKernel(
                function,
                shape.gridX(),
                shape.gridY(),
                shape.gridZ(),
                shape.blockX(),
                shape.blockY(),
                shape.blockZ(),
                shape.dynamicSharedBytes(),
                stream,
                arguments,
                null);
      } catch (CudaException e) {
        return Status.of(e);
      }
    }

    @Override
    public int launch(CUgraphExec graph, CUstream stream) {
      try {
        return JCudaDriver.cuGraphLaunch(graph, stream);
      } catch (CudaException e) {
        return Status.of(e);
      }
    }

    @Override
    public int update(
        CUgraphExec graph,
        CUgraphNode node,
        CUfunction function,
        KernelLaunch shape,
        RawPointer arguments) {
      try {
        return JCudaDriver.cuGraphExecKernelNodeSetParams(
            graph, node, GraphNodeSink.parameters(function, shape, arguments));
      } catch (CudaException e) {
        return Status.of(e);
      }
    }

    @Override
    public int record(CUevent event, CUstream stream) {
      try {
        return JCudaDriver.cuEventRecord(event, stream);
      } catch (CudaException e) {
        return Status.of(e);
      }
    }

    @Override
    public int waitFor(CUstream stream, CUevent event) {
      try {
        return JCudaDriver.cuStreamWaitEvent(stream, event, 0);
      } catch (CudaException e) {
        return Status.of(e);
      }
    }
  }
}
