package dev.streamfence.internal.ptx.run;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.syntax.PtxGrid;

/** Wraps hand-written instructions into a kernel whose threads each have eight results. */
public final class HandWritten {
  static final int RESULTS = 8;

  private static final String HEAD =
      """
      .version 7.8
      .target sm_80
      .address_size 64
      """;

  private static final String START =
      """
      .visible .entry kernel(.param .u64 out_param, .param .u64 in_param)
      {
      .reg .b64 %rd<40>, %out, %in;
      .reg .b32 %r<40>, %me;
      .reg .b16 %rs<20>;
      .reg .f32 %f<20>;
      .reg .f64 %fd<20>;
      .reg .pred %p<20>;
      mov.u32 %me, %tid.x;
      ld.param.u64 %out, [out_param];
      ld.param.u64 %in, [in_param];
      mad.wide.u32 %out, %me, 64, %out;
      """;

  /** The number of lines before the first line of a kernel's body. */
  public static final int LINES_BEFORE = (int) (HEAD.lines().count() + START.lines().count());

  private HandWritten() {}

  /** Returns a module with the entry {@code kernel(out, in)}. */
  public static String kernel(String body) {
    return module("", body);
  }

  static String module(String before, String body) {
    return HEAD + before + START + body + "\nret;\n}\n";
  }

  /** Runs the body in one block; each thread stores longs to {@code [%out + 8 * k]}. */
  static long[] run(int threads, String body) {
    return runModule(threads, module("", body));
  }

  static long[] runModule(int threads, String source, long... input) {
    SimulatedMemory memory = new SimulatedMemory();
    byte[] out = new byte[threads * RESULTS * 8];
    memory.run(
        memory.load(source),
        "kernel",
        new PtxGrid(1, 1, 1, threads, 1, 1, 0),
        out,
        Buffers.of(input));
    return Buffers.longs(out);
  }
}
