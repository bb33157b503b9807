package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a launch pass {@code null} for an array or a column. The kernel then receives the address 0,
 * and no use is recorded; the kernel has to compare the address with 0 before it dereferences it.
 * Without this annotation, {@code null} is refused.
 *
 * <p>An array without elements passes the address 0 as well, with or without this annotation.
 * Therefore tables need no absent arrays: an empty array takes their place.
 *
 * <pre>{@code
 * @Kernel
 * void select(@Reads DeviceArray<int[]> values, @Reads @Optional DeviceArray<byte[]> mask,
 *     @Writes DeviceArray<int[]> selected, @ThreadCount int n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Optional {}
