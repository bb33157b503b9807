package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The kernel overwrites this buffer and never reads its old content. The launch waits for every
 * earlier use of the buffer, and later uses wait for the launch.
 *
 * <pre>{@code
 * @Kernel
 * void iota(@Writes DeviceArray<int[]> target, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Writes {
  /**
   * Whether a launch may pass an array of another device, to whose memory the launch's device has
   * peer access: the kernel then writes it where it is. Without this, such a launch is refused.
   */
  boolean peer() default false;
}
