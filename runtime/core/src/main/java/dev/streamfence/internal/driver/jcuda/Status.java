package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.CudaDriverException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.driver.CUresult;

/**
 * The result code of a driver call, in either form that JCuda reports it. JCuda has a process-wide
 * switch that turns codes into exceptions, initially off. This class leaves the switch alone,
 * because another library may rely on it, so each call handles both forms.
 */
final class Status {
  /** The driver's highest code. */
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

  /** The code of a call, even if JCuda throws it. */
  static int of(IntSupplier call) {
    try {
      return call.getAsInt();
    } catch (CudaException e) {
      return of(e);
    }
  }

  /** The code of an exception from JCuda, which carries only its name. */
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
