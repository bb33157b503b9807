package dev.streamfence.memory;

/**
 * A source of device memory in the order of streams, such as the driver's pool, your own pool, or
 * one resource in front of another. {@code RuntimeOptions.withMemoryResource} gives one to a
 * runtime, which tracks the uses of its memory: budgets, logs and guards work in front of every
 * resource. The interface follows RMM's {@code device_memory_resource}.
 *
 * <p><b>Order.</b> The runtime calls {@link #deallocate} when all uses of the memory come before
 * the call in the order of the stream. So memory may be handed out again on the same stream at
 * once. Before it is handed out on another stream, that stream has to {@linkplain
 * MemoryStream#waitFor wait} for a {@linkplain MemoryStream#mark mark} taken in the call that
 * returned it. Neither waits on the host.
 *
 * <p><b>Threading.</b> Thread-safe: calls for different streams may come at the same time. The
 * runtime holds the stream during a call, so the resource must not call the runtime, its streams or
 * its arrays: launches and allocations are refused there, and other calls may deadlock. It may call
 * the resource behind it and the driver.
 *
 * <p>An {@link Exception} from {@link #allocate} or {@link #deallocate} means that nothing has
 * changed. After an {@link Error} from {@code deallocate} the runtime does not return the memory
 * again, since it may have been returned. Once the device is lost, the runtime no longer calls the
 * resource: the memory is lost with the device.
 *
 * <p>Its {@link Object#toString} names it in errors and logs.
 */
public interface MemoryResource {
  /**
   * Obtains memory that may be used from now on in the order of a stream. Does not synchronise
   * unless the implementation says so.
   *
   * @param sizeInBytes at least 1
   * @param stream valid during the call
   * @return the address of unused memory, a multiple of 256
   * @throws dev.streamfence.CudaDriverException with the code 2, {@code CUDA_ERROR_OUT_OF_MEMORY},
   *     if there is too little memory. The runtime then waits for the memory that is being freed,
   *     calls {@link #trim}, and tries once more. Other exceptions are passed on to the caller
   */
  long allocate(long sizeInBytes, MemoryStream stream);

  /**
   * Takes memory back. All its uses come before this call in the order of the stream.
   *
   * @param address an address from {@link #allocate}
   * @param sizeInBytes the size that was requested
   * @param stream valid during the call; often not the stream of the allocation
   * @throws RuntimeException if the memory stays allocated; the runtime then tries again later
   */
  void deallocate(long address, long sizeInBytes, MemoryStream stream);

  /**
   * Returns memory that the resource holds and nothing uses. The runtime calls this when memory is
   * short, and when it closes, after it has deallocated all its memory. Memory that the resource
   * still holds then is reported and freed. When memory is short, a failure is added to the error
   * if the second try fails as well. Does nothing unless implemented.
   *
   * @param stream valid during the call
   */
  default void trim(MemoryStream stream) {}

  /**
   * Whether memory is obtained and taken back in the order of a stream. If not, what {@link
   * #allocate} obtains must be ready on every stream at once, and the runtime waits on the host
   * until the device is done with memory before it calls {@link #deallocate}; it holds no stream
   * during the calls. A resource in front of another returns what that one returns. Called once.
   */
  default boolean isStreamOrdered() {
    return true;
  }
}
