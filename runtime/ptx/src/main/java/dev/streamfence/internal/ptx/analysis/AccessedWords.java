package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.WordUses;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The width of all accesses to the memory behind one parameter, and the stride at which
 * neighbouring threads make them. Immutable.
 *
 * @param bytes the width of every access, of vectors that of their elements
 * @param stride the distance of two neighbouring threads, in bytes; 0 if it is unknown, if no
 *     access depends on the thread, or if one is of a vector
 * @param content what the words are
 * @param site the first access at that stride; the first of all if there is none
 */
public record AccessedWords(int bytes, int stride, Content content, AccessSite site) {
  /** What the words are, as far as the code shows it. */
  public enum Content {
    /** Integers, or bits of any kind. */
    BITS,
    /** Floating-point numbers, one at a time; the kernel may only copy them. */
    FLOATS,
    /** Floating-point numbers with which the kernel computes. */
    COMPUTED_FLOATS
  }

  /**
   * Returns whether neighbouring threads access neighbouring words, and each of these is narrower
   * than an element. Wider accesses may span several elements, single bytes may be a copy, and
   * other strides may be those of packed elements: they say nothing about the elements.
   */
  public boolean areNarrowerThan(int elementBytes) {
    return bytes > 1 && stride == bytes && bytes < elementBytes;
  }

  /** Returns whether every access is one of floating-point numbers. */
  public boolean areFloats() {
    return content != Content.BITS;
  }

  /**
   * Returns whether the kernel only accesses floating-point numbers, of a type that the elements do
   * not have. The reverse says nothing: code that copies numbers does so as bits. A copy may take
   * several narrower elements at once, an integer may hold several numbers, and elements of one
   * byte may be any memory.
   *
   * @param areFloats whether the elements are floating-point numbers
   */
  public boolean areOtherFloatsThan(boolean areFloats, int elementBytes) {
    if (elementBytes == 1 || (areFloats && elementBytes == bytes)) {
      return false;
    }
    return content == Content.COMPUTED_FLOATS
        ? elementBytes <= bytes || areFloats
        : content == Content.FLOATS && elementBytes == bytes;
  }

  /**
   * Collects the widths of accesses. Knows none after the first access that is no plain load or
   * store of one word or of floating-point numbers, or of another width than the others.
   */
  static final class WordCollector {
    private @Nullable AccessSite first;
    private @Nullable AccessSite strided;
    private int bytes;
    private long stride;
    private boolean unknown;
    private boolean unknownStride;
    private boolean hasBits;
    private boolean hasVectors;
    private boolean isComputed;

    /**
     * Adds an access.
     *
     * @param width 0 if it is no plain load or store of one word or of floating-point numbers
     * @param distance the stride of a word, if it is known
     */
    void add(AccessSite site, Step step, int width, Optional<Long> distance) {
      Instruction instruction = step.instruction();
      hasBits |= WordUses.floatBytes(instruction) == 0;
      hasVectors |= WordUses.areVector(instruction);
      isComputed |=
          !hasBits && !isComputed && WordUses.areFloats(step.activation().flow(), step.index());
      unknown |= width == 0 || (bytes != 0 && bytes != width);
      bytes = width;
      first = earlier(first, site);
      // Threads may as well walk backwards.
      long distanceInBytes = Math.abs(distance.orElse(0L));
      unknownStride |=
          distance.isEmpty() || (distanceInBytes != 0 && stride != 0 && stride != distanceInBytes);
      if (distanceInBytes != 0) {
        stride = distanceInBytes;
        strided = earlier(strided, site);
      }
    }

    /** Returns what all accesses have in common; null if there are none, or nothing in common. */
    @Nullable AccessedWords words() {
      AccessSite any = first;
      if (unknown || any == null) {
        return null;
      }
      AccessSite site = strided;
      boolean plain = !unknownStride && site != null && stride > 0 && stride <= Integer.MAX_VALUE;
      return site != null && plain
          ? new AccessedWords(bytes, (int) stride, content(), site)
          : new AccessedWords(bytes, 0, content(), any);
    }

    private Content content() {
      if (hasBits || (hasVectors && !isComputed)) {
        return Content.BITS;
      }
      return isComputed ? Content.COMPUTED_FLOATS : Content.FLOATS;
    }

    private static AccessSite earlier(@Nullable AccessSite known, AccessSite site) {
      return known == null || site.line() < known.line() ? site : known;
    }
  }
}
