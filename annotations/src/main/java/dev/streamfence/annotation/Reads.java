package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The kernel reads this buffer and never writes it. Launches that only read a buffer may overlap.
 * The parameter can be a {@code ReadableArray}.
 *
 * <pre>{@code
 * @Kernel
 * void scale(@Reads DeviceArray<float[]> source, @Writes DeviceArray<float[]> target, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Reads {
  /**
   * Whether no two of the elements that a launch reads from this buffer are equal, as in a
   * permutation: threads that store at positions which they read here then have places of their
   * own. Only for whole numbers; the simulated device reports a launch that reads equal ones.
   */
  boolean distinct() default false;

  /**
   * Declares that each element that a launch reads from this buffer is an index: at least 0, see
   * {@link #least}, and less than the length of the array parameter, or than the whole number, that
   * is named. With several names, all of them hold. In a record, other components of it come before
   * the parameters of the method; {@code rows.values} names a component of the parameter {@code
   * rows}. An interface in a class file has these names only if it was compiled with {@code
   * -parameters}.
   *
   * <pre>{@code
   * @Kernel(bounds = Bounds.REQUIRED)
   * void gather(
   *     @Reads(below = "values") DeviceArray<int[]> index, @Reads DeviceArray<float[]> values,
   *     @Writes DeviceArray<float[]> gathered, @ThreadCount int n);
   * }</pre>
   *
   * <p>If the elements are as declared, what the kernel touches is then known before a launch.
   * Threads with rows of their own do not conflict if a row has as many elements as the number. No
   * launch compares the elements; the simulated device reports a launch that reads others, except
   * in a graph, where a number of the launch can be changed and limits nothing. Only for whole
   * numbers.
   */
  String[] below() default {};

  /**
   * Declares that each element that a launch reads from this buffer is at least 0, see {@link
   * #least}, and not greater than the length or the number that is named, see {@link #below}: the
   * ends of rows, the number of elements that an earlier kernel has counted.
   */
  String[] atMost() default {};

  /**
   * The least of the elements whose limit {@link #below} or {@link #atMost} declares: -1 for a
   * buffer in which -1 stands for no index. What such an element indexes is provable only where the
   * kernel's code compares it.
   */
  long least() default 0;

  /**
   * Whether a launch may pass an array of another device, to whose memory the launch's device has
   * peer access: the kernel then reads it where it is. Without this, such a launch is refused.
   */
  boolean peer() default false;
}
