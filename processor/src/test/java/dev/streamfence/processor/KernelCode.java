package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;

/** Interfaces and the code that they are compared with. */
final class KernelCode {
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
