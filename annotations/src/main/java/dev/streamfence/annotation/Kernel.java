package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link KernelModule} interface as one kernel.
 *
 * <p>The method's parameters are the kernel's, in order: primitives go by value, {@code
 * DeviceArray}s as device pointers and with one of {@link Reads}, {@link Writes} and {@link
 * ReadWrites}. How many threads run is said by a {@link ThreadCount} parameter, which the kernel
 * receives as well, or by a {@code LaunchShape} parameter, which it does not.
 *
 * <p>A record of primitives goes by value as the C structure with the same fields in the same
 * order, laid out as CUDA's compilers do by the host's rules (System V ABI for AMD64): each field
 * lies at the next multiple of its own size, and the structure is padded at its end to a multiple
 * of its widest field. A {@code boolean} is one byte, 0 or 1, and a {@code char} an unsigned number
 * of 16 bits, in structures and by themselves.
 *
 * <p>A kernel returns {@code void}, or a {@code Completion} that says when the launch is done.
 *
 * <pre>{@code
 * @Kernel(value = "reduce_sum", blockSize = 128, dynamicSharedBytes = 128 * 4)
 * void sum(@Reads DeviceArray<float[]> values, @Writes DeviceArray<float[]> sums, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Kernel {
  /** The entry point's name in the module; the method's own name when left out. */
  String value() default "";

  /** Threads per block of a launch that is shaped by {@link ThreadCount}. */
  int blockSize() default 256;

  /**
   * Bytes of dynamic shared memory per block of a launch that is shaped by {@link ThreadCount}; a
   * {@link DynamicSharedBytes} parameter replaces it.
   */
  int dynamicSharedBytes() default 0;

  /**
   * Whether one array may be passed for two parameters of which one is written, as a kernel bears
   * that touches each element in one thread alone. Otherwise such a launch is refused.
   */
  boolean mayAlias() default false;

  /**
   * Whether all blocks of a launch run at the same time, so that they may wait for each other
   * ({@code grid.sync()}). A grid that the device cannot hold at once is refused.
   */
  boolean cooperative() default false;
}
