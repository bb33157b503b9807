package dev.streamfence.processor.parse;

import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter.Threads;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.EntryName;
import java.util.List;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.VariableElement;

/**
 * The attributes of {@code @Kernel} on a method. Reading yields nothing after a mistake, or if the
 * compiler has refused a value.
 *
 * @param signature the kernel's signature, as yet without parameters
 * @param blockSize threads per block if a parameter counts threads, or {@link Threads#AUTO}
 * @param refusesRaces whether it must be proved that no threads of a launch conflict
 */
record KernelAttributes(KernelSignature signature, int blockSize, boolean refusesRaces) {
  /** The limit of every current CUDA device. */
  static final int MAX_BLOCK_SIZE = 1024;

  /**
   * 72 times what any device has. Source: CUDA C++ Programming Guide, "Technical Specifications per
   * Compute Capability": at most 227 KB of shared memory per block, from 9.0 on.
   */
  private static final int MAX_SHARED_BYTES = 16 << 20;

  static final String BLOCK_SIZE = "blockSize";
  private static final String SHARED_BYTES = "dynamicSharedBytes";

  /**
   * Reads the annotation of {@code method}.
   *
   * @param shapes the method's {@code LaunchShape} parameters, which exclude the size attributes
   */
  static Optional<KernelAttributes> parse(
      ExecutableElement method,
      AnnotationMirror kernel,
      List<VariableElement> shapes,
      Mistakes mistakes) {
    int before = mistakes.errors();
    Optional<String> entry = parseEntry(method, kernel, mistakes);
    if (!shapes.isEmpty()) {
      refuse(BLOCK_SIZE, method, kernel, shapes.get(0), mistakes);
      refuse(SHARED_BYTES, method, kernel, shapes.get(0), mistakes);
    }
    Optional<Integer> threads = Mirrors.value(kernel, BLOCK_SIZE, Integer.class);
    Optional<Integer> bytes = Mirrors.value(kernel, SHARED_BYTES, Integer.class);
    Optional<Boolean> aliases = Mirrors.value(kernel, "mayAlias", Boolean.class);
    Optional<Boolean> together = Mirrors.value(kernel, "cooperative", Boolean.class);
    if (threads.isEmpty() || bytes.isEmpty() || aliases.isEmpty() || together.isEmpty()) {
      return Optional.empty();
    }
    Optional<BlockShape> required = RequiredBlock.parse(method, kernel, shapes.isEmpty(), mistakes);
    if (shapes.isEmpty()) {
      if (required.isEmpty()) {
        checkBlockSize(threads.get(), method, kernel, mistakes);
      }
      checkSharedBytes(bytes.get(), method, kernel, mistakes);
    }
    if (entry.isEmpty() || mistakes.errors() > before) {
      return Optional.empty();
    }
    KernelSignature signature = KernelSignature.entry(entry.get()).dynamicSharedBytes(bytes.get());
    signature = aliases.get() ? signature.mayAlias() : signature;
    signature = together.get() ? signature.cooperative() : signature;
    signature =
        constant(kernel, "bounds").equals("REQUIRED") ? signature.boundsRequired() : signature;
    boolean refusesRaces = constant(kernel, "races").equals("REFUSED");
    if (required.isEmpty()) {
      return Optional.of(new KernelAttributes(signature, threads.get(), refusesRaces));
    }
    BlockShape block = required.get();
    return Optional.of(
        new KernelAttributes(
            signature.requiredBlock(block.x(), block.y(), block.z()), block.x(), refusesRaces));
  }

  /** The name of the enum constant that an attribute is set to; empty if it is not set. */
  private static String constant(AnnotationMirror kernel, String attribute) {
    return Mirrors.attribute(kernel, attribute)
        .map(AnnotationValue::getValue)
        .filter(VariableElement.class::isInstance)
        .map(constant -> ((VariableElement) constant).getSimpleName().toString())
        .orElse("");
  }

  /** The entry point's name as written, legal or not. */
  static String entryName(ExecutableElement method, AnnotationMirror kernel) {
    return Mirrors.value(kernel, "value", String.class)
        .filter(given -> !given.isEmpty())
        .orElse(method.getSimpleName().toString());
  }

  private static Optional<String> parseEntry(
      ExecutableElement method, AnnotationMirror kernel, Mistakes mistakes) {
    Optional<String> written = Mirrors.value(kernel, "value", String.class);
    if (written.isEmpty()) {
      return Optional.empty();
    }
    String given = written.get();
    String name = entryName(method, kernel);
    if (EntryName.isLegal(name)) {
      return Optional.of(name);
    }
    Culprit culprit =
        given.isEmpty()
            ? Culprit.of(method)
            : Mirrors.attribute(kernel, "value")
                .map(value -> Culprit.of(method, kernel, value))
                .orElseGet(() -> Culprit.of(method, kernel));
    mistakes.report(Problem.ENTRY_NAME, culprit, Descriptions.quote(name), EntryName.MAX_LENGTH);
    return Optional.empty();
  }

  private static void refuse(
      String attribute,
      ExecutableElement method,
      AnnotationMirror kernel,
      VariableElement shape,
      Mistakes mistakes) {
    Optional<AnnotationValue> written = Mirrors.attribute(kernel, attribute);
    written.ifPresent(
        value ->
            mistakes.report(
                Problem.ATTRIBUTE_WITH_LAUNCH_SHAPE,
                Culprit.of(method, kernel, value),
                shape.getSimpleName(),
                method.getSimpleName(),
                attribute));
  }

  private static void checkBlockSize(
      int threads, ExecutableElement method, AnnotationMirror kernel, Mistakes mistakes) {
    Mirrors.attribute(kernel, BLOCK_SIZE)
        .filter(value -> threads != Threads.AUTO)
        .filter(value -> threads < 1 || threads > MAX_BLOCK_SIZE)
        .ifPresent(
            value ->
                mistakes.report(
                    Problem.BLOCK_SIZE,
                    Culprit.of(method, kernel, value),
                    threads,
                    method.getSimpleName(),
                    MAX_BLOCK_SIZE));
  }

  private static void checkSharedBytes(
      int bytes, ExecutableElement method, AnnotationMirror kernel, Mistakes mistakes) {
    Mirrors.attribute(kernel, SHARED_BYTES)
        .filter(value -> bytes < 0 || bytes > MAX_SHARED_BYTES)
        .ifPresent(
            value ->
                mistakes.report(
                    Problem.SHARED_BYTES,
                    Culprit.of(method, kernel, value),
                    bytes,
                    method.getSimpleName(),
                    MAX_SHARED_BYTES));
  }
}
