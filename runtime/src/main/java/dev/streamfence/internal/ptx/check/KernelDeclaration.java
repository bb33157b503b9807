package dev.streamfence.internal.ptx.check;

import java.util.ArrayList;
import java.util.List;

/**
 * The declaration of a kernel, to be compared with its code. Immutable.
 *
 * @param entry the name of its entry
 * @param parameters its parameters, in order
 * @param blockSize the threads per block of every launch, or 0 if each launch sets them
 */
public record KernelDeclaration(String entry, List<Parameter> parameters, int blockSize) {
  /** The argument of one parameter of the kernel. */
  public sealed interface Parameter {
    /** Returns how many bytes are passed. */
    int sizeInBytes();
  }

  /**
   * A number by value.
   *
   * @param sizeInBytes 1, 2, 4 or 8
   * @param isFloatingPoint whether it is a floating-point number
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
   * A structure of numbers by value. CUDA compilers lay it out by the rules of C: each field at the
   * next multiple of its own size, and padding at the end up to a multiple of the largest field
   * (System V ABI, AMD64, 3.1.2).
   *
   * @param offsets the offsets of the fields from the start of the structure
   * @param sizeInBytes the size, including the padding at the end
   * @param alignment in bytes, a power of two
   */
  public record Struct(List<Integer> offsets, int sizeInBytes, int alignment) implements Parameter {
    /** Copies the offsets. */
    public Struct {
      offsets = List.copyOf(offsets);
    }

    /** Returns the structure of numbers of these sizes, which are powers of two. */
    public static Struct of(int... fieldSizes) {
      List<Integer> offsets = new ArrayList<>();
      int end = 0;
      int widest = 1;
      for (int size : fieldSizes) {
        int offset = roundUp(end, size);
        offsets.add(offset);
        end = offset + size;
        widest = Math.max(widest, size);
      }
      return new Struct(offsets, roundUp(end, widest), widest);
    }

    private static int roundUp(int value, int multiple) {
      return (value + multiple - 1) / multiple * multiple;
    }
  }

  /** Copies the parameters. */
  public KernelDeclaration {
    parameters = List.copyOf(parameters);
  }
}
