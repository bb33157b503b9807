package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses through addresses that the code takes from no parameter that it shows. */
final class UnknownOriginTest {
  /** An address that is put together from bits of {@code p}, in {@code %rd9}. */
  private static final String VOTED =
      "setp.ne.s64 %p1, %rd1, 0;\nvote.sync.ballot.b32 %r9, %p1, -1;\ncvt.u64.u32 %rd9, %r9;\n";

  /** An address in an array, in {@code %rd9}. */
  private static final String LOADED = "ld.global.u64 %rd9, [%rd2];\n";

  /** An address that the launch does not pass, in {@code %rd9}. */
  private static final String FIXED = "mov.u64 %rd9, 4096;\n";

  private static String opcode(Optional<AccessSite> site) {
    return site.map(AccessSite::instruction).orElse("none");
  }

  private static String inLines(String statements) {
    return statements.replace("; ", ";\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "st.global.u32 [%rd9], 1;                              | st.global.u32 | -",
        "ld.global.u32 %r2, [%rd9];                            | -             | ld.global.u32",
        "atom.global.add.u32 %r2, [%rd9], 1;                   | atom.global.add.u32 | atom.global.add.u32",
        "st.global.u32 [%rd9], 1; st.global.u16 [%rd9], %h1;  | st.global.u32 | -",
        "ld.global.u16 %h1, [%rd9]; ld.global.u32 %r2, [%rd9];| -             | ld.global.u16",
        "@%p2 bra L; ld.global.u32 %r2, [%rd9]; L: st.global.u32 [%rd9], 1; | st.global.u32 | ld.global.u32",
      })
  void theFirstAccessThroughAddressesThatTheCodeComputesIsKnown(
      String accesses, String stored, String loaded) {
    KernelAccesses found = AnalysedKernel.of(VOTED + inLines(accesses)).accesses();

    assertThat(opcode(found.storedElsewhere())).isEqualTo(stored.replace("-", "none"));
    assertThat(opcode(found.loadedThroughNumbers())).isEqualTo(loaded.replace("-", "none"));
    assertThat(opcode(found.accessedThroughNumbers()))
        .isEqualTo(stored.equals("-") ? loaded : stored);
  }

  @ParameterizedTest
  @CsvSource({"st.global.u32, true", "ld.global.u32, false"})
  void anAddressOfTheCodeIsOfUnknownOriginButOfNoNumbers(String access, boolean isStore) {
    String operands = isStore ? " [%rd9], 1;" : " %r2, [%rd9];";
    KernelAccesses found = AnalysedKernel.of(FIXED + access + operands).accesses();

    assertThat(found.storedElsewhere().isPresent()).isEqualTo(isStore);
    assertThat(found.accessedThroughNumbers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "st.global.u32 [%rd9], 1;",
        "ld.global.u32 %r2, [%rd9];",
        "@%p2 ld.global.u64 %rd9, [%rd3]; st.global.u32 [%rd9], 1;",
      })
  void anAddressInAnArrayIsFromThatArray(String access) {
    AnalysedKernel kernel = AnalysedKernel.of(LOADED + inLines(access));

    assertThat(kernel.accesses().storedElsewhere()).isEmpty();
    assertThat(kernel.accesses().accessedThroughNumbers()).isEmpty();
    boolean isStore = access.contains("st.");
    assertThat(kernel.q().writeThroughContent().isPresent()).isEqualTo(isStore);
    assertThat(kernel.q().readThroughContent().isPresent()).isEqualTo(!isStore);
    assertThat(kernel.p().readThroughContent()).isEmpty();
    assertThat(kernel.p().writeThroughContent()).isEmpty();
  }
}
