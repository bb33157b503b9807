package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Vouches for the access of a buffer where the kernel's code leaves it open: a pointer that is
 * chosen at run time, say, or handed to a function that is not in the module. What the code
 * certainly contradicts stays an error.
 *
 * <pre>{@code
 * @Kernel
 * void gather(@Trusted("the table is only read, see gather.cu") @Reads DeviceArray<int[]> table,
 *     @Writes DeviceArray<int[]> target, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Trusted {
  /** Why the declared access is right; with a letter or a digit at least. */
  String value();
}
