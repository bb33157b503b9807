package dev.streamfence.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeInternals;
import dev.streamfence.driver.CudaDriver.FunctionHandle;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.FunctionAttributes;

/** One kernel on one device, with the limits of its launches. Thread-safe. */
final class LoadedKernel {
  private static final RuntimeInternals INTERNALS = LoadedModule.INTERNALS;

  private final DeviceRuntime runtime;
  private final KernelSignature signature;
  private final FunctionHandle function;
  private final FunctionAttributes attributes;
  private final DeviceProperties device;
  private volatile int allowedDynamicSharedBytes;

  LoadedKernel(
      DeviceRuntime runtime,
      KernelSignature signature,
      FunctionHandle function,
      FunctionAttributes attributes) {
    this.runtime = runtime;
    this.signature = signature;
    this.function = function;
    this.attributes = attributes;
    this.device = INTERNALS.properties(runtime);
    this.allowedDynamicSharedBytes = device.sharedBytesPerBlock() - attributes.staticSharedBytes();
  }

  DeviceRuntime runtime() {
    return runtime;
  }

  KernelSignature signature() {
    return signature;
  }

  FunctionHandle function() {
    return function;
  }

  /** Refuses a launch that the device would refuse, with both numbers. */
  void requireLaunchable(
      long gridX, long gridY, long gridZ, int blockX, int blockY, int blockZ, int dynamicShared) {
    requireAtMost("blocks in x", gridX, device.maxGridX());
    requireAtMost("blocks in y", gridY, device.maxGridY());
    requireAtMost("blocks in z", gridZ, device.maxGridZ());
    requireAtMost("threads per block in x", blockX, device.maxBlockX());
    requireAtMost("threads per block in y", blockY, device.maxBlockY());
    requireAtMost("threads per block in z", blockZ, device.maxBlockZ());
    requireAtMost(
        "threads per block", (long) blockX * blockY * blockZ, attributes.maxThreadsPerBlock());
    if (dynamicShared > allowedDynamicSharedBytes) {
      allow(dynamicShared);
    }
  }

  private synchronized void allow(int dynamicShared) {
    requireAtMost(
        "bytes of shared memory per block, "
            + attributes.staticSharedBytes()
            + " static ones included,",
        (long) dynamicShared + attributes.staticSharedBytes(),
        device.sharedBytesPerBlockOptIn());
    if (dynamicShared > allowedDynamicSharedBytes) {
      try {
        INTERNALS.driver(runtime).allowDynamicSharedBytes(function, dynamicShared);
      } catch (CudaDriverException e) {
        throw INTERNALS.faults(runtime).note(e, "allowing " + signature + " its shared memory");
      }
      allowedDynamicSharedBytes = dynamicShared;
    }
  }

  private void requireAtMost(String what, long wanted, long allowed) {
    if (wanted > allowed) {
      throw new IllegalArgumentException(
          signature.entry()
              + ": "
              + wanted
              + " "
              + what
              + "; the kernel on "
              + device.name()
              + " allows "
              + allowed);
    }
  }
}
