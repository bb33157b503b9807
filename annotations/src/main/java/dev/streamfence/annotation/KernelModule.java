package dev.streamfence.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose abstract methods launch the kernels of one module of device code, or
 * return its variables.
 *
 * <p>The processor generates a launcher for it, in the same package: {@code VectorKernelsLauncher}
 * for {@code VectorKernels}, {@code Outer_VectorKernelsLauncher} for a {@code VectorKernels} nested
 * in {@code Outer}. Its {@code on(stream)} returns an implementation whose methods launch on that
 * stream, and its {@code module(stream)} the loaded module. An interface declared inside a method
 * gets no launcher: compilers do not show processors the contents of bodies and initialisers. For
 * the same reason the processor cannot warn about these annotations on local and anonymous classes
 * and on lambda parameters, where they have no effect.
 *
 * <p>If the module's PTX is visible to the compiler, the processor compares it with the interface.
 * Errors are: a missing entry point, parameters of another number, size or kind, block sizes that
 * the kernel does not allow, and accesses that the interface does not declare. The launcher carries
 * the hash of the compared file.
 *
 * <p>The first call of {@code on(stream)} on a device loads the module there. It looks in the
 * folders of the runtime's options, then on the class path; in each place it prefers a binary for
 * exactly that device, if binaries are allowed, to the PTX. The call fails if the resource is
 * missing. If the file is not the one that was compared at compile time, it is compared when it is
 * loaded. Only the number and the sizes of parameters can be compared with a binary; its kernels'
 * memory accesses are not checked. If the compiler compared another file, a binary is refused
 * unless the runtime's options allow it.
 *
 * <p>The processor claims none of these annotations, so other processors see them too; with {@code
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
   * The PTX resource with the kernels, named from the root of the class path, without a leading
   * slash: {@code "kernels/vector.ptx"}. The class loader (and module) of the annotated interface
   * finds it there.
   *
   * <p>A CUDA source, {@code "kernels/vector.cu"}, stands for the PTX of the same name. The
   * processor compiles it if {@code -Astreamfence.nvcc} or {@code -Astreamfence.clang} names a
   * compiler; otherwise the PTX must exist.
   */
  String value();
}
