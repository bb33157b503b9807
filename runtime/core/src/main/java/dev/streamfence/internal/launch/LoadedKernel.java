package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelSignature;
import org.jspecify.annotations.Nullable;

/** One kernel on one device, with the limits of its launches. Thread-safe. */
final class LoadedKernel {
  /** The occupancy of one block shape: how many such blocks the device runs at the same time. */
  private record Occupancy(int blockThreads, int dynamicShared, long blocks) {}

  private final TrackedRuntime runtime;
  private final LoadedImage image;
  private final KernelSignature signature;
  private final LoadedFunction function;
  private final int blockSize;
  private final SymbolUse[] symbols;
  private final LaunchedBounds bounds;
  private final DeviceProperties device;
  private final @Nullable BlockShape required;
  private volatile @Nullable Occupancy occupancy;

  /** One object, so that a graph asks once for each kernel. */
  private final Runnable loadedCheck = this::requireLoaded;

  /**
   * Creates a kernel.
   *
   * @param blockSize threads per block of launches that count threads, as declared or as chosen for
   *     the device
   * @param symbols its uses of variables of the module, which nothing may change from now on
   * @param bounds what its launches touch
   */
  LoadedKernel(
      TrackedRuntime runtime,
      LoadedImage image,
      KernelSignature signature,
      LoadedFunction function,
      int blockSize,
      SymbolUse[] symbols,
      LaunchedBounds bounds) {
    this.runtime = runtime;
    this.image = image;
    this.signature = signature;
    this.function = function;
    this.blockSize = blockSize;
    this.symbols = symbols;
    this.bounds = bounds;
    this.device = runtime.driver().properties();
    this.required = signature.requiredBlock().orElse(null);
  }

  TrackedRuntime runtime() {
    return runtime;
  }

  /**
   * Refuses a launch of an image that was unloaded. Held: the submission lock of the launch, for
   * which unloading waits.
   */
  void requireLoaded() {
    if (image.isUnloaded()) {
      throw image.unloadedRefusal(signature.entry());
    }
  }

  /** {@link #requireLoaded}, the same object each time. */
  Runnable loadedCheck() {
    return loadedCheck;
  }

  KernelSignature signature() {
    return signature;
  }

  /** Its uses of variables of the module; not to be changed. */
  SymbolUse[] symbols() {
    return symbols;
  }

  /**
   * What its launches touch; null if that is unknown, or not checked. The first call may take long.
   */
  @Nullable LoadedBounds bounds() {
    return bounds.get();
  }

  /** Whether a launch has asked for its bounds, or its declaration requires them. */
  boolean areBoundsKnown() {
    return bounds.areKnown();
  }

  /** A launch of this kernel, to be shaped and used over and over. */
  KernelLaunch launch(StreamHandle stream, HostMemory parameters) {
    return new KernelLaunch(function.handle(), signature.isCooperative(), stream, parameters);
  }

  /**
   * Refuses a launch that the device would refuse; the message has the requested number and the
   * limit.
   */
  void requireLaunchable(KernelLaunch launch) {
    requireBlocks(launch.gridX());
    requireAtMost("blocks in y", launch.gridY(), device.maxGridY());
    requireAtMost("blocks in z", launch.gridZ(), device.maxGridZ());
    int blockX = launch.blockX();
    int blockY = launch.blockY();
    int blockZ = launch.blockZ();
    if (required != null && !required.is(blockX, blockY, blockZ)) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.SHAPE,
          shape(),
          ": blocks of "
              + new BlockShape(blockX, blockY, blockZ)
              + " threads; the interface requires "
              + required);
    }
    BlockLimit requiredBlock = function.requiredBlock();
    if (requiredBlock != null && !requiredBlock.allows(blockX, blockY, blockZ)) {
      throw refusal(
          "blocks of " + blockX + " x " + blockY + " x " + blockZ + " threads",
          requiredBlock.toString());
    }
    requireAtMost("threads per block in x", blockX, device.maxBlockX());
    requireAtMost("threads per block in y", blockY, device.maxBlockY());
    requireAtMost("threads per block in z", blockZ, device.maxBlockZ());
    requireAtMost(
        "threads per block", launch.threadsPerBlock(), function.attributes().maxThreadsPerBlock());
    int dynamicShared = launch.dynamicSharedBytes();
    if (dynamicShared > function.allowedDynamicSharedBytes()) {
      allow(dynamicShared);
    }
    if (launch.isCooperative()) {
      requireAtMost(
          "blocks that run at the same time",
          launch.blocks(),
          residentBlocks((int) launch.threadsPerBlock(), dynamicShared));
    }
  }

  /**
   * Shapes a launch of so many threads in one dimension, at least 0.
   *
   * @throws dev.streamfence.KernelArgumentException if a launch cannot have so many blocks
   */
  void shape(KernelLaunch launch, long threads) {
    long blocks = -Math.floorDiv(-threads, (long) blockSize);
    if (blocks > Integer.MAX_VALUE) {
      requireBlocks(blocks);
    }
    launch.grid((int) blocks, 1, 1).block(blockSize, 1, 1);
  }

  /** Refuses a number of blocks in x that the device would refuse. */
  void requireBlocks(long gridX) {
    requireAtMost("blocks in x", gridX, device.maxGridX());
  }

  /** Asks the driver again only when the blocks differ from the last launch's, which is rare. */
  private long residentBlocks(int blockThreads, int dynamicShared) {
    Occupancy known = occupancy;
    if (known == null
        || known.blockThreads != blockThreads
        || known.dynamicShared != dynamicShared) {
      try {
        long perMultiprocessor =
            runtime
                .driver()
                .residentBlocksPerMultiprocessor(function.handle(), blockThreads, dynamicShared);
        known =
            new Occupancy(
                blockThreads, dynamicShared, perMultiprocessor * device.multiprocessors());
      } catch (CudaDriverException e) {
        throw e.during("asking how many blocks of " + signature + " fit");
      }
      occupancy = known;
    }
    return known.blocks;
  }

  private void allow(int dynamicShared) {
    int staticShared = function.attributes().staticSharedBytes();
    requireAtMost(
        "bytes of shared memory per block, " + staticShared + " static ones included",
        (long) dynamicShared + staticShared,
        device.sharedBytesPerBlockOptIn());
    try {
      function.allow(dynamicShared);
    } catch (CudaDriverException e) {
      throw e.during("allowing " + signature + " its shared memory");
    }
  }

  private void requireAtMost(String what, long wanted, long allowed) {
    if (wanted > allowed) {
      throw refusal(wanted + " " + what, String.valueOf(allowed));
    }
  }

  private AttemptedUse shape() {
    return new AttemptedUse(signature.entry(), "", signature.entry());
  }

  private KernelArgumentException refusal(String wanted, String allowed) {
    return new KernelArgumentException(
        KernelArgumentException.Mistake.SHAPE,
        shape(),
        ": " + wanted + "; the kernel on " + device.name() + " allows " + allowed);
  }
}
