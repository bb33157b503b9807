package dev.streamfence.processor.generate;

import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;

/** Whether a launcher fits into one class. Immutable. */
public final class LauncherSize {
  /**
   * Bytes of code that one method can hold, with some left. The initialiser of the signatures is
   * the longest one; the constant pool takes as many entries, and each takes fewer than these.
   */
  private static final int MAX_INITIALIZER = 60_000;

  /** Load the name, open the builder, set the block size and the shared bytes, build, store. */
  private static final int PER_KERNEL = 28;

  /** Load name, type and access, by constants with a wide index, and call the builder. */
  private static final int PER_PARAMETER = 12;

  /** Duplicate the array, load index and class, store. */
  private static final int PER_FIELD = 10;

  /** Begin, preflight, launch, commit, and the ends of the try. */
  private static final int PER_LAUNCH = 80;

  /** Load recorder, two indexes and the record, call its accessor and the recorder. */
  private static final int PER_FIELD_OF_LAUNCH = 16;

  private LauncherSize() {}

  private static long method(KernelMethod kernel) {
    long size = PER_LAUNCH + (long) PER_PARAMETER * kernel.parameters().size();
    for (Parameter parameter : kernel.parameters()) {
      if (parameter instanceof Parameter.Struct struct) {
        size += (long) PER_FIELD_OF_LAUNCH * struct.fields().size();
      }
    }
    return size;
  }

  /** Whether the Java compiler can make one class of the launcher. */
  public static boolean fits(KernelInterface source) {
    long initializer = 0;
    for (KernelMethod kernel : source.kernels()) {
      initializer += PER_KERNEL + (long) PER_PARAMETER * kernel.parameters().size();
      for (Parameter parameter : kernel.parameters()) {
        if (parameter instanceof Parameter.Struct struct) {
          initializer += (long) PER_FIELD * struct.fields().size();
        }
      }
    }
    return initializer <= MAX_INITIALIZER
        && source.kernels().stream().allMatch(kernel -> method(kernel) <= MAX_INITIALIZER);
  }
}
