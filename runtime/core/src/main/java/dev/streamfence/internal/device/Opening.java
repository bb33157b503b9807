package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.AllocationResource;
import dev.streamfence.internal.memory.DeviceShare;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.transfer.DeviceCopies;
import java.util.function.Function;

/**
 * The parts that a runtime is made of. Immutable.
 *
 * @param driver the device, which is closed with the runtime
 * @param simulated whether kernels run on the CPU
 * @param shared whether the runtime belongs to the whole process
 * @param backend creates the source of memory
 * @param copies creates the copier between host and device
 * @param share what the runtimes of this process take on the device
 */
public record Opening(
    CudaDriver driver,
    boolean simulated,
    boolean shared,
    RuntimeOptions options,
    Function<StreamPool, AllocationResource> backend,
    Function<StreamPool, DeviceCopies> copies,
    DeviceShare share) {

  /** A runtime that belongs to its opener, with the memory that the options select. */
  public static Opening of(CudaDriver driver, boolean simulated, RuntimeOptions options) {
    boolean isForTools = simulated || options.directMemory() || options.orderingVisibleToTools();
    RuntimeOptions chosen = options.withCachingPool(options.cachingPool().orElse(!isForTools));
    return new Opening(
        driver,
        simulated,
        false,
        chosen,
        MemoryStack.backend(chosen),
        streams -> new DeviceCopies(streams, chosen.stagingThreads()),
        new DeviceShare());
  }

  /** The same for the whole process. */
  Opening forTheProcess() {
    return new Opening(driver, simulated, true, options, backend, copies, share);
  }

  /** The same with another backend than the options select. */
  Opening withBackend(Function<StreamPool, AllocationResource> other) {
    return new Opening(driver, simulated, shared, options, other, copies, share);
  }

  /** The same with other copies between host and device. */
  Opening withCopies(Function<StreamPool, DeviceCopies> other) {
    return new Opening(driver, simulated, shared, options, backend, other, share);
  }

  /** The same on a device that other runtimes of this process may use. */
  Opening within(DeviceShare device) {
    return new Opening(driver, simulated, shared, options, backend, copies, device);
  }

  /** Opens the runtime; closes the driver if that fails. */
  public TrackedRuntime open() {
    TrackedRuntime runtime;
    try {
      runtime = new TrackedRuntime(this);
    } catch (Throwable e) {
      driver.close();
      throw e;
    }
    try {
      // What the caching pool returns is to be free for others, and not kept a second time. The
      // driver keeps nothing by itself, so that most runtimes need no call and no library for it.
      long kept = MemoryStack.isCaching(options) ? 0 : options.poolReleaseThresholdInBytes();
      if (!options.directMemory() && share.keepFreedMemory(kept > 0)) {
        keepFreedMemory(runtime, kept);
      }
      runtime.start();
      return runtime;
    } catch (Throwable e) {
      runtime.closeAfter(e);
      throw e;
    }
  }

  /** Needs a library; without it, everything works but slower. */
  private static void keepFreedMemory(TrackedRuntime runtime, long bytes) {
    try {
      runtime.driver().keepFreedMemory(bytes);
    } catch (CudaDriverException e) {
      throw e.during("opening " + runtime);
    } catch (DeviceException e) {
      if (bytes > 0) {
        LogTopic.DEVICES.warn(runtime + " keeps no freed memory", e);
      }
    }
  }
}
