package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Vouches for the declared access of a buffer if the kernel's code leaves the access open: for
 * example, because a pointer is chosen at run time, or passed to a function outside the module. On
 * an array that holds addresses, it vouches for the order of all uses of the memory behind them. A
 * declaration that the code certainly contradicts stays an error.
 *
 * <pre>{@code
 * @Kernel
 * void gather(@Trusted("the table is only read, see gather.cu") @Reads DeviceArray<int[]> table,
 *     @Writes DeviceArray<int[]> target, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Trusted {
  /** Why the declared access is right; contains at least one letter or digit. */
  String value();
}
