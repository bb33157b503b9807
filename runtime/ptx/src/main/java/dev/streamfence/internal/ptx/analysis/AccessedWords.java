package dev.streamfence.internal.ptx.analysis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The width of all accesses to the memory behind one parameter, and the stride at which
 * neighbouring threads make them. Immutable.
 *
 * @param bytes the width of every access
 * @param stride the distance of two neighbouring threads, in bytes; 0 if it is unknown, or if no
 *     access depends on the thread
 * @param areFloats whether every access is one of floating-point numbers
 * @param site the first access at that stride; the first of all if there is none
 */
public record AccessedWords(int bytes, int stride, boolean areFloats, AccessSite site) {
  /**
   * Returns whether neighbouring threads access neighbouring words, and each of these is narrower
   * than an element. Wider accesses may span several elements, single bytes may be a copy, and
   * other strides may be those of packed elements: they say nothing about the elements.
   */
  public boolean areNarrowerThan(int elementBytes) {
    return bytes > 1 && stride == bytes && bytes < elementBytes;
  }

  /**
   * Returns whether the elements are numbers of the same width without a fraction, although the
   * kernel computes with floating-point numbers there. The reverse says nothing: code that copies
   * numbers does so as bits.
   *
   * @param areIntegers whether the elements are such numbers
   */
  public boolean areFloatsFor(boolean areIntegers, int elementBytes) {
    return areFloats && areIntegers && bytes == elementBytes;
  }

  /**
   * Collects the widths of accesses. Knows none after the first access that is no plain load or
   * store of one word, or of another width than the others.
   */
  static final class WordCollector {
    private @Nullable AccessSite first;
    private @Nullable AccessSite strided;
    private int bytes;
    private long stride;
    private boolean unknown;
    private boolean unknownStride;
    private boolean hasOthers;

    /**
     * Adds an access.
     *
     * @param width 0 if it is no plain load or store of one word
     * @param isFloat whether the word is a floating-point number
     * @param distance the stride, if it is known
     */
    void add(AccessSite site, int width, boolean isFloat, Optional<Long> distance) {
      hasOthers |= !isFloat;
      unknown |= width == 0 || (bytes != 0 && bytes != width);
      bytes = width;
      first = earlier(first, site);
      // Threads may as well walk backwards.
      long step = Math.abs(distance.orElse(0L));
      unknownStride |= distance.isEmpty() || (step != 0 && stride != 0 && stride != step);
      if (step != 0) {
        stride = step;
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
          ? new AccessedWords(bytes, (int) stride, !hasOthers, site)
          : new AccessedWords(bytes, 0, !hasOthers, any);
    }

    private static AccessSite earlier(@Nullable AccessSite known, AccessSite site) {
      return known == null || site.line() < known.line() ? site : known;
    }
  }
}
