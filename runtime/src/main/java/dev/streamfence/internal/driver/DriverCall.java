package dev.streamfence.internal.driver;

/** The calls of {@link CudaDriver}, one constant per method that reaches the driver. Immutable. */
public enum DriverCall {
  /** {@link CudaDriver#createStream}. */
  CREATE_STREAM("cuStreamCreateWithPriority"),
  /** {@link CudaDriver#destroyStream}. */
  DESTROY_STREAM("cuStreamDestroy"),
  /** {@link CudaDriver#synchronizeStream}. */
  SYNCHRONIZE_STREAM("cuStreamSynchronize"),
  /** {@link CudaDriver#isStreamIdle}. */
  IS_STREAM_IDLE("cuStreamQuery"),
  /** {@link CudaDriver#waitForEvent}. */
  WAIT_FOR_EVENT("cuStreamWaitEvent"),
  /** {@link CudaDriver#createEvent}. */
  CREATE_EVENT("cuEventCreate"),
  /** {@link CudaDriver#destroyEvent}. */
  DESTROY_EVENT("cuEventDestroy"),
  /** {@link CudaDriver#recordEvent}. */
  RECORD_EVENT("cuEventRecord"),
  /** {@link CudaDriver#synchronizeEvent}. */
  SYNCHRONIZE_EVENT("cuEventSynchronize"),
  /** {@link CudaDriver#isEventComplete}. */
  IS_EVENT_COMPLETE("cuEventQuery"),
  /** {@link CudaDriver#allocateAsync}. */
  ALLOCATE_ASYNC("cuMemAllocAsync"),
  /** {@link CudaDriver#freeAsync}. */
  FREE_ASYNC("cuMemFreeAsync"),
  /** {@link CudaDriver#allocate}. */
  ALLOCATE("cuMemAlloc"),
  /** {@link CudaDriver#free}. */
  FREE("cuMemFree"),
  /** {@link CudaDriver#keepFreedMemory}. */
  KEEP_FREED_MEMORY("cuMemPoolSetAttribute"),
  /** {@link CudaDriver#allocateHost}. */
  ALLOCATE_HOST("cuMemAllocHost"),
  /** {@link CudaDriver#freeHost}. */
  FREE_HOST("cuMemFreeHost"),
  /** {@link CudaDriver#copyToDeviceAsync}. */
  COPY_TO_DEVICE_ASYNC("cuMemcpyHtoDAsync"),
  /** {@link CudaDriver#copyToHostAsync}. */
  COPY_TO_HOST_ASYNC("cuMemcpyDtoHAsync"),
  /** {@link CudaDriver#copyOnDeviceAsync}. */
  COPY_ON_DEVICE_ASYNC("cuMemcpyDtoDAsync"),
  /** {@link CudaDriver#fill8Async}. */
  FILL_8_ASYNC("cuMemsetD8Async"),
  /** {@link CudaDriver#fill16Async}. */
  FILL_16_ASYNC("cuMemsetD16Async"),
  /** {@link CudaDriver#fill32Async}. */
  FILL_32_ASYNC("cuMemsetD32Async"),
  /** {@link CudaDriver#fill32StridedAsync}. */
  FILL_32_STRIDED_ASYNC("cuMemsetD2D32Async"),
  /** {@link CudaDriver#loadModule}. */
  LOAD_MODULE("cuModuleLoadDataEx"),
  /** {@link CudaDriver#unloadModule}. */
  UNLOAD_MODULE("cuModuleUnload"),
  /** {@link CudaDriver#function}. */
  FUNCTION("cuModuleGetFunction"),
  /** {@link CudaDriver#attributes}. */
  ATTRIBUTES("cuFuncGetAttribute"),
  /** {@link CudaDriver#allowDynamicSharedBytes}. */
  ALLOW_DYNAMIC_SHARED_BYTES("cuFuncSetAttribute"),
  /** {@link CudaDriver#residentBlocksPerMultiprocessor}. */
  RESIDENT_BLOCKS_PER_MULTIPROCESSOR("cuOccupancyMaxActiveBlocksPerMultiprocessor"),
  /** {@link CudaDriver#launchKernel}. */
  LAUNCH_KERNEL("cuLaunchKernel"),
  /** {@link CudaDriver#launchKernel}, cooperative. */
  LAUNCH_COOPERATIVE_KERNEL("cuLaunchCooperativeKernel"),
  /** {@link CudaDriver#synchronizeDevice}. */
  SYNCHRONIZE_DEVICE("cuCtxSynchronize"),
  /** {@link CudaDriver#memoryInfo}. */
  MEMORY_INFO("cuMemGetInfo");

  private final String function;

  DriverCall(String function) {
    this.function = function;
  }

  /** The call that launches a kernel. */
  public static DriverCall launch(boolean cooperative) {
    return cooperative ? LAUNCH_COOPERATIVE_KERNEL : LAUNCH_KERNEL;
  }

  /** Its function in the CUDA driver API. */
  public String function() {
    return function;
  }
}
