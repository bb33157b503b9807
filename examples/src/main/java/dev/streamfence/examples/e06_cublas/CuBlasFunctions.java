package dev.streamfence.examples.e06_cublas;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import com.sun.jna.ptr.PointerByReference;

/** The functions of cuBLAS that the example calls, by their names in the library. */
interface CuBlasFunctions extends Library {
  /** What a function returns when it succeeds. */
  int SUCCESS = 0;

  /** Reads a matrix as it is, not transposed. */
  int AS_IT_IS = 0;

  int cublasCreate_v2(PointerByReference handle);

  int cublasDestroy_v2(Pointer handle);

  int cublasSetStream_v2(Pointer handle, Pointer stream);

  /** Matrices have their columns one after the other; m × n is the shape of {@code c}. */
  int cublasSgemm_v2(
      Pointer handle,
      int transposeA,
      int transposeB,
      int m,
      int n,
      int k,
      FloatByReference alpha,
      Pointer a,
      int stepOfA,
      Pointer b,
      int stepOfB,
      FloatByReference beta,
      Pointer c,
      int stepOfC);

  /** The name of a status, such as {@code CUBLAS_STATUS_NOT_INITIALIZED}. */
  String cublasGetStatusName(int status);
}
