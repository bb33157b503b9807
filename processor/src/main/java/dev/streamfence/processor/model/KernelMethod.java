package dev.streamfence.processor.model;

import java.util.List;

/**
 * A method that launches one kernel. Invariant: exactly one parameter sets the number of threads.
 * Immutable.
 *
 * @param name the method's name
 * @param entry the kernel's entry point
 * @param parameters in the method's order
 * @param blockSize threads per block if a thread count shapes the launch, in 1..{@value
 *     #MAX_BLOCK_SIZE}
 * @param dynamicSharedBytes bytes per block if no parameter sets them, not negative
 * @param mayAlias whether one array may be passed twice even if it is written
 * @param isCooperative whether all blocks run at the same time
 * @param tellsCompletion whether it returns a completion instead of nothing
 * @param deprecation how strongly its use is discouraged
 */
public record KernelMethod(
    String name,
    EntryName entry,
    List<Parameter> parameters,
    int blockSize,
    int dynamicSharedBytes,
    boolean mayAlias,
    boolean isCooperative,
    boolean tellsCompletion,
    Deprecation deprecation) {
  /** The limit of every current CUDA device. */
  public static final int MAX_BLOCK_SIZE = 1024;

  public KernelMethod {
    parameters = List.copyOf(parameters);
    long shapes = parameters.stream().filter(KernelMethod::isShape).count();
    if (shapes != 1) {
      throw new IllegalArgumentException(name + " says " + shapes + " times how many threads run");
    }
    if (blockSize < 1 || blockSize > MAX_BLOCK_SIZE) {
      throw new IllegalArgumentException(name + " has a block size of " + blockSize);
    }
    if (dynamicSharedBytes < 0) {
      throw new IllegalArgumentException(name + " has " + dynamicSharedBytes + " shared bytes");
    }
  }

  /** Whether it has a parameter of this kind. */
  public boolean has(Class<? extends Parameter> kind) {
    return parameters.stream().anyMatch(kind::isInstance);
  }

  private static boolean isShape(Parameter parameter) {
    return parameter instanceof Parameter.ThreadCount || parameter instanceof Parameter.Shape;
  }
}
