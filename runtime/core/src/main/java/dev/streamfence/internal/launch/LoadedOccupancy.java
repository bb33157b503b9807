package dev.streamfence.internal.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.launch.KernelOccupancy;
import java.util.function.IntSupplier;

/** The implementation of {@link KernelOccupancy}. */
public final class LoadedOccupancy implements KernelOccupancy {
  private final TrackedRuntime runtime;
  private final LoadedImage image;
  private final String entry;
  private final LoadedFunction function;

  LoadedOccupancy(
      TrackedRuntime runtime, LoadedImage image, String entry, LoadedFunction function) {
    this.runtime = runtime;
    this.image = image;
    this.entry = entry;
    this.function = function;
  }

  @Override
  public int blocksPerMultiprocessor(int blockSize, int dynamicSharedBytes) {
    if (blockSize < 1) {
      throw new IllegalArgumentException(
          entry + ": a block of " + blockSize + " threads; it has at least 1");
    }
    requireNotNegative(dynamicSharedBytes);
    return ask(() -> function.residentBlocks(blockSize, dynamicSharedBytes));
  }

  @Override
  public int suggestedBlockSize(int dynamicSharedBytes) {
    requireNotNegative(dynamicSharedBytes);
    int suggested = ask(() -> function.suggestedBlockSize(dynamicSharedBytes));
    if (suggested == 0) {
      throw new IllegalArgumentException(
          entry + ": no block fits on " + runtime + " with " + function.shared(dynamicSharedBytes));
    }
    return suggested;
  }

  private void requireNotNegative(int dynamicSharedBytes) {
    if (dynamicSharedBytes < 0) {
      throw new IllegalArgumentException(
          entry
              + ": "
              + dynamicSharedBytes
              + " bytes of dynamic shared memory; the size is at least 0");
    }
  }

  private int ask(IntSupplier question) {
    runtime.life().enter();
    try {
      synchronized (image) {
        image.requireLoaded("the occupancy of " + entry);
        return question.getAsInt();
      }
    } catch (CudaDriverException e) {
      throw e.during("asking how many blocks of " + entry + " fit");
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public String toString() {
    return "occupancy of " + entry + " on " + runtime;
  }
}
