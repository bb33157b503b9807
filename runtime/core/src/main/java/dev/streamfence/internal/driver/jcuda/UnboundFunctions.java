package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import dev.streamfence.DeviceException;
import jcuda.driver.CUdevice;

/**
 * The functions of the CUDA driver that JCuda does not bind, called through JNA: those of a
 * device's own memory pool. None is on the launch path, since such a call boxes its arguments. Each
 * returns the driver's code, and must be called after {@link #load}. Thread-safe.
 */
final class UnboundFunctions {
  /** {@code CU_MEMPOOL_ATTR_RELEASE_THRESHOLD}, a 64-bit number of bytes. */
  private static final int RELEASE_THRESHOLD = 4;

  private UnboundFunctions() {}

  /**
   * Loads JNA unless already done.
   *
   * @throws DeviceException if JNA does not load on this platform
   */
  static void load() {
    try {
      new LongByReference().setValue(0);
    } catch (LinkageError e) {
      throw new DeviceException(
          "JNA does not load ("
              + e
              + "); if the folder of its library is the reason, start Java with"
              + " -Djna.tmpdir=<a folder from which programs may run>",
          e);
    }
  }

  /** The pool for a device's stream-ordered allocations. */
  static int cuDeviceGetMemPool(PointerByReference pool, CUdevice device) {
    // A device's handle is its number.
    return call("cuDeviceGetMemPool", pool, (int) RawHandle.of(device));
  }

  /** Sets the release threshold of a pool. */
  static int cuMemPoolSetReleaseThreshold(PointerByReference pool, long bytes) {
    LongByReference value = new LongByReference(bytes);
    return call("cuMemPoolSetAttribute", pool.getValue(), RELEASE_THRESHOLD, value);
  }

  private static int call(String name, Object... arguments) {
    return com.sun.jna.NativeLibrary.getInstance(NativeLibrary.CUDA)
        .getFunction(name)
        .invokeInt(arguments);
  }
}
