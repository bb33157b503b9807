package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link KernelModule} interface that returns a variable of the module, one
 * that is declared {@code __constant__} or {@code __device__}, as an array. The method has no
 * parameters and returns a {@code DeviceArray}, or a {@code ReadableArray} if the host never writes
 * the variable; a variable that is not an array has one element.
 *
 * <p>The array is written and read like any other, on any stream of the runtime. Every launch of a
 * kernel of this interface whose code may use the variable is ordered with these reads and writes.
 * The module owns the variable: closing the array does nothing. All launchers of one interface on
 * one runtime share it; another interface that names the same module has a variable of its own.
 *
 * <p>The size, the width and the kind of the elements are compared with the module's PTX, and with
 * the loaded module. In PTX, arrays and structures are bytes, which fit all elements; {@code
 * byte[]} fits all variables.
 *
 * <pre>{@code
 * @Symbol("weights")
 * DeviceArray<float[]> weights();
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Symbol {
  /**
   * The variable's name in the module; by default the method's name. C++ compilers mangle the names
   * of static variables and of variables in namespaces.
   */
  String value() default "";
}
