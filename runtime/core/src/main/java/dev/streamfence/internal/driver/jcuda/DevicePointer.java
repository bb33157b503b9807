package dev.streamfence.internal.driver.jcuda;

import jcuda.driver.CUdeviceptr;

/** An address in device memory, for JCuda. Confined to one call. */
final class DevicePointer extends CUdeviceptr {
  private static final CUdeviceptr NULL = new CUdeviceptr();

  /** An address that the driver will fill in. */
  DevicePointer() {}

  /** A known address. JCuda has no way to set one, but adds an offset to another pointer's. */
  DevicePointer(long address) {
    super(NULL, address);
  }

  long address() {
    return getNativePointer() + getByteOffset();
  }
}
