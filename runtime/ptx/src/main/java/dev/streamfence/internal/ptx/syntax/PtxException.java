package dev.streamfence.internal.ptx.syntax;

/** PTX text that cannot be parsed, or that uses something the interpreter cannot run. */
public final class PtxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final String fact;

  public PtxException(int line, String fact) {
    super("line " + line + ": " + fact);
    this.line = line;
    this.fact = fact;
  }

  /**
   * Returns the place of the error.
   *
   * @return the line in the PTX text, counted from 1
   */
  public int line() {
    return line;
  }

  /** Returns what is wrong there, without the line. */
  public String fact() {
    return fact;
  }
}
