package dev.streamfence.internal.driver.jcuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;

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

  /** A stream with a given handle. */
  static CUstream stream(long handle) {
    CUstream stream = new CUstream();
    NATIVE_POINTER.set(stream, handle);
    return stream;
  }

  /** An event with a given handle. */
  static CUevent event(long handle) {
    CUevent event = new CUevent();
    NATIVE_POINTER.set(event, handle);
    return event;
  }

  /** An address in a structure, of which JCuda does not read the offset that it has elsewhere. */
  static CUdeviceptr address(long address) {
    CUdeviceptr pointer = new CUdeviceptr();
    NATIVE_POINTER.set(pointer, address);
    return pointer;
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
