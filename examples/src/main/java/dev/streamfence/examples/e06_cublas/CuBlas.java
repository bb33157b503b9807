package dev.streamfence.examples.e06_cublas;

import static dev.streamfence.examples.e06_cublas.CuBlasFunctions.AS_IT_IS;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import com.sun.jna.ptr.PointerByReference;
import dev.streamfence.DeviceStream;
import java.util.List;

/**
 * NVIDIA's library for matrices, as it is installed on the machine. Thread-safe: one handle serves
 * all streams, so that calls take turns until they are queued.
 */
public final class CuBlas implements MatrixProducts, AutoCloseable {
  private static final List<String> LIBRARIES =
      List.of("libcublas.so.13", "libcublas.so.12", "libcublas.so.11");

  private final DeviceStream stream;
  private final CuBlasFunctions functions;
  private final Pointer handle;
  private boolean isOpen = true;

  private CuBlas(DeviceStream stream, CuBlasFunctions functions, Pointer handle) {
    this.stream = stream;
    this.functions = functions;
    this.handle = handle;
  }

  /** Whether the library is installed, for whatever device. */
  public static boolean isInstalled() {
    try {
      load(LIBRARIES);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /**
   * Finds the library and creates its handle on the device of a stream.
   *
   * @param stream stays open until this is closed
   * @throws IllegalStateException if the library is not installed, or refuses
   */
  public static CuBlas on(DeviceStream stream) {
    return on(stream, LIBRARIES);
  }

  static CuBlas on(DeviceStream stream, List<String> libraries) {
    CuBlasFunctions functions = load(libraries);
    PointerByReference handle = new PointerByReference();
    // Inside of a call, since the handle belongs to the context that is current.
    stream.submit(
        "cublasCreate",
        uses -> {},
        call -> check(functions, "cublasCreate", functions.cublasCreate_v2(handle)));
    return new CuBlas(stream, functions, handle.getValue());
  }

  private static CuBlasFunctions load(List<String> libraries) {
    IllegalStateException missing =
        new IllegalStateException(
            "cuBLAS is not found as any of "
                + String.join(", ", libraries)
                + "; install it, or name its folder with -Djna.library.path=...");
    for (String library : libraries) {
      try {
        return Native.load(library, CuBlasFunctions.class);
      } catch (UnsatisfiedLinkError e) {
        missing.addSuppressed(e);
      }
    }
    throw missing;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if cuBLAS refuses, with the name of its status; or this is closed
   */
  @Override
  public synchronized void multiply(long onStream, long left, long right, long product, int size) {
    if (!isOpen) {
      throw new IllegalStateException("cublasSgemm after the close of cuBLAS");
    }
    check(
        functions, "cublasSetStream", functions.cublasSetStream_v2(handle, new Pointer(onStream)));
    // A matrix by rows is its transpose by columns, and so is the product of the swapped factors.
    check(
        functions,
        "cublasSgemm",
        functions.cublasSgemm_v2(
            handle,
            AS_IT_IS,
            AS_IT_IS,
            size,
            size,
            size,
            new FloatByReference(1),
            new Pointer(right),
            size,
            new Pointer(left),
            size,
            new FloatByReference(0),
            new Pointer(product),
            size));
  }

  /** Destroys the handle, for which cuBLAS waits for the device. Closing it again does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      if (!isOpen) {
        return;
      }
      isOpen = false;
    }
    stream.submit(
        "cublasDestroy",
        uses -> {},
        call -> check(functions, "cublasDestroy", functions.cublasDestroy_v2(handle)));
  }

  private static void check(CuBlasFunctions functions, String function, int status) {
    if (status != CuBlasFunctions.SUCCESS) {
      throw new IllegalStateException(
          function + " failed with " + functions.cublasGetStatusName(status) + " (" + status + ")");
    }
  }
}
