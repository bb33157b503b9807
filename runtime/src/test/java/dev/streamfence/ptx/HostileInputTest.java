package dev.streamfence.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostileInputTest {
  private static final String HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n";
  private static final Pattern TOKEN = Pattern.compile("[%$\\w]+|\\.[\\w:]+|\\s+|.");

  /** Parses and translates; nothing but the one exception may come out. */
  private static boolean accepts(String text) {
    try {
      PtxProgram.translate(PtxModule.parse(text));
      return true;
    } catch (PtxException e) {
      assertThat(e.line()).isPositive();
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"geometry.ptx", "memory-debug.ptx", "control.ptx"})
  void aFileCutAnywhereIsRefusedOrWhole(String file) {
    String whole = KernelCase.text(file);
    int step = whole.length() > 20_000 ? 7 : 1;
    int refused = 0;
    for (int length = 0; length < whole.length(); length += step) {
      refused += accepts(whole.substring(0, length)) ? 0 : 1;
    }

    assertThat(refused).isGreaterThan(whole.length() / step * 9 / 10);
    assertThat(accepts(whole)).isTrue();
  }

  @Test
  void shuffledTokensAreRefusedOrRun() {
    Random random = new Random(7);
    List<List<String>> files = new ArrayList<>();
    List<String> all = new ArrayList<>();
    for (String file :
        List.of("integer.ptx", "warp.ptx", "memory.ptx", "atomics.ptx", "half.ptx")) {
      List<String> tokens = new ArrayList<>();
      Matcher matcher = TOKEN.matcher(KernelCase.text(file));
      while (matcher.find()) {
        tokens.add(matcher.group());
      }
      files.add(tokens);
      all.addAll(tokens);
    }
    int accepted = 0;
    for (int i = 0; i < 2000; i++) {
      List<String> tokens = new ArrayList<>(files.get(i % files.size()));
      int at = random.nextInt(tokens.size());
      tokens.set(at, all.get(random.nextInt(all.size())));
      accepted += accepts(String.join("", tokens)) ? 1 : 0;
    }

    assertThat(accepted).isBetween(1, 1999);
  }

  @Test
  void damagedCharactersAreRefusedOrHarmless() {
    String whole = KernelCase.text("geometry.ptx");
    Random random = new Random(8);
    for (int i = 0; i < 3000; i++) {
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

  @Test
  void largeModulesTakeTimeInProportion() {
    StringBuilder text = new StringBuilder(HEAD).append(".entry k() {\n.reg .b32 %r<200000>;\n");
    for (int i = 0; i < 150_000; i++) {
      text.append("$L").append(i).append(": add.s32 %r").append(i).append(", %r");
      text.append(i / 2).append(", ").append(i).append(";\n");
      if (i % 10 == 0) {
        text.append("bra $L").append(150_000 - 1 - i).append(";\n");
      }
    }
    String large = text.append("}\n").toString();

    assertTimeout(Duration.ofSeconds(20), () -> assertThat(accepts(large)).isTrue());
  }

  @Test
  void manyModifiersOperandsAndNamesAreNoTrouble() {
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
