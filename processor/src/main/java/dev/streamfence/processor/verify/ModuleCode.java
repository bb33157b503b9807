package dev.streamfence.processor.verify;

import dev.streamfence.Access;
import dev.streamfence.ptx.Cubin;
import dev.streamfence.ptx.KernelCheck;
import dev.streamfence.ptx.KernelDeclaration;
import dev.streamfence.ptx.Mismatch;
import dev.streamfence.ptx.ParameterAccess;
import java.util.List;
import java.util.Optional;

/** What the compiler sees of a module's code. */
public sealed interface ModuleCode {
  /** There is no such file where the compiler looks. */
  record Unseen() implements ModuleCode {}

  /**
   * A file whose kernels cannot be looked at.
   *
   * @param kind what it is, in words
   * @param remedy what to do about that
   * @param cubin the sizes of its parameters, where they can be read
   */
  record Opaque(String kind, String remedy, Optional<Cubin> cubin) implements ModuleCode {
    static Opaque binary(String kind, Optional<Cubin> cubin) {
      return new Opaque(kind, "name the PTX that it was made of", cubin);
    }

    static Opaque tooLarge(String kind) {
      return new Opaque(kind, "split its kernels up", Optional.empty());
    }
  }

  /** A file that is no PTX, though it has no mark of anything else. */
  record Unreadable(String reason) implements ModuleCode {}

  /**
   * PTX.
   *
   * @param check compares its kernels; confined to the compiler's thread
   * @param source what it was compiled from, where that lies beside it
   */
  record Ptx(KernelCheck check, String sha256, Optional<CudaSource> source) implements ModuleCode {}

  /** The hash of a file whose kernels were compared with their interface; empty of any other. */
  default String comparedHash() {
    return this instanceof Ptx ptx ? ptx.sha256() : "";
  }

  /**
   * What an entry certainly does to the memory behind its parameters, as accesses; none at all
   * where the code is not seen, or takes other parameters.
   */
  default List<Optional<Access>> accesses(String entry, List<Boolean> areBuffers) {
    return this instanceof Ptx ptx
        ? ptx.check().verdicts(entry, areBuffers).stream().map(ModuleCode::access).toList()
        : List.of();
  }

  /** Where a kernel differs from its code, as far as that is seen. */
  default List<Mismatch> compare(KernelDeclaration declared) {
    if (this instanceof Ptx ptx) {
      return ptx.check().compare(declared);
    }
    Optional<Cubin> cubin =
        this instanceof Opaque opaque ? opaque.cubin() : Optional.<Cubin>empty();
    return cubin.map(binary -> binary.compare(declared)).orElseGet(List::of);
  }

  private static Optional<Access> access(ParameterAccess.Verdict verdict) {
    return switch (verdict) {
      case READS -> Optional.of(Access.READ);
      case WRITES -> Optional.of(Access.WRITE);
      case READS_WRITES -> Optional.of(Access.READ_WRITE);
      case NONE, UNKNOWN -> Optional.empty();
    };
  }
}
