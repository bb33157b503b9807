package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The scalar that says how many threads the kernel needs, an {@code int} or a {@code long}: the
 * launch has {@code ceil(n / blockSize)} blocks in one dimension, and the kernel receives {@code n}
 * as well, to stop the threads beyond it. With {@code n} = 0 nothing is launched.
 *
 * <pre>{@code
 * @Kernel(blockSize = 128)
 * void negate(@ReadWrites DeviceArray<long[]> values, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface ThreadCount {}
