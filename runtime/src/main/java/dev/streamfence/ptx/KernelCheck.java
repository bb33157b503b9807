package dev.streamfence.ptx;

import dev.streamfence.ptx.KernelDeclaration.Buffer;
import dev.streamfence.ptx.Mismatch.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares what is declared of a kernel with its code: that the entry exists, the number, sizes and
 * kinds of its parameters, the threads that it allows per block, and what it does to the memory
 * behind each parameter. Signedness is not compared, which PTX hardly knows. Stateless.
 */
public final class KernelCheck {
  private KernelCheck() {}

  /**
   * Compares. Throws nothing, whatever the module holds.
   *
   * @param module the module
   * @param declared what is declared
   * @return where they differ, in the order of the parameters; of the accesses only if the
   *     parameters agree
   */
  public static List<Mismatch> of(PtxModule module, KernelDeclaration declared) {
    Optional<PtxEntry> found = module.entry(declared.entry());
    if (found.isEmpty()) {
      List<String> names = module.entries().stream().map(PtxEntry::name).toList();
      return List.of(Mismatch.ofEntry(Kind.NO_ENTRY, String.join(", ", names)));
    }
    PtxEntry entry = found.get();
    if (entry.parameters().size() != declared.parameters().size()) {
      return List.of(Mismatch.ofEntry(Kind.PARAMETER_COUNT, entry.parameters().size()));
    }
    List<Mismatch> mismatches = new ArrayList<>();
    compareParameters(entry, declared, mismatches);
    if (mismatches.isEmpty()) {
      compareAccesses(module, entry, declared, mismatches);
    }
    if (declared.blockSize() > 0) {
      entry
          .blockLimit()
          .filter(limit -> !limit.allows(declared.blockSize(), 1, 1))
          .ifPresent(limit -> mismatches.add(Mismatch.ofEntry(Kind.BLOCK_SIZE, limit)));
    }
    return List.copyOf(mismatches);
  }

  private static void compareParameters(
      PtxEntry entry, KernelDeclaration declared, List<Mismatch> mismatches) {
    for (int i = 0; i < declared.parameters().size(); i++) {
      PtxParameter actual = entry.parameters().get(i);
      KernelDeclaration.Parameter parameter = declared.parameters().get(i);
      if (parameter.sizeInBytes() != actual.sizeInBytes()) {
        mismatches.add(Mismatch.of(i, Kind.PARAMETER_SIZE, actual.sizeInBytes()));
      } else if (differsInKind(parameter, actual.kind())) {
        mismatches.add(Mismatch.of(i, Kind.PARAMETER_KIND, inWords(actual.kind())));
      }
    }
  }

  /** Bits are of any kind. */
  private static boolean differsInKind(
      KernelDeclaration.Parameter declared, PtxParameter.Kind actual) {
    if (declared instanceof KernelDeclaration.Scalar number) {
      return number.isFloatingPoint()
          ? actual == PtxParameter.Kind.INTEGER
          : actual == PtxParameter.Kind.FLOAT;
    }
    if (declared instanceof KernelDeclaration.Struct struct) {
      // A structure of one number is laid out like the number.
      return struct.offsets().size() > 1
          && (actual == PtxParameter.Kind.FLOAT || actual == PtxParameter.Kind.INTEGER);
    }
    return actual == PtxParameter.Kind.FLOAT;
  }

  private static String inWords(PtxParameter.Kind kind) {
    return kind == PtxParameter.Kind.FLOAT ? "a floating-point number" : "an integer";
  }

  private static void compareAccesses(
      PtxModule module, PtxEntry entry, KernelDeclaration declared, List<Mismatch> mismatches) {
    KernelAccesses accesses =
        KernelAccesses.of(
            module,
            entry,
            (parameter, offset) ->
                declared.parameters().get(parameter) instanceof Buffer
                    ? ParameterRole.BUFFER
                    : ParameterRole.NUMBER);
    for (int i = 0; i < declared.parameters().size(); i++) {
      ParameterAccess access = accesses.parameter(i);
      int parameter = i;
      if (declared.parameters().get(i) instanceof Buffer buffer) {
        compare(i, buffer, access).ifPresent(mismatches::add);
      } else {
        access
            .read()
            .or(access::write)
            .ifPresent(site -> mismatches.add(Mismatch.at(site, parameter, Kind.ADDRESS)));
      }
    }
  }

  private static Optional<Mismatch> compare(int index, Buffer declared, ParameterAccess access) {
    boolean mayStore = access.write().isPresent() || access.possibleWrite().isPresent();
    if (declared.reads() && declared.writes()) {
      return access.read().isPresent() && !mayStore
          ? Optional.of(Mismatch.of(index, Kind.ONLY_LOADS, ""))
          : Optional.empty();
    }
    if (declared.reads()) {
      return access
          .write()
          .map(site -> Mismatch.at(site, index, Kind.STORES))
          .or(() -> unclear(index, access.possibleWrite()));
    }
    if (access.read().isPresent()) {
      return access.read().map(site -> Mismatch.at(site, index, Kind.LOADS));
    }
    return mayStore
        ? unclear(index, access.possibleRead())
        : Optional.of(Mismatch.of(index, Kind.NEVER_STORES, ""));
  }

  private static Optional<Mismatch> unclear(int index, Optional<AccessSite> possible) {
    return possible.map(site -> Mismatch.at(site, index, Kind.UNCLEAR));
  }
}
