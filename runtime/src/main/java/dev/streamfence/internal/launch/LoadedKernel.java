package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.launch.KernelSignature;
import org.jspecify.annotations.Nullable;

/** One kernel on one device, with the limits of its launches. Thread-safe. */
final class LoadedKernel {
  /** The occupancy of one block shape: how many such blocks the device runs at the same time. */
  private record Residency(int blockThreads, int dynamicShared, long blocks) {}

  private final TrackedRuntime runtime;
  private final KernelSignature signature;
  private final FunctionHandle function;
  private final FunctionAttributes attributes;
  private final @Nullable BlockLimit requiredBlock;
  private final DeviceProperties device;
  private volatile int allowedDynamicSharedBytes;
  private volatile @Nullable Residency residency;

  LoadedKernel(
      TrackedRuntime runtime,
      KernelSignature signature,
      FunctionHandle function,
      FunctionAttributes attributes,
      @Nullable BlockLimit requiredBlock) {
    this.runtime = runtime;
    this.signature = signature;
    this.function = function;
    this.attributes = attributes;
    this.requiredBlock = requiredBlock;
    this.device = runtime.driver().properties();
    this.allowedDynamicSharedBytes = device.sharedBytesPerBlock() - attributes.staticSharedBytes();
  }

  TrackedRuntime runtime() {
    return runtime;
  }

  KernelSignature signature() {
    return signature;
  }

  FunctionHandle function() {
    return function;
  }

  /**
   * Refuses a launch that the device would refuse; the message has the requested number and the
   * limit.
   */
  void requireLaunchable(
      long gridX, long gridY, long gridZ, int blockX, int blockY, int blockZ, int dynamicShared) {
    requireAtMost("blocks in x", gridX, device.maxGridX());
    requireAtMost("blocks in y", gridY, device.maxGridY());
    requireAtMost("blocks in z", gridZ, device.maxGridZ());
    if (requiredBlock != null && !requiredBlock.allows(blockX, blockY, blockZ)) {
      throw refusal(
          "blocks of " + blockX + " x " + blockY + " x " + blockZ + " threads",
          requiredBlock.toString());
    }
    requireAtMost("threads per block in x", blockX, device.maxBlockX());
    requireAtMost("threads per block in y", blockY, device.maxBlockY());
    requireAtMost("threads per block in z", blockZ, device.maxBlockZ());
    requireAtMost(
        "threads per block", (long) blockX * blockY * blockZ, attributes.maxThreadsPerBlock());
    if (dynamicShared > allowedDynamicSharedBytes) {
      allow(dynamicShared);
    }
    if (signature.isCooperative()) {
      requireAtMost(
          "blocks that run at the same time",
          gridX * gridY * gridZ,
          residentBlocks(blockX * blockY * blockZ, dynamicShared));
    }
  }

  /** Asks the driver again only when the blocks differ from the last launch's, which is rare. */
  private long residentBlocks(int blockThreads, int dynamicShared) {
    Residency known = residency;
    if (known == null
        || known.blockThreads != blockThreads
        || known.dynamicShared != dynamicShared) {
      try {
        long perMultiprocessor =
            runtime.driver().residentBlocksPerMultiprocessor(function, blockThreads, dynamicShared);
        known =
            new Residency(
                blockThreads, dynamicShared, perMultiprocessor * device.multiprocessors());
      } catch (CudaDriverException e) {
        throw e.during("asking how many blocks of " + signature + " fit");
      }
      residency = known;
    }
    return known.blocks;
  }

  private synchronized void allow(int dynamicShared) {
    requireAtMost(
        "bytes of shared memory per block, "
            + attributes.staticSharedBytes()
            + " static ones included",
        (long) dynamicShared + attributes.staticSharedBytes(),
        device.sharedBytesPerBlockOptIn());
    if (dynamicShared > allowedDynamicSharedBytes) {
      try {
        runtime.driver().allowDynamicSharedBytes(function, dynamicShared);
      } catch (CudaDriverException e) {
        throw e.during("allowing " + signature + " its shared memory");
      }
      allowedDynamicSharedBytes = dynamicShared;
    }
  }

  private void requireAtMost(String what, long wanted, long allowed) {
    if (wanted > allowed) {
      throw refusal(wanted + " " + what, String.valueOf(allowed));
    }
  }

  private IllegalArgumentException refusal(String wanted, String allowed) {
    return new IllegalArgumentException(
        signature.entry()
            + ": "
            + wanted
            + "; the kernel on "
            + device.name()
            + " allows "
            + allowed);
  }
}
