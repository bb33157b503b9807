package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.AccessedWords.Content;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The width of the words behind a parameter, and the stride at which threads access them. */
final class AccessedWordsTest {
  private static final AccessSite SITE = new AccessSite(1, "k", "ld", "", null);

  /** The address of the thread's word of four bytes, in {@code %rd11}. */
  private static final String WORD =
      "mov.u32 %r9, %tid.x; mul.wide.u32 %rd10, %r9, 4; add.s64 %rd11, %rd1, %rd10; ";

  /** Width and stride of the accesses to {@code p}, such as {@code 4 at 8}; empty if unknown. */
  private static String words(String body) {
    return of(body).map(each -> each.bytes() + " at " + each.stride()).orElse("");
  }

  private static Optional<AccessedWords> of(String body) {
    return AnalysedKernel.of(body.replace("; ", ";\n")).p().words();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4 at 4  | ld.global.f32 %f1, [%rd11];",
        "4 at 4  | st.global.u32 [%rd11+4], %r1; ld.global.u32 %r2, [%rd11];",
        "4 at 4  | ld.global.nc.u32 %r1, [%rd11]; ld.global.u32 %r2, [%rd1];",
        "2 at 4  | ld.global.u16 %h1, [%rd11];",
        "8 at 4  | ld.global.f64 %fd1, [%rd11];",
        "4 at 8  | shl.b64 %rd10, %rd10, 1; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
        "4 at 4  | ld.global.u32 %r2, [%rd2]; add.s32 %r3, %r2, %r9; mul.wide.s32 %rd10, %r3, 4; "
            + "add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r2, [%rd11];",
        "4 at 4  | add; mul.lo.s32 %r5; ld.param.u64 %rd5; ld.global.u32 %r2, [%rd11];",
        "4 at 4  | sub.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
        "4 at 4  | mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, %r1, %r9; "
            + "mul.wide.s32 %rd10, %r3, 4; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r2, [%rd11];",
      })
  void theStrideIsTheDistanceOfNeighbouringThreads(String expected, String body) {
    assertThat(words(WORD + body)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a uniform place          | ld.global.u32 %r1, [%rd1];",
        "another stride as well   | ld.global.u32 %r1, [%rd11]; add.s64 %rd12, %rd11, %rd10; "
            + "ld.global.u32 %r2, [%rd12];",
        "a masked index           | and.b32 %r2, %r9, 31; mul.wide.u32 %rd10, %r2, 4; "
            + "add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
        "a loaded index           | add.s64 %rd12, %rd2, %rd10; ld.global.u32 %r2, [%rd12]; mul.wide.u32 %rd10, %r2, 4; "
            + "add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
        "a factor from outside    | mul.lo.s32 %r2, %r9, %r1; mul.wide.u32 %rd10, %r2, 4; "
            + "add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
        "one of two factors       | setp.lt.u32 %p1, %r9, 7; selp.b32 %r2, 4, 8, %p1; "
            + "mul.wide.u32 %rd10, %r9, %r2; add.s64 %rd11, %rd1, %rd10; "
            + "ld.global.u32 %r1, [%rd11];",
        "one of two indexes       | setp.lt.u32 %p1, %r9, 7; selp.b32 %r2, %r9, 0, %p1; "
            + "mul.wide.u32 %rd10, %r2, 4; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r1, [%rd11];",
      })
  void anUnclearStrideIsNone(String what, String body) {
    assertThat(words(WORD + body)).as(what).isEqualTo("4 at 0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a vector                 | ld.global.v2.u32 {%r1, %r2}, [%rd11];",
        "a vector of halves       | ld.global.v2.f16 {%h1, %h2}, [%rd11];",
        "vectors of two widths    | ld.global.v2.f32 {%f1, %f2}, [%rd11]; "
            + "ld.global.v2.f64 {%fd1, %fd2}, [%rd11];",
        "an atomic                | atom.global.add.u32 %r1, [%rd11], 1;",
        "a reduction              | red.global.add.u32 [%rd11], 1;",
        "a pair of halves         | red.global.add.noftz.f16x2 [%rd11], %r1;",
        "two widths               | ld.global.u32 %r1, [%rd11]; ld.global.u64 %rd4, [%rd1];",
        "a copy                   | cp.async.ca.shared.global [0], [%rd11], 4;",
        "one of two pointers      | selp.b64 %rd12, %rd11, %rd2, %p1; ld.global.u32 %r1, [%rd12]; "
            + "ld.global.u32 %r1, [%rd11];",
        "a pointer that escapes   | ld.global.u32 %r1, [%rd11]; st.global.u64 [%rd2], %rd1;",
        "no access                | add.s64 %rd12, %rd11, 4;",
      })
  void nothingIsKnownOfOtherAccesses(String what, String body) {
    assertThat(words(WORD + body)).as(what).isEmpty();
  }

  @Test
  void vectorsOfFloatsHaveTheWidthOfTheirElementsAndNoStride() {
    assertThat(words(WORD + "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd11];")).isEqualTo("4 at 0");
    assertThat(words(WORD + "st.global.v2.f64 [%rd11], {%fd1, %fd2};")).isEqualTo("8 at 0");
  }

  @Test
  void theStrideOfALoopIsTheOneOfItsThreads() {
    assertThat(
            words(
                WORD
                    + """
                    mov.u32 %r3, %ntid.x;
                    mul.wide.u32 %rd12, %r3, 4;
                    AGAIN: ld.global.u32 %r4, [%rd11];
                    add.s64 %rd11, %rd11, %rd12;
                    setp.lt.u64 %p1, %rd11, %rd4;
                    @%p1 bra AGAIN;
                    """))
        .isEqualTo("4 at 4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FLOATS          | ld.global.f32 %f1, [%rd11]; st.global.f32 [%rd11], %f1;",
        "FLOATS          | ld.global.f32 %f1, [%rd11]; mov.b32 %r1, %f1; add.s32 %r1, %r1, 1;",
        "FLOATS          | ld.global.f32 %f1, [%rd11]; selp.f32 %f2, %f1, 0f00000000, %p1;",
        "FLOATS          | add.s32 %r1, %r2, %r3; mov.b32 %f1, %r1; "
            + "st.global.f32 [%rd11], %f1;",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; add.f32 %f2, %f1, %f1;",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; setp.lt.f32 %p1, %f1, 0f00000000;",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; cvt.f64.f32 %fd1, %f1;",
        "COMPUTED_FLOATS | mul.f32 %f1, %f1, %f2; st.global.f32 [%rd11], %f1;",
        "COMPUTED_FLOATS | red.global.add.f32 [%rd11], %f1;",
        "COMPUTED_FLOATS | atom.global.add.f64 %fd1, [%rd11], %fd2;",
        "COMPUTED_FLOATS | ld.global.v2.f32 {%f1, %f2}, [%rd11]; add.f32 %f3, %f2, %f2;",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; ld.global.v2.f32 {%f1, %f2}, [%rd11]; "
            + "add.f32 %f3, %f2, %f2;",
        "COMPUTED_FLOATS | mul.f32 %f2, %f1, %f1; st.global.v2.f32 [%rd11], {%f1, %f2};",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; red.shared.add.f32 [0], %f1;",
        "COMPUTED_FLOATS | ld.global.f32 %f1, [%rd11]; mov.f32 %f2, %f1; add.f32 %f3, %f2, %f2;",
        "FLOATS          | ld.global.f32 %f1, [%rd11]; bra A; A: mov.f32 %f1, %f2; bra B; B: "
            + "add.f32 %f3, %f1, %f1;",
        "COMPUTED_FLOATS | ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd11]; bra NEXT; NEXT: "
            + "add.f32 %f5, %f4, %f4;",
        "BITS            | ld.global.v2.f32 {%f1, %f2}, [%rd11]; "
            + "st.global.v2.f32 [%rd11], {%f1, %f2};",
        "BITS            | ld.global.v2.f32 {%f1, %f2}, [%rd11]; ld.global.f32 %f3, [%rd11];",
        "BITS            | ld.global.f32 %f1, [%rd11]; add.f32 %f2, %f1, %f1; "
            + "st.global.u32 [%rd11], %r1;",
        "BITS            | ld.global.b32 %f1, [%rd11]; add.f32 %f2, %f1, %f1;",
        "BITS            | red.global.add.f32 [%rd11], %f1; st.global.u32 [%rd11], %r1;",
      })
  void numbersOfOneWidthAreFloatsIfAllAccessesSaySo(Content expected, String body) {
    assertThat(of(WORD + body).orElseThrow().content()).isEqualTo(expected);
  }

  @Test
  void anAccessThatLacksAnOperandIsNoError() {
    assertThat(of(WORD + "st.global.f32 [%rd11];").map(AccessedWords::content))
        .hasValue(Content.FLOATS);
  }

  @ParameterizedTest
  @CsvSource({
    // What the words are, and their bytes; of the elements, the bytes and whether they are floats.
    "true,  FLOATS,          4, 4, false",
    "true,  FLOATS,          8, 8, false",
    "true,  COMPUTED_FLOATS, 4, 4, false",
    "true,  COMPUTED_FLOATS, 4, 2, false",
    "true,  COMPUTED_FLOATS, 8, 2, false",
    "true,  COMPUTED_FLOATS, 8, 4, false",
    "true,  COMPUTED_FLOATS, 8, 4, true",
    "true,  COMPUTED_FLOATS, 4, 8, true",
    "false, COMPUTED_FLOATS, 4, 8, false",
    "false, COMPUTED_FLOATS, 4, 1, false",
    "false, COMPUTED_FLOATS, 4, 4, true",
    "false, COMPUTED_FLOATS, 8, 8, true",
    "false, FLOATS,          4, 4, true",
    "false, FLOATS,          4, 2, false",
    "false, FLOATS,          8, 4, true",
    "false, FLOATS,          4, 8, true",
    "false, BITS,            4, 4, true",
    "false, BITS,            4, 4, false",
  })
  void floatsAreNoElementsOfAnotherType(
      boolean expected, Content content, int bytes, int elementBytes, boolean areFloats) {
    AccessedWords words = new AccessedWords(bytes, 0, content, SITE);
    assertThat(words.areOtherFloatsThan(areFloats, elementBytes)).isEqualTo(expected);
    assertThat(words.areFloats()).isEqualTo(content != Content.BITS);
  }

  @Test
  void onlyNeighbouringWordsThatAreNarrowerSayAnythingAboutElements() {
    assertThat(new AccessedWords(4, 4, Content.BITS, SITE).areNarrowerThan(8)).isTrue();
    assertThat(new AccessedWords(2, 2, Content.BITS, SITE).areNarrowerThan(4)).isTrue();
    assertThat(new AccessedWords(4, 4, Content.BITS, SITE).areNarrowerThan(4)).isFalse();
    assertThat(new AccessedWords(8, 8, Content.BITS, SITE).areNarrowerThan(4)).isFalse();
    assertThat(new AccessedWords(4, 8, Content.BITS, SITE).areNarrowerThan(8)).isFalse();
    assertThat(new AccessedWords(4, 0, Content.BITS, SITE).areNarrowerThan(8)).isFalse();
    assertThat(new AccessedWords(1, 1, Content.BITS, SITE).areNarrowerThan(8)).isFalse();
  }
}
