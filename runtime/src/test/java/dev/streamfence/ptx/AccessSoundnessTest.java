package dev.streamfence.ptx;

import static dev.streamfence.ptx.ParameterAccess.Verdict.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No definite verdict is wrong where pointers take ways that compilers do not take. */
class AccessSoundnessTest {
  /** The second parameter, q, is what the kernel does something to, in a hidden way. */
  private static ParameterAccess q(String before, String body, ParameterRole role) {
    return kernel(before, body, role).q();
  }

  private static AnalysedKernel kernel(String before, String body, ParameterRole... roles) {
    String text =
        before
            + ".entry k(.param .u64 p, .param .u64 q) {\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"
            + body
            + "\nret;\n}\n";
    return AnalysedKernel.undeclared(
        text, (parameter, offset) -> roles[Math.min(parameter, roles.length - 1)]);
  }

  private static void assertUnknown(String before, String body) {
    for (ParameterRole role : new ParameterRole[] {ParameterRole.BUFFER, ParameterRole.EITHER}) {
      assertThat(q(before, body, role).verdict()).as("%s", role).isEqualTo(UNKNOWN);
    }
  }

  @Test
  void aLongChainOfVariablesEscapesWithItsFirst() {
    int length = 50_000;
    StringBuilder body = new StringBuilder();
    for (int i = 0; i <= length; i++) {
      body.append(".local .u64 v").append(i).append(";\n");
    }
    for (int i = 0; i < length; i++) {
      body.append("mov.u64 %rd5, v").append(i + 1).append("; cvta.local.u64 %rd5, %rd5;");
      body.append("st.local.u64 [v").append(i).append("], %rd5;\n");
    }
    body.append("st.local.u64 [v").append(length).append("], %rd2; mov.u64 %rd6, v0;");
    body.append("cvta.local.u64 %rd6, %rd6; st.global.u64 [%rd1], %rd6;");

    assertUnknown("", body.toString());
  }
}
