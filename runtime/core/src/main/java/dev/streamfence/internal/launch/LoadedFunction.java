package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import org.jspecify.annotations.Nullable;

/**
 * One entry point of an image on one device. All kernels that are declared for the entry share it,
 * since the driver keeps the limit of dynamic shared memory per entry. Thread-safe.
 */
final class LoadedFunction {
  private final CudaDriver driver;
  private final FunctionHandle handle;
  private final FunctionAttributes attributes;
  private final @Nullable BlockLimit requiredBlock;
  private volatile int allowedDynamicSharedBytes;

  LoadedFunction(CudaDriver driver, FunctionHandle handle, @Nullable BlockLimit requiredBlock) {
    this.driver = driver;
    this.handle = handle;
    this.attributes = driver.attributes(handle);
    this.requiredBlock = requiredBlock;
    this.allowedDynamicSharedBytes =
        driver.properties().sharedBytesPerBlock() - attributes.staticSharedBytes();
  }

  FunctionHandle handle() {
    return handle;
  }

  FunctionAttributes attributes() {
    return attributes;
  }

  /** The block that the entry requires; null if it takes any. */
  @Nullable BlockLimit requiredBlock() {
    return requiredBlock;
  }

  /** How much dynamic shared memory a launch may have without {@link #allow}. */
  int allowedDynamicSharedBytes() {
    return allowedDynamicSharedBytes;
  }

  /**
   * How many blocks one multiprocessor holds at the same time; 0 if not even one fits.
   *
   * @throws CudaDriverException if the driver refuses
   */
  int residentBlocks(int blockThreads, int dynamicSharedBytes) {
    return blockThreads <= attributes.maxThreadsPerBlock() && isAllowed(dynamicSharedBytes)
        ? driver.residentBlocksPerMultiprocessor(handle, blockThreads, dynamicSharedBytes)
        : 0;
  }

  /**
   * The block size, in threads, with which most threads run at the same time; 0 if no block fits.
   *
   * @throws CudaDriverException if the driver refuses
   */
  int suggestedBlockSize(int dynamicSharedBytes) {
    if (!isAllowed(dynamicSharedBytes)) {
      return 0;
    }
    return requiredBlock == null
        ? driver.suggestedBlockSize(handle, dynamicSharedBytes)
        : requiredBlock.threads();
  }

  /** Shared memory of a block, for errors. */
  String shared(int dynamicSharedBytes) {
    return dynamicSharedBytes
        + " bytes of dynamic shared memory and "
        + attributes.staticSharedBytes()
        + " static ones";
  }

  /** Whether a block can have this much dynamic shared memory; raises the limit for it. */
  private boolean isAllowed(int dynamicSharedBytes) {
    long shared = (long) dynamicSharedBytes + attributes.staticSharedBytes();
    if (shared > driver.properties().sharedBytesPerBlockOptIn()) {
      return false;
    }
    allow(dynamicSharedBytes);
    return true;
  }

  /**
   * Raises the limit of dynamic shared memory. It is never lowered: another kernel of this entry
   * may need it.
   *
   * @throws CudaDriverException if the driver refuses
   */
  synchronized void allow(int dynamicSharedBytes) {
    if (dynamicSharedBytes > allowedDynamicSharedBytes) {
      driver.allowDynamicSharedBytes(handle, dynamicSharedBytes);
      allowedDynamicSharedBytes = dynamicSharedBytes;
    }
  }
}
