package dev.streamfence.examples.e09_kernels_at_run_time;

/** What makes PTX of CUDA. */
public interface CudaCompiler {
  /**
   * Compiles a source.
   *
   * @param architecture such as {@code compute_90}
   * @return the PTX
   * @throws IllegalArgumentException if the source has errors, with the compiler's text
   */
  byte[] compile(String source, String architecture);
}
