package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The kernel reads and writes this buffer, atomically or not. The launch waits for every earlier
 * use of the buffer, and later uses wait for the launch.
 *
 * <pre>{@code
 * @Kernel
 * void histogram(@Reads DeviceArray<int[]> values, @ReadWrites DeviceArray<int[]> counts, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface ReadWrites {
  /**
   * Whether a launch may pass an array of another device, to whose memory the launch's device has
   * peer access: the kernel then uses it where it is. Without this, such a launch is refused.
   */
  boolean peer() default false;
}
