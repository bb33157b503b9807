package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ENTRY_NAME;
import static dev.streamfence.processor.diagnostic.Problem.LAUNCHER_NAME_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that two things share, and names with letters that look like others. */
class NameMistakesTest {
  private static final String RUN = "{ @Kernel void run(@ThreadCount int n); }\n";

  private static final String NAME_RULE =
      " is not an entry name; an entry name starts with an ASCII letter, '_' or '$', continues"
          + " with these or digits, and has at most 1024 characters; give one as @Kernel(\"name\")";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\\\"); static { throw new Error(); } //    | \"); static { throw new Error(); } //",
        "run\\\\u0022+x+\\\\u0022                   | run\\u0022+x+\\u0022",
        "run\\n.entry bad                           | run\\u000a.entry bad",
        "run\\r                                     | run\\u000d",
        "run\\u2028                                 | run\\u2028",
        "run\\u202e                                 | run\\u202e",
        "run\\u200b                                 | run\\u200b",
        "run\\ufeff                                 | run\\ufeff",
        "run\\ud800                                 | run\\ud800",
        "run\\0                                     | run\\u0000",
        "r\\u0443n                                  | r\\u0443n",
        "*/ public int x; /*                        | */ public int x; /*",
        "$T.exit(0)                                 | $T.exit(0)",
        "${java.home}                               | ${java.home}",
        "run;                                       | run;",
        "run()                                      | run()",
        "%s%n                                       | %s%n",
        "../run                                     | ../run",
        "0                                          | 0",
      })
  void onlyNamesEnterTheLauncher(String escaped, String shown) {
    Mistakes.inKernels("@Kernel(«\"" + escaped + "\") void run(@ThreadCount int n);")
        .are(ENTRY_NAME, "\"" + shown + "\"" + NAME_RULE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\u0443", "\\u3164", "\\uff41", "gr\\u00f6\\u00dfe", "\\ud801\\udc00"})
  void methodWithoutAnAsciiNameNeedsAnEntryName(String name) {
    Mistakes.inKernels("@Kernel void «" + name + "(@ThreadCount int n);")
        .are(ENTRY_NAME, "\"" + name + "\"" + NAME_RULE);
    Mistakes.inKernels("@Kernel(\"run\") void " + name + "(@ThreadCount int n);").areNone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u200b", "\u200f", "\u202e", "\u2066", "\ufeff", "\u00ad"})
  void invisibleCharactersAreNoPartOfNames(String invisible) {
    Mistakes.inKernels(
            "@Kernel void ru%1$sn(DeviceArray<int[]> «o%1$sut, @ThreadCount int n%1$s);"
                .formatted(invisible))
        .are(MISSING_ACCESS, "parameter 'out' of run needs @Reads, @Writes or @ReadWrites");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"_", "__", "$", "$S", "this$0", "record", "var", "yield", "sealed", "when"})
  void nameThatLooksLikeAKeywordIsAllowed(String name) {
    String legal = name.equals("_") ? "_1" : name;
    Mistakes.inKernels(
            "@Kernel void run(DeviceArray<int[]> «%1$s, @ThreadCount int n);".formatted(legal))
        .are(
            MISSING_ACCESS,
            "parameter '" + legal + "' of run needs @Reads, @Writes or @ReadWrites");
  }

  @ParameterizedTest
  @CsvSource({"SaxpyLauncher", "saxpylauncher", "SAXPYLAUNCHER", "Saxpylauncher"})
  void launchersAndTypesDifferInMoreThanCase(String other) {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface Saxpy " + RUN),
            "package demo;\nclass " + other + " {}")
        .are(LAUNCHER_NAME_CLASH, clash("Saxpy", "demo." + other));
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo.SaxpyLauncher", "demo.SaxpyLauncher.inner"})
  void launchersAreNoPackages(String name) {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface Saxpy " + RUN),
            "package " + name + ";\nclass Other {}")
        .are(LAUNCHER_NAME_CLASH, clash("Saxpy", "the package demo.SaxpyLauncher"));
  }

  /** A folder and a file with a suffix are two names, also on file systems that ignore case. */
  @Test
  void aPackageMayDifferInCaseAlone() {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\ninterface Saxpy " + RUN),
            "package demo.saxpylauncher;\nclass Other {}")
        .areNone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SAXPY", "saxpy", "SaxPy"})
  void launchersOfTwoInterfacesDifferInMoreThanCase(String other) {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\ninterface Saxpy " + RUN),
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface " + other + " " + RUN))
        .are(LAUNCHER_NAME_CLASH, clash(other, "the launcher of demo.Saxpy"));
  }

  @Test
  void launchersInPackagesThatDifferInCaseClash() {
    String source = "import dev.streamfence.annotation.*;\n@KernelModule(\"k.ptx\")\n";
    Mistakes.in(
            "package demo;\n" + source + "interface Saxpy " + RUN,
            "package Demo;\n" + source + "«interface Saxpy " + RUN)
        .are(LAUNCHER_NAME_CLASH, clash("Saxpy", "the launcher of demo.Saxpy"));
  }

  @Test
  void launchersOfMembersClashAsWell() {
    Mistakes.in(
            Sources.importing(
                "class Outer {\n@KernelModule(\"k.ptx\") interface Saxpy "
                    + RUN
                    + "@KernelModule(\"k.ptx\") «interface SAXPY "
                    + RUN
                    + "}"))
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher Outer_SAXPYLauncher of Outer.SAXPY clashes with the launcher of"
                + " demo.Outer.Saxpy, at least on file systems that ignore case; rename one");
  }

  private static String clash(String type, String other) {
    return ("the launcher %sLauncher of %s clashes with %s, at least on file systems that ignore"
            + " case; rename one")
        .formatted(type, type, other);
  }
}
