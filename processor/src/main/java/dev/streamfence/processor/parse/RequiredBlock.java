package dev.streamfence.processor.parse;

import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter.Threads;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.ExecutableElement;

/** Reads {@code requiredBlock} of {@code @Kernel}. Stateless. */
final class RequiredBlock {
  static final String NAME = "requiredBlock";

  /** The limit of every current CUDA device. */
  private static final int MAX_Z = 64;

  private RequiredBlock() {}

  /**
   * The block, if the attribute is given. Reports one that no device runs, and one that launches
   * cannot have.
   *
   * @param countsThreads whether launches have one dimension and the attribute {@code blockSize}
   */
  static Optional<BlockShape> parse(
      ExecutableElement method, AnnotationMirror kernel, boolean countsThreads, Mistakes mistakes) {
    List<Integer> sizes = sizes(kernel);
    if (sizes.isEmpty()) {
      return Optional.empty();
    }
    Culprit culprit = Mirrors.culprit(method, kernel, NAME);
    if (!isBlock(sizes)) {
      mistakes.report(
          Problem.REQUIRED_BLOCK,
          culprit,
          inWords(sizes),
          method.getSimpleName(),
          KernelAttributes.MAX_BLOCK_SIZE,
          MAX_Z);
      return Optional.empty();
    }
    BlockShape block = new BlockShape(sizes.get(0), size(sizes, 1), size(sizes, 2));
    if (countsThreads && (block.y() > 1 || block.z() > 1)) {
      reportDimensions(sizes, method, culprit, mistakes);
    } else if (countsThreads) {
      checkBlockSize(block, sizes, method, kernel, mistakes);
    }
    return Optional.of(block);
  }

  /** Reports that launches have one dimension, on a method that counts threads. */
  private static void reportDimensions(
      List<Integer> sizes, ExecutableElement method, Culprit culprit, Mistakes mistakes) {
    method.getParameters().stream()
        .filter(parameter -> Mirrors.has(parameter, KernelAnnotation.THREAD_COUNT))
        .findFirst()
        .ifPresent(
            count ->
                mistakes.report(
                    Problem.REQUIRED_DIMENSIONS,
                    culprit,
                    inWords(sizes),
                    method.getSimpleName(),
                    count.getSimpleName()));
  }

  private static void checkBlockSize(
      BlockShape block,
      List<Integer> sizes,
      ExecutableElement method,
      AnnotationMirror kernel,
      Mistakes mistakes) {
    Optional<AnnotationValue> written = Mirrors.attribute(kernel, KernelAttributes.BLOCK_SIZE);
    written
        .filter(value -> value.getValue() instanceof Integer given && given != block.x())
        .ifPresent(
            value ->
                mistakes.report(
                    Problem.REQUIRED_BLOCK_SIZE,
                    Culprit.of(method, kernel, value),
                    value.getValue().equals(Threads.AUTO) ? "AUTO" : value.getValue(),
                    method.getSimpleName(),
                    inWords(sizes)));
  }

  private static boolean isBlock(List<Integer> sizes) {
    long threads = 1;
    for (int size : sizes) {
      if (size < 1 || size > KernelAttributes.MAX_BLOCK_SIZE) {
        return false;
      }
      threads *= size;
    }
    return sizes.size() <= 3
        && threads <= KernelAttributes.MAX_BLOCK_SIZE
        && size(sizes, 2) <= MAX_Z;
  }

  private static int size(List<Integer> sizes, int dimension) {
    return dimension < sizes.size() ? sizes.get(dimension) : 1;
  }

  /** The sizes as written; none if the compiler has refused one. */
  private static List<Integer> sizes(AnnotationMirror kernel) {
    List<Integer> sizes = new ArrayList<>();
    Object written = Mirrors.attribute(kernel, NAME).map(AnnotationValue::getValue).orElse("");
    if (written instanceof List<?> values) {
      for (Object each : values) {
        if (each instanceof AnnotationValue value && value.getValue() instanceof Integer size) {
          sizes.add(size);
        } else {
          return List.of();
        }
      }
    }
    return sizes;
  }

  private static String inWords(List<Integer> sizes) {
    return sizes.stream().map(String::valueOf).collect(Collectors.joining(" x "));
  }
}
