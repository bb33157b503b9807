package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.KernelLaunch;
import java.lang.invoke.MethodHandle;
import jcuda.driver.CUcontext;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraphExec;
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
