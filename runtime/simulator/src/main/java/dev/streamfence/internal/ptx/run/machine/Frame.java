package dev.streamfence.internal.ptx.run.machine;

import org.jspecify.annotations.Nullable;

/** The state of a lane for one active function; reused by later calls at the same depth. */
final class Frame {
  Code code;
  long[] registers = {};
  byte[] params = {};
  int pc;
  int localBase;
  @Nullable Call call;

  Frame(Code code) {
    this.code = code;
  }

  /** Prepares the frame for a function; registers start as the function's constants and zeros. */
  void prepare(Code entered, long[] template, @Nullable Call by, int base) {
    code = entered;
    call = by;
    pc = 0;
    localBase = base;
    if (registers.length < template.length) {
      registers = new long[template.length];
    }
    System.arraycopy(template, 0, registers, 0, template.length);
    if (params.length < entered.paramBytes) {
      params = new byte[entered.paramBytes];
    }
  }
}
