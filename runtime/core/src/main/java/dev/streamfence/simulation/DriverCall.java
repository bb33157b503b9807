package dev.streamfence.simulation;

/**
 * The calls that a runtime makes to the CUDA driver, to count them and to make them fail.
 * Immutable.
 */
public enum DriverCall {
  /** Creates a stream. */
  CREATE_STREAM("cuStreamCreateWithPriority"),
  /** Destroys a stream. */
  DESTROY_STREAM("cuStreamDestroy", OnLostDevice.MADE),
  /** Waits for a stream. */
  SYNCHRONIZE_STREAM("cuStreamSynchronize", OnLostDevice.MADE),
  /** Asks whether a stream is idle. */
  IS_STREAM_IDLE("cuStreamQuery"),
  /** Makes a stream wait for an event. */
  WAIT_FOR_EVENT("cuStreamWaitEvent"),
  /** Creates an event. */
  CREATE_EVENT("cuEventCreate"),
  /** Destroys an event. */
  DESTROY_EVENT("cuEventDestroy", OnLostDevice.MADE),
  /** Records an event on a stream. */
  RECORD_EVENT("cuEventRecord"),
  /** Waits for an event. */
  SYNCHRONIZE_EVENT("cuEventSynchronize", OnLostDevice.MADE),
  /** Asks whether the work that an event captured is done. */
  IS_EVENT_COMPLETE("cuEventQuery"),
  /** Asks for the time between two events. */
  ELAPSED_TIME("cuEventElapsedTime"),
  /** Allocates device memory in stream order. */
  ALLOCATE_ASYNC("cuMemAllocAsync"),
  /** Frees device memory in stream order. */
  FREE_ASYNC("cuMemFreeAsync", OnLostDevice.MADE),
  /** Allocates device memory immediately. */
  ALLOCATE("cuMemAlloc"),
  /** Frees device memory immediately. */
  FREE("cuMemFree", OnLostDevice.MADE),
  /** Sets how much freed memory the pool keeps. */
  KEEP_FREED_MEMORY("cuMemPoolSetAttribute"),
  /** Allocates page-locked host memory. */
  ALLOCATE_HOST("cuMemAllocHost"),
  /** Asks for the device address of page-locked host memory. */
  HOST_DEVICE_ADDRESS("cuMemHostGetDevicePointer"),
  /** Frees page-locked host memory. */
  FREE_HOST("cuMemFreeHost", OnLostDevice.MADE),
  /** Copies from the host to the device. */
  COPY_TO_DEVICE_ASYNC("cuMemcpyHtoDAsync"),
  /** Copies from the device to the host. */
  COPY_TO_HOST_ASYNC("cuMemcpyDtoHAsync"),
  /** Copies within the device. */
  COPY_ON_DEVICE_ASYNC("cuMemcpyDtoDAsync"),
  /** Copies from another device. */
  COPY_FROM_PEER_ASYNC("cuMemcpyPeerAsync"),
  /** Asks whether the device can access the memory of another one. */
  CAN_ACCESS_PEER("cuDeviceCanAccessPeer"),
  /** Lets the device access the memory of another one. */
  ENABLE_PEER_ACCESS("cuCtxEnablePeerAccess"),
  /** Lets another device access what is allocated in stream order. */
  SHARE_POOL("cuMemPoolSetAccess"),
  /** Fills device memory with one byte. */
  FILL_8_ASYNC("cuMemsetD8Async"),
  /** Fills device memory with a 16-bit value. */
  FILL_16_ASYNC("cuMemsetD16Async"),
  /** Fills device memory with a 32-bit value. */
  FILL_32_ASYNC("cuMemsetD32Async"),
  /** Fills device memory with 32-bit values at a stride. */
  FILL_32_STRIDED_ASYNC("cuMemsetD2D32Async"),
  /** Loads a kernel module. */
  LOAD_MODULE("cuModuleLoadDataEx"),
  /** Unloads a kernel module. */
  UNLOAD_MODULE("cuModuleUnload", OnLostDevice.MADE),
  /** Looks a kernel up. */
  FUNCTION("cuModuleGetFunction"),
  /** Looks a variable of a module up. */
  MODULE_VARIABLE("cuModuleGetGlobal"),
  /** Reads the limits of a kernel. */
  ATTRIBUTES("cuFuncGetAttribute"),
  /** Allows a kernel more dynamic shared memory. */
  ALLOW_DYNAMIC_SHARED_BYTES("cuFuncSetAttribute"),
  /** Asks for the occupancy of a kernel. */
  RESIDENT_BLOCKS_PER_MULTIPROCESSOR("cuOccupancyMaxActiveBlocksPerMultiprocessor"),
  /** Asks for the block size with which the most threads of a kernel run at the same time. */
  SUGGESTED_BLOCK_SIZE("cuOccupancyMaxPotentialBlockSize"),
  /** Launches a kernel. */
  LAUNCH_KERNEL("cuLaunchKernel"),
  /** Launches a cooperative kernel. */
  LAUNCH_COOPERATIVE_KERNEL("cuLaunchCooperativeKernel"),
  /** Makes an empty graph. */
  CREATE_GRAPH("cuGraphCreate"),
  /** Adds a launch to a graph. */
  ADD_KERNEL_NODE("cuGraphAddKernelNode"),
  /** Makes a launch of a graph a cooperative one. */
  SET_KERNEL_NODE_ATTRIBUTE("cuGraphKernelNodeSetAttribute"),
  /** Adds a copy to a graph. */
  ADD_COPY_NODE("cuGraphAddMemcpyNode"),
  /** Adds a fill to a graph. */
  ADD_FILL_NODE("cuGraphAddMemsetNode"),
  /** Makes what a condition of a graph decides by. */
  CREATE_CONDITION("cuGraphConditionalHandleCreate"),
  /** Adds a condition to a graph. */
  ADD_CONDITION("cuGraphAddNode"),
  /** Changes an executable graph as a whole. */
  UPDATE_GRAPH("cuGraphExecUpdate"),
  /** Makes a graph executable. */
  INSTANTIATE_GRAPH("cuGraphInstantiate"),
  /** Launches a graph. */
  LAUNCH_GRAPH("cuGraphLaunch"),
  /** Changes a launch of an executable graph. */
  UPDATE_KERNEL_NODE("cuGraphExecKernelNodeSetParams"),
  /** Changes a copy of an executable graph. */
  UPDATE_COPY_NODE("cuGraphExecMemcpyNodeSetParams"),
  /** Changes a fill of an executable graph. */
  UPDATE_FILL_NODE("cuGraphExecMemsetNodeSetParams"),
  /** Destroys an executable graph. */
  DESTROY_EXECUTABLE_GRAPH("cuGraphExecDestroy", OnLostDevice.MADE),
  /** Destroys a graph. */
  DESTROY_GRAPH("cuGraphDestroy", OnLostDevice.MADE),
  /** Waits for the device. */
  SYNCHRONIZE_DEVICE("cuCtxSynchronize"),
  /** Asks for free and total device memory. */
  MEMORY_INFO("cuMemGetInfo"),
  /** Asks for the context of a stream that other code made. */
  STREAM_CONTEXT("cuStreamGetCtx"),
  /** Asks whether a stream is being captured. */
  IS_CAPTURING("cuStreamIsCapturing"),
  /** Ends the capture of a stream. */
  END_CAPTURE("cuStreamEndCapture"),
  /** Asks where an address lies. */
  POINTER_INFO("cuPointerGetAttributes"),
  /** Makes the context current in a thread, for code that is not the runtime's. */
  MAKE_CURRENT("cuCtxSetCurrent");

  /** Whether a call is made on a lost device. */
  private enum OnLostDevice {
    REFUSED,
    MADE
  }

  private final String function;
  private final boolean madeOnLostDevice;

  DriverCall(String function) {
    this(function, OnLostDevice.REFUSED);
  }

  DriverCall(String function, OnLostDevice onLostDevice) {
    this.function = function;
    this.madeOnLostDevice = onLostDevice == OnLostDevice.MADE;
  }

  /** Its function in the CUDA driver API. */
  public String function() {
    return function;
  }

  /**
   * Whether a runtime makes the call on a lost device as well: it releases something, or waits for
   * the work that keeps something from being released. Every other call fails at once with the
   * error that lost the device.
   */
  public boolean isMadeOnLostDevice() {
    return madeOnLostDevice;
  }
}
