package dev.streamfence.processor.parse;

import java.util.Arrays;
import java.util.Optional;
import javax.lang.model.element.TypeElement;

/**
 * The annotations that the processor reads, by name: on a processor module path, nothing requires
 * the annotations' module, so its classes cannot be loaded. Immutable.
 */
public enum KernelAnnotation {
  KERNEL_MODULE("KernelModule"),
  KERNEL("Kernel"),
  SYMBOL("Symbol"),
  READS("Reads"),
  WRITES("Writes"),
  READ_WRITES("ReadWrites"),
  TRUSTED("Trusted"),
  OPTIONAL("Optional"),
  THREAD_COUNT("ThreadCount"),
  DYNAMIC_SHARED_BYTES("DynamicSharedBytes");

  private final String qualifiedName;

  KernelAnnotation(String simpleName) {
    this.qualifiedName = "dev.streamfence.annotation." + simpleName;
  }

  /** The annotation that this type declares. */
  public static Optional<KernelAnnotation> of(TypeElement type) {
    return Arrays.stream(values())
        .filter(annotation -> type.getQualifiedName().contentEquals(annotation.qualifiedName()))
        .findFirst();
  }

  /** The qualified name of its type. */
  public String qualifiedName() {
    return qualifiedName;
  }

  /** Whether it is for methods and parameters, not for types. */
  public boolean isOnMembers() {
    return this != KERNEL_MODULE;
  }
}
