package dev.streamfence.internal.ptx.syntax;

/**
 * Counts the parts of a module's model, so that a small text with a large model cannot fill the
 * memory. Confined to one thread.
 */
final class ModelSize {
  /** A register with its name and its map entry. */
  static final int REGISTER = 2;

  static final int LABEL = 2;
  static final int VARIABLE = 3;
  static final int FUNCTION = 5;

  /** A name and its map entry. */
  static final int NAME = 2;

  private final int limit;
  private int parts;

  ModelSize(int limit) {
    this.limit = limit;
  }

  /** Ends a parse: the model would exceed the caller's limit. */
  static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ExceededException() {
      super("the module is larger than the limit", null, false, false);
    }
  }

  void add(int more) {
    if (more > limit - parts) {
      throw new ExceededException();
    }
    parts += more;
  }

  int parts() {
    return parts;
  }
}
