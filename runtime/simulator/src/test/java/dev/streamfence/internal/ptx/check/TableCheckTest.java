package dev.streamfence.internal.ptx.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelSignature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Declarations of tables and of structures with arrays, compared with {@code tables.cu}. */
final class TableCheckTest {
  private final KernelCheck check = new KernelCheck(PtxModule.parse(text()));

  private static String text() {
    try (InputStream in =
        Objects.requireNonNull(TableCheckTest.class.getResourceAsStream("/kernels/tables.ptx"))) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> mistakes(KernelSignature declared) {
    return check.compare(declared).stream()
        .map(mismatch -> mismatch.sentence(declared, site -> site.instruction()))
        .toList();
  }

  private static KernelSignature take() {
    return KernelSignature.entry("take");
  }

  @Test
  void declarationsThatTheCodeKeepsAreRight() {
    assertThat(
            mistakes(
                take()
                    .reads("columns", float[][].class)
                    .reads("rows", int[].class)
                    .writes("out", float[][].class)
                    .value("columnCount", int.class)
                    .threads("n", int.class, 256)))
        .isEmpty();
    assertThat(
            mistakes(
                KernelSignature.entry("firstBytes")
                    .reads("columns", Object[].class)
                    .writes("sums", long[].class)
                    .threads("n", int.class, 256)))
        .isEmpty();
    assertThat(mistakes(valid("reads", "reads"))).isEmpty();
  }

  private static KernelSignature valid(String values, String validity) {
    KernelSignature fields = KernelSignature.fields("column");
    fields =
        values.equals("reads")
            ? fields.reads("values", int[].class)
            : fields.writes("values", int[].class);
    fields =
        validity.equals("reads")
            ? fields.reads("validity", byte[].class)
            : fields.readWrites("validity", byte[].class);
    return KernelSignature.entry("valid")
        .struct(fields.value("rows", long.class))
        .writes("selected", int[].class)
        .threads("n", int.class, 256);
  }

  @Test
  void storesToTheArraysOfATableThatIsReadAreRefused() {
    assertThat(
            mistakes(
                take()
                    .writes("columns", float[][].class)
                    .reads("rows", int[].class)
                    .reads("out", float[][].class)
                    .value("columnCount", int.class)
                    .threads("n", int.class, 256)))
        .containsExactly(
            "parameter 'columns' of take is @Writes, but the kernel loads from its arrays:"
                + " ld.global.f32",
            "parameter 'out' of take is @Reads, but the kernel stores to its arrays: st.global.f32");
  }

  @Test
  void aFieldIsNamedWithItsStructure() {
    assertThat(mistakes(valid("writes", "readWrites")))
        .containsExactly(
            "parameter 'column.values' of valid is @Writes, but the kernel loads from it:"
                + " ld.global.u32",
            "parameter 'column.validity' of valid is @ReadWrites, but the kernel only loads from it");
    KernelSignature numbers =
        KernelSignature.entry("valid")
            .struct(
                KernelSignature.fields("column")
                    .value("values", long.class)
                    .value("validity", long.class)
                    .value("rows", long.class))
            .writes("selected", int[].class)
            .threads("n", int.class, 256);
    assertThat(mistakes(numbers))
        .containsExactly(
            "parameter 'column.values' of valid is passed by value, but the kernel uses it as an"
                + " address: ld.global.u32",
            "parameter 'column.validity' of valid is passed by value, but the kernel uses it as an"
                + " address: ld.global.u8");
  }

  @Test
  void aTableInAStructureIsCompared() {
    KernelSignature batch =
        KernelSignature.entry("scaleAll")
            .struct(
                KernelSignature.fields("batch")
                    .value("scale", float.class)
                    .reads("columns", float[][].class)
                    .value("columnCount", int.class))
            .threads("n", int.class, 256);
    assertThat(mistakes(batch))
        .containsExactly(
            "parameter 'batch.columns' of scaleAll is @Reads, but the kernel stores to its arrays:"
                + " st.global.f32");
  }

  @Test
  void aKernelThatStoresToTheTableItselfIsRefused() {
    KernelSignature redirect =
        KernelSignature.entry("redirect")
            .readWrites("columns", float[][].class)
            .reads("other", float[].class)
            .threads("n", int.class, 256);
    assertThat(mistakes(redirect))
        .contains(
            "parameter 'columns' of redirect is a table of arrays, but the kernel stores to the table"
                + " itself: st.global.u64");
  }

  @Test
  void anArrayThatIsDeclaredAsATableIsRefused() {
    KernelSignature plain =
        KernelSignature.entry("plain")
            .reads("values", float[][].class)
            .writes("out", float[].class)
            .threads("n", int.class, 256);
    assertThat(mistakes(plain))
        .containsExactly(
            "parameter 'values' of plain is a table of arrays, but the kernel takes no address from"
                + " it: ld.global.f32");
  }

  @Test
  void aTableThatAKernelOverwritesAsAnArrayIsRefused() {
    KernelSignature plain =
        KernelSignature.entry("plain")
            .reads("values", float[].class)
            .writes("out", float[][].class)
            .threads("n", int.class, 256);
    assertThat(mistakes(plain))
        .containsExactly(
            "parameter 'out' of plain is a table of arrays, but the kernel stores to the table"
                + " itself: st.global.f32");
  }

  @Test
  void theAccessOfATableIsTheOneToItsArrays() {
    assertThat(
            check.verdicts(
                "take",
                List.of(
                    Passing.TABLE,
                    Passing.ARRAY,
                    Passing.TABLE,
                    Passing.BY_VALUE,
                    Passing.BY_VALUE)))
        .extracting(Enum::name)
        .containsExactly("READS", "READS", "WRITES", "NONE", "NONE");
  }
}
