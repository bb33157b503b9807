package dev.streamfence.processor.parse;

import java.util.Arrays;
import java.util.Optional;
import javax.lang.model.element.TypeElement;

/**
 * The annotations that the processor reads, by name: where processors lie on a module path, nothing
 * there requires the annotations' module, and its classes cannot be loaded. Immutable.
 */
public enum KernelAnnotation {
  KERNEL_MODULE("KernelModule"),
  KERNEL("Kernel"),
  READS("Reads"),
  WRITES("Writes"),
  READ_WRITES("ReadWrites"),
  TRUSTED("Trusted"),
  THREAD_COUNT("ThreadCount"),
  DYNAMIC_SHARED_BYTES("DynamicSharedBytes");

  private static final String PACKAGE = "dev.streamfence.annotation.";

  private final String simpleName;

  KernelAnnotation(String simpleName) {
    this.simpleName = simpleName;
  }

  /** The annotation that is declared by this type. */
  public static Optional<KernelAnnotation> of(TypeElement type) {
    return Arrays.stream(values())
        .filter(annotation -> type.getQualifiedName().contentEquals(annotation.qualifiedName()))
        .findFirst();
  }

  /** The name of its type, as the compiler takes it. */
  public String qualifiedName() {
    return PACKAGE + simpleName;
  }

  /** Whether it stands on methods and parameters, and not on types. */
  public boolean isOnMembers() {
    return this != KERNEL_MODULE;
  }
}
