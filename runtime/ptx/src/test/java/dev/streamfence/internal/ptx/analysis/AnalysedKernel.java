package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;

/** A small kernel for the access analysis: its PTX text is written in the test. */
record AnalysedKernel(PtxModule module, KernelAccesses accesses) {
  private static final String HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n";

  private static final String REGISTERS =
      """
      .reg .pred %p<9>;
      .reg .b16 %h<9>;
      .reg .b32 %r<40>;
      .reg .b64 %rd<40>;
      .reg .f32 %f<9>;
      .reg .f64 %fd<9>;
      """;

  /** A kernel of these statements that takes pointers p, q and t, a long n and an int i. */
  static AnalysedKernel of(String body) {
    return in("", body);
  }

  /** Likewise, with something before it. */
  static AnalysedKernel in(String before, String body) {
    return undeclared(
        before
            + """
            .entry k(.param .u64 p, .param .u64 q, .param .u64 t, .param .u64 n, .param .u32 i)
            {
            """
            + REGISTERS
            + """
              ld.param.u64 %rd1, [p];
              ld.param.u64 %rd2, [q];
              ld.param.u64 %rd3, [t];
              ld.param.u64 %rd4, [n];
              ld.param.u32 %r1, [i];
            """
            + body
            + "\nret;\n}\n",
        (parameter, offset) -> parameter < 3 ? ParameterRole.BUFFER : ParameterRole.NUMBER);
  }

  /** A whole module without its head. */
  static AnalysedKernel undeclared(String text, ParameterRoles roles) {
    PtxModule module = PtxModule.parse(HEAD + text);
    PtxEntry entry = module.entries().get(module.entries().size() - 1);
    return new AnalysedKernel(module, KernelAccesses.of(module, entry, roles));
  }

  /** The declarations before the statements of every function. */
  static String registers() {
    return REGISTERS;
  }

  ParameterAccess p() {
    return accesses.parameter(0);
  }

  ParameterAccess q() {
    return accesses.parameter(1);
  }

  ParameterAccess t() {
    return accesses.parameter(2);
  }

  ParameterAccess n() {
    return accesses.parameter(3);
  }

  List<Verdict> verdicts() {
    return List.of(p().verdict(), q().verdict(), t().verdict(), n().verdict());
  }
}
