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
 * Outer}. Its {@code on(stream)} returns an implementation whose methods launch on that stream. An
 * interface that is declared inside of a method gets none: compilers show processors nothing that
 * stands in bodies and initialisers. For the same reason there is no warning of these annotations
 * on local and anonymous classes and on parameters of lambdas, where they have no effect.
 *
 * <p>Where the compiler sees the module's PTX, it compares it with the interface: a missing entry
 * point, parameters of another number, size or kind, blocks that the kernel does not allow, and
 * accesses that the interface does not declare are errors. The launcher carries the hash of what
 * was compared.
 *
 * <p>The module is loaded on a device when {@code on(stream)} is first called there: from the
 * folders of the runtime's options, then from the class path, and in each place a binary for the
 * very device, if such are allowed, before the PTX. A missing resource is refused there, and any
 * other file than the compared one is compared then. Of a binary only the number and the sizes of
 * parameters can be compared: it is refused beside a compared file unless the runtime's options
 * allow it, and what its kernels do to memory is not checked.
 *
 * <p>The processor claims none of these annotations, so that others may see them too; with {@code
 * -Xlint:all -Werror} add {@code -Xlint:-processing}.
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
   * slash: {@code "kernels/vector.ptx"}. On the class path it is found through the class loader
   * (and module) of the annotated interface.
   */
  String value();
}
