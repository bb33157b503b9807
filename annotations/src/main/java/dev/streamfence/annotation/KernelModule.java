package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose abstract methods are the kernels of one module of device code.
 *
 * <p>The processor generates a launcher for it, in the same package: {@code VectorKernelsLauncher}
 * for {@code VectorKernels}, {@code Outer_VectorKernelsLauncher} for one that is nested in {@code
 * Outer}. Its {@code on(stream)} returns an implementation whose methods launch on that stream.
 *
 * <p>The module is read when {@code on(stream)} first loads it on a device. A missing resource, a
 * missing entry point, and parameters of another number or size are refused there. The processor
 * claims none of these annotations, so that others may see them too; with {@code -Xlint:all
 * -Werror} add {@code -Xlint:-processing}.
 *
 * <pre>{@code
 * @KernelModule("kernels/vector.ptx")
 * public interface VectorKernels {
 *   @Kernel("saxpy")
 *   void saxpy(float a, @Reads DeviceArray<float[]> x, @ReadWrites DeviceArray<float[]> y, @ThreadCount int n);
 * }
 *
 * VectorKernels kernels = VectorKernelsLauncher.on(stream);
 * kernels.saxpy(2f, x, y, n);
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface KernelModule {
  /**
   * The PTX resource with the kernels, as a name from the root of the class path, without a leading
   * slash: {@code "kernels/vector.ptx"}. It is found through the class loader (and module) of the
   * annotated interface.
   */
  String value();
}
