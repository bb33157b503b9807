package dev.streamfence.internal.ptx.run.order;

import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.List;

/** How an instruction takes part in the order of threads, as a set of bits. */
public final class AccessMode {
  /** Races with no other strong access in its scope. */
  static final int STRONG = 1;

  /** Reads and writes in one step, which continues the release that it reads from. */
  static final int ATOMIC = 2;

  /** Stores only if it finds a certain value. */
  static final int CONDITIONAL = 32;

  static final int ACQUIRES = 4;
  static final int RELEASES = 8;

  /**
   * Strong beside other strong accesses, and weak beside weak ones. {@code cg} is a hint to the
   * cache, which code uses for speed, and older code to poll memory as with {@code volatile}.
   */
  static final int HINTED = 64;

  /** Its scope is the block. The simulated device has no clusters, so theirs is no wider. */
  static final int IN_BLOCK = 16;

  private static final List<String> NARROW = List.of("cta", "cluster");

  /**
   * {@code volatile} is a relaxed access by the whole system. {@code cv} and {@code wt} are hints
   * by the letter; code that polls memory with them relies on the same.
   */
  private static final List<String> ORDERING =
      List.of("volatile", "mmio", "relaxed", "acquire", "release", "acq_rel", "cv", "wt");

  private AccessMode() {}

  /** The mode of an instruction that accesses memory. */
  static int of(Instruction instruction) {
    List<String> modifiers = instruction.modifiers();
    boolean atomic = instruction.opcode().equals("atom") || instruction.opcode().equals("red");
    boolean both = modifiers.contains("acq_rel");
    boolean moves = instruction.opcode().equals("ld") || instruction.opcode().equals("st");
    int mode = atomic ? STRONG | ATOMIC : 0;
    mode |= moves && modifiers.contains("cg") ? STRONG | HINTED : 0;
    mode |= modifiers.contains("cas") ? CONDITIONAL : 0;
    mode |= modifiers.stream().anyMatch(ORDERING::contains) ? STRONG : 0;
    mode |= both || modifiers.contains("acquire") ? ACQUIRES : 0;
    mode |= both || modifiers.contains("release") ? RELEASES : 0;
    return mode | (isInBlock(instruction) ? IN_BLOCK : 0);
  }

  /** Whether an access may be one of those by which threads wait for each other. */
  public static boolean isStrong(Instruction instruction) {
    return (of(instruction) & STRONG) != 0;
  }

  /** Whether a fence or an access orders the threads of one block alone. */
  public static boolean isInBlock(Instruction instruction) {
    return instruction.modifiers().stream().anyMatch(NARROW::contains);
  }
}
