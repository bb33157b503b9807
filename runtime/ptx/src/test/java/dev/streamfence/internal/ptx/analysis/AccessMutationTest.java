package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes the accesses of kernels in the corpus, and checks that the verdict changes too. */
@Tag("search")
class AccessMutationTest {
  private static final Pattern LOAD =
      Pattern.compile("ld((?:\\.\\w+)*)\\s+(%\\w+|\\{[^}]*}),\\s*(\\[[^]]*]);");
  private static final Pattern STORE =
      Pattern.compile("st((?:\\.\\w+)*)\\s+(\\[[^]]*]),\\s*(%\\w+|\\{[^}]*});");

  @ParameterizedTest
  @ValueSource(strings = {"", "-debug"})
  void aLoadThatBecomesAStoreIsSeenAsAWrite(String suffix) {
    int seen =
        mutate(
            suffix,
            ParameterAccess::read,
            LOAD,
            match ->
                "st"
                    + match.group(1).replace(".nc", "")
                    + " "
                    + match.group(3)
                    + ", "
                    + match.group(2)
                    + ";",
            ParameterAccess::write);

    assertThat(seen).isGreaterThan(150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-debug"})
  void aStoreThatBecomesALoadIsSeenAsARead(String suffix) {
    int seen =
        mutate(
            suffix,
            ParameterAccess::write,
            STORE,
            match -> "ld" + match.group(1) + " " + match.group(3) + ", " + match.group(2) + ";",
            ParameterAccess::read);

    assertThat(seen).isGreaterThan(100);
  }

  /** Returns how many parameters were tried; each must have got the new access. */
  private static int mutate(
      String suffix,
      Function<ParameterAccess, Optional<AccessSite>> site,
      Pattern pattern,
      Function<Matcher, String> change,
      Function<ParameterAccess, Optional<AccessSite>> expected) {
    List<String> missed = new ArrayList<>();
    int tried = 0;
    for (var file : AccessTruth.corpus().entrySet()) {
      String text = AccessTruth.ptx(file.getKey() + suffix);
      PtxModule module = PtxModule.parse(text);
      for (AccessTruth truth : file.getValue()) {
        PtxEntry entry = module.entry(truth.entry()).orElseThrow();
        ParameterRoles roles = (p, offset) -> truth.parameters().get(p).role(offset);
        KernelAccesses before = KernelAccesses.of(module, entry, roles);
        for (int i = 0; i < truth.parameters().size(); i++) {
          ParameterAccess access = before.parameter(i);
          String changed =
              expected.apply(access).isPresent()
                  ? text
                  : site.apply(access).map(s -> changed(text, s, pattern, change)).orElse(text);
          if (changed.equals(text)) {
            continue;
          }
          tried++;
          PtxModule mutant = PtxModule.parse(changed);
          KernelAccesses after =
              KernelAccesses.of(mutant, mutant.entry(truth.entry()).orElseThrow(), roles);
          if (expected.apply(after.parameter(i)).isEmpty()) {
            missed.add(truth.entry() + " " + truth.parameters().get(i).name());
          }
        }
      }
    }
    assertThat(missed).isEmpty();
    return tried;
  }

  private static String changed(
      String text, AccessSite site, Pattern pattern, Function<Matcher, String> change) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    Matcher match = pattern.matcher(lines.get(site.line() - 1));
    if (!match.find()) {
      return text;
    }
    lines.set(
        site.line() - 1,
        new StringBuilder(lines.get(site.line() - 1))
            .replace(match.start(), match.end(), change.apply(match))
            .toString());
    return String.join("\n", lines);
  }
}
