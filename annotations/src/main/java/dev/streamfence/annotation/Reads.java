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
   * Whether a launch may pass an array of another device, to whose memory the launch's device has
   * peer access: the kernel then reads it where it is. Without this, such a launch is refused.
   */
  boolean peer() default false;
}
