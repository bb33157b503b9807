package dev.streamfence.processor.model;

import java.util.List;

/**
 * What the visible code of a kernel shows. Immutable.
 *
 * @param bounds what is known of the bounds of its arrays, one clause per array
 * @param races what is known of conflicts between threads of a launch; may be empty
 * @param analysis what its launches need to know, for {@code KernelSignature.analysed}; may be
 *     empty
 */
public record KernelCode(List<String> bounds, String races, String analysis) {
  /** For code that the compiler does not see. */
  public static final KernelCode UNKNOWN = new KernelCode(List.of(), "", "");

  public KernelCode {
    bounds = List.copyOf(bounds);
  }
}
