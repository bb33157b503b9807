package dev.streamfence.internal.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.List;

/**
 * Acts on mismatches between a declaration and its kernel's code, where the compiler could not
 * compare them, or compared another file. Stateless.
 */
final class CodeCheck {
  private CodeCheck() {}

  /**
   * Refuses a kernel whose code contradicts its declaration, and logs each untrusted access that
   * the code leaves unclear.
   *
   * @param image the image's name
   * @param origin what the refusal adds about the image's origin; may be empty
   * @throws KernelLoadException at the first contradiction
   */
  static void check(
      String image, String origin, List<Mismatch> mismatches, KernelSignature signature) {
    for (Mismatch mismatch : mismatches) {
      switch (mismatch.kind()) {
        case UNCLEAR -> {
          if (!isTrusted(signature, mismatch)) {
            warn(image, fact(signature, mismatch));
          }
        }
        case ONLY_LOADS -> {}
        default ->
            throw new KernelLoadException(image, fact(signature, mismatch) + origin, "", null);
      }
    }
  }

  private static boolean isTrusted(KernelSignature signature, Mismatch mismatch) {
    return signature.passed().get(mismatch.parameter()) instanceof KernelParameter.Array buffer
        && buffer.trusted();
  }

  private static void warn(String image, String fact) {
    System.getLogger(CodeCheck.class.getName())
        .log(System.Logger.Level.WARNING, "{0}: {1}", image, fact);
  }

  private static String fact(KernelSignature signature, Mismatch mismatch) {
    String actual = mismatch.actual();
    String site = mismatch.site().map(AccessSite::toString).orElse("");
    return switch (mismatch.kind()) {
      case NO_ENTRY -> "there is no entry " + signature.entry() + "; it has " + actual;
      case PARAMETER_COUNT ->
          signature.entry()
              + " takes "
              + actual
              + " parameters; the interface declares "
              + signature.passed().size();
      case PARAMETER_SIZE ->
          which(signature, mismatch)
              + " has "
              + signature.passed().get(mismatch.parameter()).sizeInBytes()
              + " bytes; the kernel takes "
              + actual;
      case PARAMETER_KIND ->
          which(signature, mismatch) + " is declared as something else; the kernel takes " + actual;
      case BLOCK_SIZE ->
          signature.entry()
              + " is launched with blocks of "
              + signature.blockSize()
              + " threads; the kernel allows "
              + actual;
      case STORES -> which(signature, mismatch) + " is read-only; the kernel stores to it: " + site;
      case LOADS ->
          which(signature, mismatch) + " is write-only; the kernel loads from it: " + site;
      case NEVER_STORES ->
          which(signature, mismatch) + " is to be written; the kernel never stores to it";
      case ONLY_LOADS -> which(signature, mismatch) + " is to be written; it is only read";
      case ADDRESS ->
          which(signature, mismatch) + " is a number; the kernel uses it as an address: " + site;
      case UNCLEAR -> which(signature, mismatch) + ": the access is not certain: " + site;
    };
  }

  private static String which(KernelSignature signature, Mismatch mismatch) {
    return signature.use(signature.passed().get(mismatch.parameter()))
        + " (number "
        + (mismatch.parameter() + 1)
        + ")";
  }
}
