package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The number of threads that the kernel needs, an {@code int} or a {@code long}. The launch has
 * {@code ceil(n / blockSize)} blocks in one dimension. The kernel receives {@code n} as well, so
 * that threads beyond it can stop. If {@code n} is 0, nothing is launched.
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
