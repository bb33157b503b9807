package dev.streamfence.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Whatever is parsed: the parser ends, and throws nothing but its own exception, which names a
 * line. Whatever was parsed can be analysed.
 */
class PtxParserPropertiesTest {
  private static final String FILE = KernelCase.text("geometry.ptx");
  private static final int LENGTH = 3_219;
  private static final String SEED = "-4096";
  private static final Pattern TOKEN = Pattern.compile("[%$\\w]+|\\.[\\w:]+|\\s+|.");

  private static void parse(String text) {
    PtxModule module;
    try {
      module = PtxModule.parse(text);
    } catch (PtxException e) {
      assertThat(e.line()).isPositive();
      return;
    }
    for (PtxEntry entry : module.entries()) {
      assertThat(KernelAccesses.of(module, entry)).isNotNull();
    }
  }

  @Property(generation = GenerationMode.EXHAUSTIVE, tries = LENGTH + 1)
  void aFileThatIsCutAtAnyByte(@ForAll @IntRange(max = LENGTH) int length) {
    assertThat(FILE.length()).isEqualTo(LENGTH);
    parse(FILE.substring(0, length));
  }

  @Property(tries = 2_000, seed = SEED)
  void anyText(@ForAll String text) {
    parse(text);
    parse(".version 8.0\n.target sm_90\n.address_size 64\n" + text);
  }

  @Property(tries = 2_000, seed = SEED)
  void anyTokens(@ForAll("tokens") @Size(max = 60) List<String> tokens) {
    parse(".version 8.0\n.target sm_90\n.address_size 64\n" + String.join(" ", tokens));
    parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n"
            + String.join(" ", tokens)
            + "\n}\n");
  }

  @Property(tries = 2_000, seed = SEED)
  void aFileWithTokensOfItsOwnInOtherPlaces(
      @ForAll @Size(max = 6) List<@IntRange(max = 100_000) Integer> from,
      @ForAll @Size(max = 6) List<@IntRange(max = 100_000) Integer> to) {
    List<String> tokens = new ArrayList<>(tokensOf(FILE));
    for (int i = 0; i < Math.min(from.size(), to.size()); i++) {
      tokens.set(to.get(i) % tokens.size(), tokens.get(from.get(i) % tokens.size()));
    }
    parse(String.join("", tokens));
  }

  @Property(tries = 300, seed = SEED)
  void anyNesting(
      @ForAll("brackets") String bracket, @ForAll @IntRange(min = 1, max = 20_000) int depth) {
    parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 v[4] = "
            + bracket.repeat(depth));
    parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { mov.u32 "
            + bracket.repeat(depth));
    parse(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() " + bracket.repeat(depth));
  }

  @Provide
  Arbitrary<String> brackets() {
    return Arbitraries.of("{", "(", "[", "{(", "[{", "generic(", "@", "-", "!", "<", "{ L: ");
  }

  @Provide
  Arbitrary<List<String>> tokens() {
    return Arbitraries.of(tokensOf(FILE)).list();
  }

  private static List<String> tokensOf(String text) {
    return TOKEN.matcher(text).results().map(MatchResult::group).toList();
  }
}
