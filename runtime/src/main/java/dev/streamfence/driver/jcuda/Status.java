package dev.streamfence.driver.jcuda;

import dev.streamfence.CudaDriverException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.driver.CUresult;

/**
 * What a driver call answered, whichever way JCuda says it. JCuda has one process-wide switch that
 * turns codes into exceptions, off at first. It is left alone, because another library that turned
 * it on relies on it; so each call is prepared for both.
 */
final class Status {
  /** The driver has no code above this one. */
  private static final int LAST_CODE = CUresult.CUDA_ERROR_UNKNOWN;

  private static final Map<String, Integer> CODES = codes();

  private Status() {}

  private static Map<String, Integer> codes() {
    Map<String, Integer> codes = new HashMap<>();
    for (int code = 0; code <= LAST_CODE; code++) {
      codes.put(CUresult.stringFor(code), code);
    }
    return Map.copyOf(codes);
  }

  /** The code of a call, also where JCuda throws it. */
  static int of(IntSupplier call) {
    try {
      return call.getAsInt();
    } catch (CudaException e) {
      return of(e);
    }
  }

  /** The code that JCuda threw as an exception, which carries its name only. */
  static int of(CudaException thrown) {
    return CODES.getOrDefault(String.valueOf(thrown.getMessage()), CUresult.CUDA_ERROR_UNKNOWN);
  }

  /** Throws unless the call succeeded. */
  static void check(String call, int code) {
    if (code != CUresult.CUDA_SUCCESS) {
      throw error(call, code);
    }
  }

  /** The error of a call. */
  static CudaDriverException error(String call, int code) {
    String name = CUresult.stringFor(code);
    return new CudaDriverException(
        call, code, name.startsWith("CUDA_") ? name : "an error without a name");
  }
}
