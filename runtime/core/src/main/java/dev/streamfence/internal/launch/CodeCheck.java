package dev.streamfence.internal.launch;

import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch;
import dev.streamfence.launch.KernelSignature;
import java.util.List;
import java.util.function.Consumer;

/**
 * Acts on mismatches between a declaration and its kernel's code, where the compiler could not
 * compare them, or compared another file. Stateless.
 */
final class CodeCheck {
  private CodeCheck() {}

  /**
   * Refuses a kernel whose code contradicts its declaration, and warns of each untrusted access
   * that is not certain, numbers that may be addresses, arrays of addresses, and arrays of other
   * elements than the kernel has.
   *
   * @param source the file or resource of the code
   * @param origin what the refusal adds about the image's origin; may be empty
   * @param warning receives each warning
   * @throws KernelLoadException at the first contradiction
   */
  static void check(
      String source,
      String origin,
      List<Mismatch> mismatches,
      KernelSignature signature,
      Consumer<String> warning) {
    for (Mismatch mismatch : mismatches) {
      String sentence = mismatch.sentence(signature, AccessSite::toString);
      if (!mismatch.isWarning()) {
        throw new KernelLoadException(source, sentence + origin, "", null);
      }
      if (mismatch.kind() != Mismatch.Difference.ONLY_LOADS) {
        warning.accept(source + ": " + sentence);
      }
    }
  }
}
