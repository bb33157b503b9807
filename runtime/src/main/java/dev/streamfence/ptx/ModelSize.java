package dev.streamfence.ptx;

/**
 * Counts what the model of a module comes to hold, so that a text that is not as large as what is
 * made of it cannot fill the memory. Confined to one thread.
 */
final class ModelSize {
  /** What a register takes, with its name and the entry under which it is found. */
  static final int REGISTER = 2;

  static final int LABEL = 2;
  static final int VARIABLE = 3;
  static final int FUNCTION = 5;

  /** A name, and the entry under which it is found. */
  static final int NAME = 2;

  private final int limit;
  private int parts;

  ModelSize(int limit) {
    this.limit = limit;
  }

  /** Ends a parse: the model would be larger than its reader wants it. */
  static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ExceededException() {
      super("the module is larger than wanted", null, false, false);
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
