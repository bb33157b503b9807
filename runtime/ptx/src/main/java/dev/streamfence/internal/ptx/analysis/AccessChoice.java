package dev.streamfence.internal.ptx.analysis;

import java.util.List;

/**
 * An access whose address certainly derives from one of several parameters. Immutable.
 *
 * @param parameters in their order
 * @param reads whether it reads; otherwise it writes
 * @param site the first such access, which has a reason
 */
public record AccessChoice(List<Member> parameters, boolean reads, AccessSite site) {
  /**
   * One of the parameters.
   *
   * @param parameter counted from 0
   * @param offset the offset of the field in a structure; 0 unless the parameter is a structure
   * @param isContent whether it is what a table of addresses leads to
   */
  public record Member(int parameter, int offset, boolean isContent) {}

  /** Copies the parameters. */
  public AccessChoice {
    parameters = List.copyOf(parameters);
  }
}
