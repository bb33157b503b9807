package dev.streamfence.ptx;

import java.util.List;

/**
 * A kernel as somebody declares it, to be compared with its code. Immutable.
 *
 * @param entry the name of its entry
 * @param parameters what it is passed, in order
 * @param blockSize the threads per block of every launch, or 0 where each launch says it
 */
public record KernelDeclaration(String entry, List<Parameter> parameters, int blockSize) {
  /** What is passed for one parameter of the kernel. */
  public sealed interface Parameter {
    /** Returns how many bytes are passed. */
    int sizeInBytes();
  }

  /**
   * A number by value.
   *
   * @param sizeInBytes 1, 2, 4 or 8
   * @param isFloatingPoint whether it is one with a fraction
   */
  public record Scalar(int sizeInBytes, boolean isFloatingPoint) implements Parameter {}

  /**
   * The address of memory.
   *
   * @param reads whether the kernel may load from it
   * @param writes whether the kernel may store to it
   */
  public record Buffer(boolean reads, boolean writes) implements Parameter {
    @Override
    public int sizeInBytes() {
      return Long.BYTES;
    }
  }

  /**
   * A structure of numbers by value.
   *
   * @param sizeInBytes with the padding at its end
   * @param alignment in bytes, a power of two
   */
  public record Struct(int sizeInBytes, int alignment) implements Parameter {}

  /** Takes the parameters over. */
  public KernelDeclaration {
    parameters = List.copyOf(parameters);
  }
}
