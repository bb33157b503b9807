package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.binary.Cubin;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.launch.KernelSignature;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares the declarations of kernels with the readable part of a binary: that the entry exists,
 * and the number and sizes of its parameters. Stateless.
 */
public final class CubinCheck {
  private CubinCheck() {}

  /**
   * Compares a kernel's declaration with the binary.
   *
   * @param declared the declaration
   * @return the differences, in the order of the parameters
   */
  public static List<Mismatch> compare(Cubin binary, KernelSignature declared) {
    if (!binary.entries().contains(declared.entry())) {
      String instead = EntryNames.insteadOf(declared.entry(), binary.entries());
      return List.of(Mismatch.ofEntry(Difference.NO_ENTRY, instead));
    }
    Optional<List<Integer>> known = binary.parameterSizes(declared.entry());
    if (known.isEmpty()) {
      return List.of();
    }
    List<Integer> sizes = known.get();
    if (sizes.size() != declared.passed().size()) {
      return List.of(Mismatch.ofEntry(Difference.PARAMETER_COUNT, sizes.size()));
    }
    List<Mismatch> mismatches = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      if (declared.passed().get(i).sizeInBytes() != sizes.get(i)) {
        mismatches.add(Mismatch.ofSize(declared.entry(), i, sizes.get(i)));
      }
    }
    return mismatches;
  }
}
