package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link KernelModule} interface as one kernel.
 *
 * <p>The method's parameters are the kernel's, in order. Primitives are passed by value. {@code
 * DeviceArray}s are passed as device pointers and need one of {@link Reads}, {@link Writes} and
 * {@link ReadWrites}; {@code ReadableArray}s, which may be memory that must not be written, need
 * {@link Reads}. The number of threads comes from either a {@link ThreadCount} parameter, which the
 * kernel receives as well, or a {@code LaunchShape} parameter, which it does not.
 *
 * <p>An array or a {@code List} of such arrays is passed as a device pointer to a table of their
 * device pointers, {@code T* const*}. It also needs one of these annotations, which says how the
 * kernel uses the arrays.
 *
 * <p>A {@code DeviceColumn}, or a {@code ReadableColumn} with {@link Reads}, stands for its values
 * wherever an array can be, and a {@code DeviceTable} is a table of the values of its columns. The
 * validity of a column, its offsets and the number of rows are passed separately, as arrays and
 * numbers.
 *
 * <p>A record is passed by value as the C structure with the same fields in the same order. CUDA's
 * compilers lay it out by the host's rules (System V ABI for AMD64): each field lies at the next
 * multiple of its own size, and padding at the end brings the structure to a multiple of its widest
 * field. A {@code boolean} is one byte, 0 or 1, and a {@code char} is an unsigned 16-bit number,
 * both in structures and as plain parameters. A component that is a device array, a column or a
 * table of these is a pointer; its annotation is on the component.
 *
 * <p>A kernel returns {@code void}, or a {@code Completion} that reports when the launch is done.
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
  /** The entry point's name in the module; by default the method's name. */
  String value() default "";

  /**
   * A block size that the driver chooses when the kernel is loaded, from the kernel's registers and
   * shared memory on that device: the one with which the most threads run at the same time. It is
   * within {@code .maxntid}, or exactly {@code .reqntid}. All launches of one launcher have this
   * block size.
   *
   * <p>Code that is written for one block size is refused if it has one of these signs: shared
   * memory that is indexed by the number of the thread, a barrier for a constant number of threads,
   * and {@code threadIdx} without {@code blockDim}. A constant number of threads in a loop or in a
   * shuffle is not detected. {@code AUTO} cannot be combined with {@link DynamicSharedBytes}, whose
   * value is known only at the launch.
   */
  int AUTO = Integer.MIN_VALUE;

  /**
   * Threads per block of a launch that is shaped by {@link ThreadCount}: from 1 to 1024, or {@link
   * #AUTO}.
   */
  int blockSize() default 256;

  /**
   * The block that the kernel's code is written for, as its threads in x, y and z; omitted sizes
   * are 1: {@code requiredBlock = 256}, or {@code requiredBlock = {16, 16}}. A {@code LaunchShape}
   * with another block is refused before anything is queued, and the message names both blocks. A
   * launch with {@link ThreadCount} has that block, which then has one dimension. Empty by default:
   * the code is right for every block.
   *
   * <p>Code is written for one block if, say, a tile in shared memory has one element per thread.
   * With fewer threads, part of the tile is never written, without an error.
   */
  int[] requiredBlock() default {};

  /**
   * Bytes of dynamic shared memory per block of a launch that is shaped by {@link ThreadCount}, at
   * most 16 MiB; a {@link DynamicSharedBytes} parameter replaces it.
   */
  int dynamicSharedBytes() default 0;

  /**
   * Whether one array, or views that overlap, may be passed for two parameters when the kernel
   * writes at least one of them. This is safe if each element is touched by one thread only. If
   * false, such a launch is refused.
   */
  boolean mayAlias() default false;

  /**
   * Whether all blocks of a launch run at the same time, which lets them wait for each other
   * ({@code grid.sync()}). A grid that exceeds the device's occupancy is refused.
   */
  boolean cooperative() default false;

  /**
   * Whether launches have to stay in their arrays provably. Arithmetic of the kernel that wraps
   * around in 32 bits proves nothing; neither does an index that the kernel loads without a
   * comparison.
   */
  Bounds bounds() default Bounds.CHECKED;

  /**
   * What is done about threads of one launch that conflict: they touch the same bytes, one of them
   * by a plain store, and nothing orders them. The launcher's documentation says what the PTX
   * shows.
   */
  Races races() default Races.REPORTED;
}
