package generator;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Asks for {@code GeneratedKernels} and {@code GeneratedRange} in the package of the interface. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Counting {}
