package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The number of bytes of dynamic shared memory that each block of this launch gets, an {@code int}.
 * The kernel does not receive it as a parameter.
 *
 * <pre>{@code
 * @Kernel
 * void scan(@ReadWrites DeviceArray<int[]> values, @ThreadCount int n, @DynamicSharedBytes int sharedBytes);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface DynamicSharedBytes {}
