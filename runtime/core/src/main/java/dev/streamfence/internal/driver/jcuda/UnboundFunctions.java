package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import dev.streamfence.DeviceException;

/**
 * Functions of the CUDA driver, called through JNA: those of memory pools, which JCuda does not
 * bind, and two that take or fill memory of JNA. None is on the launch path, since such a call
 * boxes its arguments. Each returns the driver's code, and must be called after {@link #load}.
 * Thread-safe.
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
      new IntByReference().setValue(0);
    } catch (LinkageError e) {
      throw new DeviceException(
          "JNA does not load ("
              + e
              + "); if the folder of its library is the reason, start Java with"
              + " -Djna.tmpdir=<a folder from which programs may run>",
          e);
    }
  }

  /** The device with a number. */
  static int cuDeviceGet(IntByReference device, int ordinal) {
    return call("cuDeviceGet", device, ordinal);
  }

  /** The pool for a device's stream-ordered allocations. */
  static int cuDeviceGetMemPool(PointerByReference pool, IntByReference device) {
    return call("cuDeviceGetMemPool", pool, device.getValue());
  }

  /** Sets the release threshold of a pool. */
  static int cuMemPoolSetReleaseThreshold(PointerByReference pool, long bytes) {
    LongByReference value = new LongByReference(bytes);
    return call("cuMemPoolSetAttribute", pool.getValue(), RELEASE_THRESHOLD, value);
  }

  /**
   * Several attributes of an address.
   *
   * @param places where each value goes, one pointer per attribute
   */
  static int cuPointerGetAttributes(int[] attributes, Pointer places, long address) {
    return call("cuPointerGetAttributes", attributes.length, attributes, places, address);
  }

  private static int call(String name, Object... arguments) {
    return com.sun.jna.NativeLibrary.getInstance(NativeLibrary.CUDA)
        .getFunction(name)
        .invokeInt(arguments);
  }
}
