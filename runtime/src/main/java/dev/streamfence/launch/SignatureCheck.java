package dev.streamfence.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.ptx.PtxEntry;
import dev.streamfence.ptx.PtxModule;
import dev.streamfence.ptx.PtxParameter;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Compares what an interface declares with the entry point of a PTX module: number and size of the
 * parameters, and whether a number is floating-point where PTX says so. Signedness is not compared;
 * PTX hardly knows it.
 */
final class SignatureCheck {
  private SignatureCheck() {}

  static void check(String module, PtxModule ptx, KernelSignature signature) {
    PtxEntry entry =
        ptx.entry(signature.entry())
            .orElseThrow(
                () ->
                    refusal(
                        module,
                        "there is no entry " + signature.entry() + "; it has " + entries(ptx)));
    List<PtxParameter> actual = entry.parameters();
    List<KernelParameter> declared = signature.parameters();
    if (actual.size() != declared.size()) {
      throw refusal(
          module,
          signature.entry()
              + " takes "
              + actual.size()
              + " parameters; the interface declares "
              + declared.size());
    }
    for (int i = 0; i < declared.size(); i++) {
      compare(module, signature, i, declared.get(i), actual.get(i));
    }
  }

  private static void compare(
      String module,
      KernelSignature signature,
      int index,
      KernelParameter declared,
      PtxParameter actual) {
    String which =
        signature.entry() + ": parameter '" + declared.name() + "' (number " + index + ")";
    if (declared.sizeInBytes() != actual.sizeInBytes()) {
      throw refusal(
          module,
          which
              + " has "
              + declared.sizeInBytes()
              + " bytes; the kernel takes "
              + actual.sizeInBytes());
    }
    boolean floating = actual.kind() == PtxParameter.Kind.FLOAT;
    boolean integer = actual.kind() == PtxParameter.Kind.INTEGER;
    if (declared instanceof KernelParameter.Value value) {
      boolean declaredFloating =
          value.type().primitive() == float.class || value.type().primitive() == double.class;
      if (declaredFloating ? integer : floating) {
        throw refusal(
            module,
            which
                + " is declared as "
                + value.type().primitive()
                + "; the kernel takes "
                + (floating ? "a floating-point number" : "an integer"));
      }
    } else if (floating) {
      throw refusal(module, which + " is an array; the kernel takes a floating-point number");
    }
  }

  private static String entries(PtxModule ptx) {
    return ptx.entries().isEmpty()
        ? "none"
        : ptx.entries().stream().map(PtxEntry::name).collect(Collectors.joining(", "));
  }

  private static KernelLoadException refusal(String module, String fact) {
    return new KernelLoadException(module, fact, "", null);
  }
}
