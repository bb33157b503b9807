package dev.streamfence.corpus;

/**
 * How much a search tries: little in every build, and all in an exhaustive one, {@code mvn verify
 * -Pexhaustive}.
 */
public final class Effort {
  private static final boolean EXHAUSTIVE = Boolean.getBoolean("streamfence.exhaustive");

  private Effort() {}

  /**
   * Returns how often to try.
   *
   * @param usual in every build
   * @param exhaustive in an exhaustive one
   */
  public static int of(int usual, int exhaustive) {
    return EXHAUSTIVE ? exhaustive : usual;
  }
}
