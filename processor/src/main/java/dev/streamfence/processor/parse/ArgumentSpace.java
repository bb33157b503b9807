package dev.streamfence.processor.parse;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import java.util.List;

/** Computes how much space the arguments of a launch take. Stateless. */
final class ArgumentSpace {
  /**
   * The most that any device takes. Source: CUDA C++ Programming Guide, "Function Parameters":
   * 32,764 bytes from compute capability 7.0 on, 4,096 before.
   */
  static final int MAX_BYTES = 32_764;

  private ArgumentSpace() {}

  /** The size of the arguments laid out in order, each at a multiple of its alignment. */
  static long sizeInBytes(List<KernelParameter> parameters) {
    long end = 0;
    for (KernelParameter parameter : parameters) {
      if (parameter instanceof KernelParameter.Passed passed) {
        end = StructLayout.aligned(end, passed.alignment()) + passed.sizeInBytes();
      }
    }
    return end;
  }
}
