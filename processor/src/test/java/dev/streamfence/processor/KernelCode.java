package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;

/** Interfaces and the code that they are compared with. */
final class KernelCode {
  /** A store to {@code b} at the number that a thread of a block loads from {@code a}. */
  static final String SCATTER =
      """
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd3, %r1, 4;
      add.s64 %rd4, %rd1, %rd3;
      ld.global.u32 %r2, [%rd4];
      mul.wide.u32 %rd5, %r2, 4;
      add.s64 %rd6, %rd2, %rd5;
      st.global.u32 [%rd6], %r1;""";

  private KernelCode() {}

  /** An interface whose code lies in a folder, to which it is written, with its mistakes. */
  static Mistakes mistakesIn(Path folder, byte[] code, String members) {
    return Mistakes.in(
        Resources.in(folder).with("k/k.ptx", code),
        Sources.importing("@KernelModule(\"k/k.ptx\")\n" + members));
  }

  /** An interface with these members. */
  static String kernels(String members) {
    return "interface Kernels {\n" + members + "\n}\n";
  }

  /** A module with one kernel {@code run} of these statements. */
  static byte[] kernel(String target, String parameters, String body) {
    return (".version 7.0\n.target "
            + target
            + "\n.address_size 64\n.visible .entry run("
            + parameters
            + ")\n{ .reg .pred %p<9>; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
            + body
            + "\nret; }\n")
        .getBytes(UTF_8);
  }
}
