package dev.streamfence.internal.driver.jcuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;
import jcuda.driver.CUdeviceptr;

/**
 * The driver's handles as numbers. JCuda keeps them in a private field, and offers no way to read
 * or set it.
 */
final class RawHandle {
  private static final VarHandle NATIVE_POINTER = nativePointer();

  private RawHandle() {}

  static long of(NativePointerObject handle) {
    return (long) NATIVE_POINTER.get(handle);
  }

  /** Sets a handle, and returns it. */
  static <H extends NativePointerObject> H set(H handle, long number) {
    NATIVE_POINTER.set(handle, number);
    return handle;
  }

  /** An address in a structure, of which JCuda does not read the offset that it has elsewhere. */
  static CUdeviceptr address(long address) {
    return set(new CUdeviceptr(), address);
  }

  private static VarHandle nativePointer() {
    try {
      return MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
          .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this version of JCuda keeps its handles in another way", e);
    }
  }
}
