package dev.streamfence.internal.ptx.syntax;

/**
 * The limits of reading and analysing a module's code, and their reasons. Code beyond them is not
 * read, or its effects are unknown, and the caller learns so. Exceeding a limit is an error only if
 * a driver reports one as well, or if the limit's text says that no compiler writes such code.
 */
public final class CodeLimits {
  /**
   * Bytes of a module's file, and of the CUDA source beside it: many times the largest modules of
   * libraries, and small enough for the memory of a compiler.
   */
  public static final int FILE_BYTES = 16 << 20;

  /**
   * Instructions, names, and distinct operands and initial values of a module that the compiler
   * reads. Each takes less than a hundred bytes, so all fit into a compiler with a heap of 256 MiB.
   * Machine-written PTX has about one of them per twenty bytes.
   */
  public static final int MODULE_PARTS = 1 << 20;

  /**
   * The same, for all modules together that the compiler keeps for further interfaces. Modules that
   * do not fit are read again when an interface needs them.
   */
  public static final int KEPT_PARTS = MODULE_PARTS;

  /** Instructions of one analysed function: some ten megabytes of text. */
  public static final int FUNCTION_INSTRUCTIONS = 1 << 18;

  /** Steps of the analysis of one kernel: some seconds. */
  public static final long KERNEL_WORK = 10_000_000;

  /**
   * Steps of the analyses of all kernels of a module, in a whole compilation: ten kernels of the
   * largest kind, half a minute to a minute.
   */
  public static final long MODULE_WORK = 10 * KERNEL_WORK;

  /**
   * Eight-byte pieces of a kernel's parameters that are tracked separately: enough for the
   * parameter space of any device.
   */
  public static final int PARAMETER_PIECES = 4096;

  /**
   * Offsets of one variable, or of one structure that is passed by value, that are told apart: more
   * than compilers use.
   */
  public static final int VARIABLE_OFFSETS = 1024;

  /**
   * Parameters and variables that one value may come from: more than a kernel has parameters and a
   * table has entries.
   */
  public static final int ORIGINS = 512;

  /** Modifiers of one instruction: four times the real maximum. */
  public static final int MODIFIERS = 64;

  /** Operands of one instruction: more than any instruction has. */
  public static final int OPERANDS = 64;

  /**
   * The nesting depth of scopes: more than any compiler's, and small enough to search for a name.
   */
  public static final int SCOPES = 64;

  /** Dimensions of an array: more than any source has. */
  public static final int DIMENSIONS = 16;

  /** The largest alignment of a variable in bytes. */
  public static final int ALIGNMENT = 1 << 16;

  private CodeLimits() {}
}
