package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS_WRITES;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses to tables of addresses, and through the addresses in them. */
final class AccessTableTest {
  /** A kernel of these statements that takes a table t, a pointer p and an int i. */
  private static KernelAccesses kernel(String body) {
    return kernel("", body);
  }

  private static KernelAccesses kernel(String before, String body) {
    return AnalysedKernel.undeclared(
            before
                + """
                .entry k(.param .u64 t, .param .u64 p, .param .u32 i)
                {
                .shared .align 8 .b8 tile[64];
                """
                + AnalysedKernel.registers()
                + """
                  ld.param.u64 %rd1, [t];
                  ld.param.u64 %rd2, [p];
                  ld.param.u32 %r1, [i];
                  mul.wide.u32 %rd3, %r1, 8;
                  add.s64 %rd4, %rd1, %rd3;
                """
                + body
                + "\nret;\n}\n",
            (parameter, offset) ->
                switch (parameter) {
                  case 0 -> ParameterRole.TABLE;
                  case 1 -> ParameterRole.BUFFER;
                  default -> ParameterRole.NUMBER;
                })
        .accesses();
  }

  private static void verify(
      KernelAccesses kernel, Verdict table, Verdict contents, Verdict pointer) {
    assertThat(kernel.parameter(0).verdict()).as("the table").isEqualTo(table);
    assertThat(kernel.contents(0, 0).verdict()).as("its arrays").isEqualTo(contents);
    assertThat(kernel.parameter(1).verdict()).as("the pointer").isEqualTo(pointer);
  }

  @Test
  void aLoadThroughAnEntryReadsTheArrays() {
    KernelAccesses kernel = kernel("ld.global.u64 %rd5, [%rd4]; ld.global.f32 %f1, [%rd5+4];");
    verify(kernel, READS, READS, NONE);
    assertThat(kernel.takesAddresses(0, 0)).isTrue();
  }

  @Test
  void aStoreThroughAnEntryWritesTheArrays() {
    verify(
        kernel(
            """
            ld.global.u64 %rd5, [%rd4];
            cvta.to.global.u64 %rd6, %rd5;
            mul.wide.u32 %rd7, %r1, 4;
            add.s64 %rd8, %rd6, %rd7;
            st.global.f32 [%rd8], 0f00000000;
            """),
        READS,
        WRITES,
        NONE);
  }

  @Test
  void twoEntriesOfAVectorLoadAreAddresses() {
    verify(
        kernel(
            """
            ld.global.v2.u64 {%rd5, %rd6}, [%rd1];
            ld.global.u32 %r2, [%rd5];
            st.global.u32 [%rd6], %r2;
            """),
        READS,
        READS_WRITES,
        NONE);
  }

  @Test
  void anEntryThatWasKeptInSharedMemoryIsStillOne() {
    verify(
        kernel(
            """
            ld.global.u64 %rd5, [%rd4];
            st.shared.u64 [tile], %rd5;
            ld.shared.u64 %rd6, [tile];
            st.global.u32 [%rd6], %r1;
            """),
        READS,
        WRITES,
        NONE);
  }

  @Test
  void anAtomicOperationThroughAnEntryReadsAndWritesTheArrays() {
    verify(
        kernel("ld.global.u64 %rd5, [%rd4]; atom.global.add.u32 %r2, [%rd5], %r1;"),
        READS,
        READS_WRITES,
        NONE);
  }

  @Test
  void aStoreToTheTableItselfIsTold() {
    KernelAccesses kernel = kernel("st.global.u64 [%rd4], %rd2;");
    assertThat(kernel.parameter(0).write()).isPresent();
    assertThat(kernel.contents(0, 0).verdict()).isEqualTo(NONE);
    assertThat(kernel.parameter(1).verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aTableThatIsReadAsNumbersHasNoAddresses() {
    for (String type : new String[] {"f32", "f64", "u32"}) {
      String register = type.equals("f32") ? "%f1" : type.equals("f64") ? "%fd1" : "%r2";
      KernelAccesses kernel = kernel("ld.global.%s %s, [%%rd4];".formatted(type, register));
      verify(kernel, READS, NONE, NONE);
      assertThat(kernel.takesAddresses(0, 0)).as(type).isFalse();
    }
  }

  @Test
  void anAddressOfTwoHalvesIsPossible() {
    KernelAccesses kernel =
        kernel(
            """
            ld.global.v2.u32 {%r2, %r3}, [%rd4];
            mov.b64 %rd5, {%r2, %r3};
            st.global.u32 [%rd5], %r1;
            """);
    assertThat(kernel.contents(0, 0).possibleWrite().or(kernel.contents(0, 0)::write)).isPresent();
  }

  @Test
  void anEntryOrAPointerIsPossibleForBoth() {
    KernelAccesses kernel =
        kernel(
            """
            ld.global.u64 %rd5, [%rd4];
            setp.eq.u32 %p1, %r1, 0;
            selp.b64 %rd6, %rd5, %rd2, %p1;
            st.global.u32 [%rd6], %r1;
            """);
    verify(kernel, READS, UNKNOWN, UNKNOWN);
    assertThat(kernel.contents(0, 0).unknown().orElseThrow().reason().orElseThrow())
        .contains("the table in parameter 1")
        .contains("parameter 2");
  }

  @Test
  void aTableOrAPointerToLoadFromIsPossibleForTheArrays() {
    KernelAccesses kernel =
        kernel(
            """
            setp.eq.u32 %p1, %r1, 0;
            selp.b64 %rd5, %rd1, %rd2, %p1;
            ld.global.u64 %rd6, [%rd5];
            st.global.u32 [%rd6], %r1;
            """);
    assertThat(kernel.contents(0, 0).possibleWrite()).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "call (), unknown, (%rd1);",
        "st.global.u64 [%rd2], %rd1;",
        "ld.global.u64 %rd5, [%rd4]; st.global.u64 [%rd2], %rd5;",
        "cp.async.ca.shared.global [tile], [%rd4], 8;"
      })
  void aTableOrAnEntryThatEscapesMakesTheArraysUnknown(String body) {
    KernelAccesses kernel = kernel(".extern .func unknown(.param .b64 a);\n", body);
    assertThat(kernel.contents(0, 0).possibleWrite()).isPresent();
    assertThat(kernel.contents(0, 0).possibleRead()).isPresent();
  }

  @Test
  void aPointerThatIsLoadedThroughAnEntryBelongsToNoParameter() {
    verify(
        kernel(
            """
            ld.global.u64 %rd5, [%rd4];
            ld.global.u64 %rd6, [%rd5];
            st.global.u32 [%rd6], %r1;
            """),
        READS,
        READS,
        NONE);
  }

  @Test
  void aKernelThatIsTooLargeMakesTheArraysUnknown() {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 70_000; i++) {
      body.append("add.u32 %r2, %r2, 1;\n");
    }
    assertThat(kernel(body.toString()).contents(0, 0).verdict()).isIn(UNKNOWN, NONE);
  }
}
