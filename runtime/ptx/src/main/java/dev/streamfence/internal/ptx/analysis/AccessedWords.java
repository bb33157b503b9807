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
 * @param site the first access at that stride; the first of all if there is none
 */
public record AccessedWords(int bytes, int stride, AccessSite site) {
  /**
   * Returns whether neighbouring threads access neighbouring words, and each of these is narrower
   * than an element. Wider accesses may span several elements, single bytes may be a copy, and
   * other strides may be those of packed elements: they say nothing about the elements.
   */
  public boolean areNarrowerThan(int elementBytes) {
    return bytes > 1 && stride == bytes && bytes < elementBytes;
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

    /**
     * Adds an access.
     *
     * @param width 0 if it is no plain load or store of one word
     * @param distance the stride, if it is known
     */
    void add(AccessSite site, int width, Optional<Long> distance) {
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
          ? new AccessedWords(bytes, (int) stride, site)
          : new AccessedWords(bytes, 0, any);
    }

    private static AccessSite earlier(@Nullable AccessSite known, AccessSite site) {
      return known == null || site.line() < known.line() ? site : known;
    }
  }
}
