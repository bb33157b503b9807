package dev.streamfence.processor.verify;

import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.binary.Cubin;
import dev.streamfence.internal.ptx.check.CubinCheck;
import dev.streamfence.internal.ptx.check.KernelCheck;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.internal.ptx.check.Passing;
import dev.streamfence.internal.ptx.check.RaceReport;
import dev.streamfence.internal.ptx.check.SymbolMismatch;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.processor.model.KernelCode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The code of a module as far as the compiler sees it. */
public sealed interface ModuleCode {
  /** No file of this name is visible to the compiler. */
  record Unseen() implements ModuleCode {}

  /**
   * A file whose kernels cannot be analysed.
   *
   * @param kind its kind, in words
   * @param remedy the advice for the user, in words
   * @param cubin the sizes of its parameters, where they can be read
   */
  record Opaque(String kind, String remedy, Optional<Cubin> cubin) implements ModuleCode {
    static Opaque binary(String kind, Optional<Cubin> cubin) {
      return new Opaque(kind, "name the PTX that it was compiled from", cubin);
    }

    static Opaque tooLarge(String kind) {
      return new Opaque(kind, "split it", Optional.empty());
    }
  }

  /** A source that was not compiled, for a reason that is reported already. */
  record Uncompiled() implements ModuleCode {}

  /** A file that is not PTX, but has no mark of another format either. */
  record Unreadable(String reason) implements ModuleCode {}

  /**
   * PTX.
   *
   * @param check compares its kernels; confined to the compiler's thread
   * @param source the CUDA source, if it lies beside the PTX
   * @param sourceSha256 the hash of its source, if the PTX states one, or empty
   */
  record Ptx(KernelCheck check, String sha256, Optional<CudaSource> source, String sourceSha256)
      implements ModuleCode {}

  /**
   * What shows that PTX was made from another version of the source beside it, in words that name
   * the source; empty if nothing does.
   *
   * @param used the entries that an interface uses
   */
  default Optional<String> staleness(Collection<String> used) {
    if (this instanceof Ptx ptx && ptx.source().isPresent()) {
      CudaSource source = ptx.source().get();
      return source
          .difference(ptx.sourceSha256(), ptx.check().parameterCounts(), used)
          .map(difference -> source.name() + " beside it: " + difference);
    }
    return Optional.empty();
  }

  /** Whether its addresses have another size than those of devices, so that nothing loads it. */
  default boolean hasShortAddresses() {
    return this instanceof Ptx ptx && ptx.check().module().addressSize() != Long.SIZE;
  }

  /** The hash of the file if its kernels were compared with their interface; otherwise empty. */
  default String comparedHash() {
    return this instanceof Ptx ptx ? ptx.sha256() : "";
  }

  /**
   * The certain accesses of an entry to the memory behind its parameters; an empty list if the code
   * is not visible, or takes other parameters.
   */
  default List<Optional<Access>> accesses(String entry, List<Passing> passing) {
    return this instanceof Ptx ptx
        ? ptx.check().verdicts(entry, passing).stream().map(ModuleCode::access).toList()
        : List.of();
  }

  /**
   * What the visible code of a kernel shows.
   *
   * @param symbols the variables that its interface declares
   */
  default KernelCode code(KernelSignature declared, List<KernelSymbol> symbols) {
    return this instanceof Ptx ptx
        ? new KernelCode(
            ptx.check().bounds(declared),
            races(declared).map(RaceReport::inWords).orElse(""),
            ptx.check().analysis(declared, symbols))
        : KernelCode.UNKNOWN;
  }

  /** What the visible code shows of the elements that a kernel touches, one clause per array. */
  default List<String> bounds(KernelSignature declared) {
    return this instanceof Ptx ptx ? ptx.check().bounds(declared) : List.of();
  }

  /** What the visible code shows of conflicts between threads; empty if none is visible. */
  default Optional<RaceReport> races(KernelSignature declared) {
    return this instanceof Ptx ptx ? ptx.check().races(declared) : Optional.empty();
  }

  /** The differences between a declaration and the visible code. */
  default List<Mismatch> compare(KernelSignature declared) {
    if (this instanceof Ptx ptx) {
      return ptx.check().compare(declared);
    }
    Optional<Cubin> cubin =
        this instanceof Opaque opaque ? opaque.cubin() : Optional.<Cubin>empty();
    return cubin.map(binary -> CubinCheck.compare(binary, declared)).orElseGet(List::of);
  }

  /** The difference between a declared variable and the visible code, if there is any. */
  default Optional<SymbolMismatch> compare(KernelSymbol declared) {
    return this instanceof Ptx ptx
        ? ptx.check().compare(declared)
        : Optional.<SymbolMismatch>empty();
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
