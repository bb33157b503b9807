package dev.streamfence.internal.ptx.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is parsed: the parser ends, and throws nothing but its own exception, which names a
 * line. Whatever was parsed can be analysed. A failure says the seed for {@code
 * -Dstreamfence.fuzz.seed}, from which one try of each property is made; {@code
 * -Dstreamfence.fuzz.count} says how many tries there are.
 */
final class PtxParserPropertiesTest {
  private static final String FILE = KernelCase.text("geometry.ptx");
  private static final String HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n";

  /** Spreads seeds: of neighbours, {@link Random} draws numbers that are alike at first. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** A property of texts, of which each try has a seed of its own. */
  @FunctionalInterface
  private interface Property {
    void holds(Random random);
  }

  private static void check(int tries, Property property) {
    Long only = Long.getLong("streamfence.fuzz.seed");
    int count = only == null ? Integer.getInteger("streamfence.fuzz.count", tries) : 1;
    long first = only == null ? 1 : only;
    for (long seed = first; seed < first + count; seed++) {
      try {
        property.holds(new Random(seed * SPREAD));
      } catch (Exception | AssertionError | StackOverflowError e) {
        throw new AssertionError("-Dstreamfence.fuzz.seed=" + seed, e);
      }
    }
  }

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

  @Test
  void aFileThatIsCutAtAnyByteIsParsedOrRefused() {
    for (int length = 0; length <= FILE.length(); length++) {
      parse(FILE.substring(0, length));
    }
  }

  @Test
  void anyTextIsParsedOrRefused() {
    check(
        2_000,
        random -> {
          String text = text(random);
          parse(text);
          parse(HEAD + text);
        });
  }

  @Test
  void anyTokensAreParsedOrRefused() {
    check(
        2_000,
        random -> {
          String tokens =
              new TokenShuffle(random.nextLong(), List.of(FILE)).any(random.nextInt(61));
          parse(HEAD + tokens);
          parse(HEAD + ".entry k(.param .u64 p) {\n" + tokens + "\n}\n");
        });
  }

  @Test
  void aFileWithMovedTokensIsParsedOrRefused() {
    check(
        2_000,
        random ->
            parse(new TokenShuffle(random.nextLong(), List.of(FILE)).next(0, random.nextInt(7))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "(", "[", "{(", "[{", "generic(", "@", "-", "!", "<", "{ L: "})
  void anyNestingIsParsedOrRefused(String bracket) {
    check(
        30,
        random -> {
          String nested = bracket.repeat(1 + random.nextInt(20_000));
          parse(HEAD + ".global .u32 v[4] = " + nested);
          parse(HEAD + ".entry k() { mov.u32 " + nested);
          parse(HEAD + ".entry k() " + nested);
        });
  }

  /** Up to 255 characters, of ASCII alone or of more, lone surrogates among them. */
  private static String text(Random random) {
    int bound = List.of(0x80, 0x180, 0x10000).get(random.nextInt(3));
    StringBuilder text = new StringBuilder();
    IntStream.range(0, random.nextInt(256)).forEach(i -> text.append((char) random.nextInt(bound)));
    return text.toString();
  }
}
