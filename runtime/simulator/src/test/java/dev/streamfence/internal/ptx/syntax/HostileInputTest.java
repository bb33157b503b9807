package dev.streamfence.internal.ptx.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.streamfence.corpus.Effort;
import dev.streamfence.corpus.Growth;
import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.run.PtxProgram;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostileInputTest {
  private static final String HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n";

  /** Parses and translates; only the one exception may be thrown. */
  private static boolean accepts(String text) {
    try {
      PtxModule module = PtxModule.parse(text);
      PtxProgram program = PtxProgram.translate(module);
      return module.entries().stream().allMatch(each -> program.refusal(each.name()) == null);
    } catch (PtxException e) {
      assertThat(e.line()).isPositive();
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"geometry.ptx", "memory-debug.ptx", "control.ptx"})
  void aFileCutAnywhereIsRefusedOrWhole(String file) {
    String whole = KernelCase.text(file);
    int step = (whole.length() > 20_000 ? 7 : 1) * Effort.of(11, 2);
    int refused = 0;
    for (int length = 0; length < whole.length(); length += step) {
      refused += accepts(whole.substring(0, length)) ? 0 : 1;
    }

    assertThat(refused).isGreaterThan(whole.length() / step * 9 / 10);
    assertThat(accepts(whole)).isTrue();
  }

  @Test
  void shuffledTokensAreRefusedOrRun() {
    TokenShuffle shuffle =
        new TokenShuffle(
            7,
            Stream.of("integer.ptx", "warp.ptx", "memory.ptx", "atomics.ptx", "half.ptx")
                .map(KernelCase::text)
                .toList());
    int accepted = 0;
    int tries = Effort.of(200, 450);
    for (int i = 0; i < tries; i++) {
      accepted += accepts(shuffle.next(i, 1)) ? 1 : 0;
    }

    assertThat(accepted).isBetween(1, tries - 1);
  }

  @Test
  void damagedCharactersAreRefusedOrHarmless() {
    String whole = KernelCase.text("geometry.ptx");
    Random random = new Random(8);
    for (int i = 0; i < Effort.of(300, 500); i++) {
      char[] damaged = whole.toCharArray();
      damaged[random.nextInt(damaged.length)] = (char) random.nextInt(0x180);
      accepts(new String(damaged));
    }
    assertThatThrownBy(() -> PtxModule.parse(whole + "\u0000"))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("U+0000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{", "(", "[", "@", "!", "-", "{ .reg .b32 a; ", "l: ", "%a|", "add.s32 a, ["})
  void nestingDoesNotExhaustTheStack(String opening) {
    String body = HEAD + ".entry k() {" + opening.repeat(200_000);

    assertTimeout(
        Duration.ofSeconds(20),
        () -> assertThatThrownBy(() -> PtxModule.parse(body)).isInstanceOf(PtxException.class));
  }

  @Test
  void initialValuesAndSectionsNestWithoutRecursion() {
    assertThatThrownBy(() -> PtxModule.parse(HEAD + ".global .u32 a[1] = " + "{".repeat(100_000)))
        .isInstanceOf(PtxException.class);
    assertThatThrownBy(() -> PtxModule.parse(HEAD + ".section .x " + "{".repeat(100_000)))
        .isInstanceOf(PtxException.class);
  }

  @Tag("exhaustive")
  @Test
  void largeModulesTakeTimeInProportion() {
    Growth.requireProportional(
        18_750,
        size -> {
          String text = sumsAndBranches(size);
          return () -> assertThat(accepts(text)).isTrue();
        });
  }

  private static String sumsAndBranches(int count) {
    StringBuilder text = new StringBuilder(HEAD);
    text.append(".entry k() {\n.reg .b32 %r<").append(count).append(">;\n");
    for (int i = 0; i < count; i++) {
      text.append("$L").append(i).append(": add.s32 %r").append(i).append(", %r");
      text.append(i / 2).append(", ").append(i).append(";\n");
      if (i % 10 == 0) {
        text.append("bra $L").append(count - 1 - i).append(";\n");
      }
    }
    return text.append("}\n").toString();
  }

  @Test
  void tooManyModifiersOperandsAndDigitsAreRefused() {
    String start = HEAD + ".entry k() { ";
    assertThat(accepts(start + "add" + ".L2::x".repeat(100_000) + " a, b; }")).isFalse();
    assertThat(accepts(start + "bra " + "a, ".repeat(100_000) + "a; }")).isFalse();
    assertThat(accepts(start + "x".repeat(1_000_000) + " 1; }")).isFalse();
    assertThat(accepts(start + "mov.b32 " + "9".repeat(1_000_000) + "; }")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".entry k() { .local .b8 a[1099511627776]; ret; }",
        ".entry k() { .shared .b8 a[1099511627776]; ret; }",
        ".shared .b8 a[9223372036854775807]; .shared .align 16 .b8 b[16];",
        ".const .b8 a[1099511627776];",
        ".func f(.param .b8 a[1099511627776]) { ret; }",
        ".entry k(.param .b8 a[1099511627776]) { ret; }"
      })
  void memoryThatNoDeviceHasIsRefused(String declaration) {
    assertThat(accepts(HEAD + declaration)).isFalse();
  }
}
