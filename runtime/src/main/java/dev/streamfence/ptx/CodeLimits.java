package dev.streamfence.ptx;

/**
 * How much of a module's code is looked at, and the reason for each limit. What is beyond them is
 * not looked at, or not known, and the caller is told so; it is never an error that a driver does
 * not see as well, except where a limit's text says that no compiler writes such code.
 */
public final class CodeLimits {
  /**
   * Bytes of a module's file, and of the CUDA source beside it: many times what the largest
   * libraries have in one module, and little enough to be read into the memory of a compiler.
   */
  public static final int FILE_BYTES = 16 << 20;

  /**
   * Instructions, names, and operands and initial values that differ, of a module that the compiler
   * looks at. Each takes less than a hundred bytes, so that all fit into a compiler with a heap of
   * 256 MiB. Machine-written PTX has about one of them per twenty bytes.
   */
  public static final int MODULE_PARTS = 1 << 20;

  /**
   * The same of all modules together that the compiler keeps for further interfaces. What does not
   * fit is read again when an interface needs it.
   */
  public static final int KEPT_PARTS = MODULE_PARTS;

  /** Instructions of one function that is analysed: some ten megabytes of text. */
  public static final int FUNCTION_INSTRUCTIONS = 1 << 18;

  /** Steps of the analysis of one kernel: some seconds. */
  public static final long KERNEL_WORK = 10_000_000;

  /**
   * Steps of the analyses of all kernels of a module, in a whole compilation: ten kernels of the
   * largest kind, half a minute to a minute.
   */
  public static final long MODULE_WORK = 10 * KERNEL_WORK;

  /**
   * Pieces of eight bytes that a kernel's parameters have, if they are to be told apart: what fits
   * the parameter space of any device.
   */
  public static final int PARAMETER_PIECES = 4096;

  /** Modifiers of one instruction: four times what any has. */
  public static final int MODIFIERS = 64;

  /** Operands of one instruction: more than any has. */
  public static final int OPERANDS = 64;

  /** How deep scopes nest: more than any compiler does, and little enough to search for a name. */
  public static final int SCOPES = 64;

  /** Dimensions of an array: more than any source has. */
  public static final int DIMENSIONS = 16;

  /** Bytes to which a variable can be aligned. */
  public static final int ALIGNMENT = 1 << 16;

  private CodeLimits() {}
}
