package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sources and builds that compilers treat in ways of their own (issue 9). */
class CompilersTest {
  private static final String RUN = "@Kernel void run(@ThreadCount int n);";

  @TempDir private Path folder;

  @Test
  void undeclaredQualifiedTypeIsLeftToEclipse() {
    // Which hides the method, and with it the type that its parameters belong to.
    String method = "@Kernel void run(java.util.Lisst<float[]> x, @ThreadCount int n);";

    assertThat(kernels(UserBuild.Tool.ECLIPSE, method).errors())
        .containsExactly("Kernels.java:6 ERROR java.util.Lisst cannot be resolved to a type");
    assertThat(kernels(UserBuild.Tool.ECLIPSE, method + RUN).errors())
        .containsExactly("Kernels.java:6 ERROR java.util.Lisst cannot be resolved to a type");
    assertThat(kernels(UserBuild.Tool.JAVAC, method).ids())
        .containsExactly("ERROR [UnresolvedType]");
  }

  @Test
  void generatedInterfaceWaitsForALaterType() {
    UserBuild build = generatedInterfaceThatWaits(UserBuild.Tool.JAVAC);

    assertThat(build.everything()).isEmpty();
    assertThat(build.generated("demo/GeneratedLauncher.java")).contains("void run(int n)");
  }

  @Test
  void interfaceThatEclipseLosesGetsNoLauncher() {
    // It does so without any processor of ours: it starts again without the file of the first
    // round.
    UserBuild build = generatedInterfaceThatWaits(UserBuild.Tool.ECLIPSE);

    assertThat(build.complaints()).isEmpty();
    assertThat(build.isCompiled()).isTrue();
    assertThat(build.classFolder().resolve("demo/Generated.class")).doesNotExist();
    assertThat(build.classFolder().resolve("demo/Later.class")).exists();
  }

  @ParameterizedTest
  @EnumSource
  void codeFromALaterRoundIsCompared(UserBuild.Tool tool) {
    String ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry run(.param .u32 n)\n{\n  ret;\n}\n";
    String file = folder.resolve("classes/k.ptx").toString();
    UserBuild build =
        UserBuild.by(tool, folder)
            .after(
                new GeneratingProcessor(Map.of("demo.Early", "package demo; interface Early {}")),
                new GeneratingProcessor(
                    2, Map.of(file, ptx, "demo.Later", "package demo; interface Later {}")))
            .with(
                "demo/First.java",
                unseen(Sources.kernels(RUN)).replace("interface Kernels", "interface First"))
            .with("demo/Kernels.java", waiting())
            .run();

    assertThat(build.complaints()).isEmpty();
    assertThat(build.generated("demo/FirstLauncher.java"))
        .contains("KernelImage.resource(\"k.ptx\", FirstLauncher");
    assertThat(build.generated("demo/KernelsLauncher.java"))
        .containsPattern("\"k.ptx\",\\s+\"[0-9a-f]{64}\"");
  }

  @ParameterizedTest
  @EnumSource
  void codeInAJarIsComparedWhateverItsPath(UserBuild.Tool tool) throws IOException {
    Path jar = Files.createDirectories(folder.resolve("my jars, 100 %")).resolve("kernels.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("k.ptx"));
      out.write(
          ".version 7.0\n.target sm_75\n.address_size 64\n.entry other() { ret; }\n"
              .getBytes(UTF_8));
    }
    List<Path> classPath = new ArrayList<>(List.of(jar));
    classPath.addAll(UserBuild.OWN_CLASS_PATH);

    UserBuild build =
        UserBuild.by(tool, folder)
            .classPath(classPath)
            .with("demo/Kernels.java", Sources.kernels(RUN))
            .run();

    assertThat(build.ids()).containsExactly("ERROR [NoSuchEntry]");
  }

  @ParameterizedTest
  @EnumSource
  void releaseWithoutModulesGetsALauncher(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .release(8)
            .with("demo/Kernels.java", unseen(Sources.kernels(RUN)))
            .run();

    assertThat(build.complaints()).isEmpty();
    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
    assertThat(build.hasGenerated("demo/KernelsLauncher.java")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void releaseWithoutModulesWaitsForALaterType(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .release(8)
            .after(
                new GeneratingProcessor(Map.of("demo.Later", "package demo; interface Later {}")))
            .with(
                "demo/Kernels.java",
                unseen(Sources.kernels(RUN))
                    .replace("interface Kernels", "interface Kernels extends Later"))
            .run();

    assertThat(build.complaints()).isEmpty();
    assertThat(build.hasGenerated("demo/KernelsLauncher.java")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void missingClassBehindAParentIsUnresolved(UserBuild.Tool tool) {
    ClassFiles files =
        ClassFiles.in(folder)
            .with(
                Map.of(),
                "package lib;\npublic record Gone(int x) {}",
                """
                package lib;
                import dev.streamfence.annotation.*;
                public interface Base { @Kernel void run(Gone gone, @ThreadCount int count); }
                """)
            .without("lib/Gone.class");

    UserBuild build = inheriting(tool, files.classPath());

    assertThat(build.complaints())
        .containsExactly(
            "[UnresolvedType] no launcher generated for Kernels: type Gone in run(Gone, int) is not"
                + " resolved");
  }

  @ParameterizedTest
  @EnumSource
  void missingRuntimeBehindAParentIsUnresolved(UserBuild.Tool tool) {
    List<Path> classPath =
        ClassFiles.in(folder)
            .with(
                Map.of(),
                """
                package lib;
                import dev.streamfence.DeviceArray;
                import dev.streamfence.annotation.*;
                public interface Base {
                  @Kernel void run(@Reads DeviceArray<float[]> x, @ThreadCount int count);
                }
                """)
            .classPath();

    UserBuild build = inheriting(tool, withoutRuntime(classPath));

    assertThat(build.ids()).containsExactly("ERROR [UnresolvedType]");
    assertThat(build.complaints().get(0)).contains("type DeviceArray in run(");
    assertThat(build.inGeneratedFiles()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void missingRuntimeIsUnresolvedWhereNothingNamesIt(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .classPath(withoutRuntime(UserBuild.OWN_CLASS_PATH))
            .with(
                "demo/Kernels.java",
                "package demo;\nimport dev.streamfence.annotation.*;\n"
                    + "@KernelModule(\"k.ptx\") interface Kernels { "
                    + RUN
                    + " }")
            .run();

    assertThat(build.everything())
        .containsExactly(
            "Kernels.java:3 ERROR [UnresolvedType] no launcher generated for Kernels: type"
                + " DeviceStream in on(DeviceStream) is not resolved");
  }

  /** Declarations, each of which is in a file of its own. */
  static List<String> deprecated() {
    String kernels =
        "@SuppressWarnings({\"deprecation\", \"removal\", \"streamfence:UnseenModule\"})"
            + " @KernelModule(\"k.ptx\") interface Kernels { @Kernel void run(@ThreadCount int n";
    String removal = "@Deprecated(forRemoval = true) ";
    String gone = "\n" + removal + "record Gone(int x) {}";
    String old = "\n@Deprecated record Old(int x) {}";
    String mark = ", @Reads @Optional @Nullable DeviceArray<int[]> a); }\n%s@interface Nullable {}";
    return List.of(
        removal + kernels + "); }",
        removal + "class Outer { " + kernels + "); } }",
        kernels.replace("@Kernel ", removal + "@Kernel ") + "); }",
        removal + kernels.replace("@Kernel ", removal + "@Kernel ") + "); }",
        kernels.replace("@Kernel ", "@Deprecated @Kernel ") + "); }",
        kernels + ", Gone p); }" + gone,
        kernels + ", Old p); }" + old,
        kernels + ", Old p, Gone q); }" + old + gone,
        kernels + mark.formatted("@Deprecated "),
        kernels + mark.formatted(removal),
        kernels + ", Outer.Inner p); }\n@Deprecated class Outer { record Inner(int x) {} }",
        kernels
            + ", Part p); }\nrecord Part(int x) { @Deprecated(forRemoval = true) public int x() {"
            + " return x; } }",
        kernels.replace("@Kernel ", "@Deprecated @Kernel ") + ", Gone p); }" + gone,
        kernels.replace("@Kernel ", "@Deprecated @Kernel ") + ", Old p); }" + old,
        kernels + "); @Deprecated @Symbol DeviceArray<int[]> limit(); }",
        kernels + "); " + removal + "@Symbol DeviceArray<int[]> limit(); }",
        "@Deprecated " + kernels + ", Old p); }" + old);
  }

  @ParameterizedTest
  @MethodSource("deprecated")
  void launcherHasNoDeprecationWarning(String types) {
    UserBuild javac =
        UserBuild.by(UserBuild.Tool.JAVAC, folder.resolve("javac"))
            .options("-Xlint:all,-processing", "-Werror");
    UserBuild eclipse = UserBuild.by(UserBuild.Tool.ECLIPSE, folder.resolve("eclipse"));
    for (String type : types.split("\n")) {
      String name = type.replaceFirst(".*?(?:interface|class|record) (\\w+).*", "$1");
      javac.with("demo/" + name + ".java", Sources.importing(type));
      eclipse.with("demo/" + name + ".java", Sources.importing(type));
    }

    assertThat(javac.run().everything()).isEmpty();
    assertThat(javac.isCompiled()).isTrue();
    assertThat(eclipse.run().inGeneratedFiles())
        // Eclipse's compiler does not mind that a method to be removed is overridden; javac does.
        .allMatch(warning -> warning.contains("Unnecessary @SuppressWarnings(\"removal\")"));
    assertThat(eclipse.isCompiled()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void launcherIsForRemovalWithItsInterface(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .with(
                "demo/Kernels.java",
                unseen(
                    Sources.importing(
                        "@Deprecated(forRemoval = true) @KernelModule(\"k.ptx\")\n"
                            + "interface Kernels {"
                            + RUN
                            + "}")))
            .run();

    assertThat(build.generated("demo/KernelsLauncher.java"))
        .contains("@Deprecated(forRemoval = true)\n@SuppressWarnings(\"removal\")\nfinal class");
  }

  /** A compilation of the modules one, which is complete, and two. */
  private UserBuild twoModules() {
    return UserBuild.by(UserBuild.Tool.JAVAC, folder)
        .with("one/module-info.java", "module one {}")
        .with("one/demo/Kernels.java", unseen(Sources.kernels(RUN)))
        .options(
            "--module-source-path",
            folder.resolve("sources").toString(),
            "--add-reads",
            "one=ALL-UNNAMED",
            "--add-reads",
            "two=ALL-UNNAMED");
  }

  /** Not Eclipse's, whose filer fails for a file of a module. */
  @Test
  void modulesOfOneCompilationMayHaveTheSameNames() {
    UserBuild build =
        twoModules()
            .with("two/module-info.java", "module two { requires java.compiler; }")
            .with("two/demo/Kernels.java", unseen(Sources.kernels(RUN.replace("run", "walk"))))
            .run();

    assertThat(build.everything()).isEmpty();
    assertThat(build.generated("one/demo/KernelsLauncher.java"))
        .contains("void run(int n)")
        .doesNotContain("@Generated");
    assertThat(build.generated("two/demo/KernelsLauncher.java"))
        .contains("void walk(int n)", "@Generated");
  }

  @Test
  void aLauncherIsNoPackageOfItsModule() {
    UserBuild build =
        twoModules()
            .with("two/module-info.java", "module two {}")
            .with("two/demo/Kernels.java", unseen(Sources.kernels(RUN)))
            .with(
                "two/demo/KernelsLauncher/Other.java",
                "package demo.KernelsLauncher; class Other {}")
            .run();

    assertThat(build.everything())
        .singleElement()
        .asString()
        .contains("[LauncherNameClash]", "the package demo.KernelsLauncher");
    assertThat(build.hasGenerated("one/demo/KernelsLauncher.java")).isTrue();
  }

  @Test
  void interfacesOfTwoModulesWaitBoth() {
    UserBuild build =
        UserBuild.by(UserBuild.Tool.JAVAC, folder)
            .after(
                new GeneratingProcessor(
                    Map.of(
                        "one/demo.Later", "package demo; interface Later {}",
                        "two/demo.Later", "package demo; interface Later {}")))
            .with("one/module-info.java", "module one {}")
            .with("two/module-info.java", "module two {}")
            .with("one/demo/Kernels.java", waiting())
            .with("two/demo/Kernels.java", waiting())
            .options(
                "--module-source-path",
                folder.resolve("sources").toString(),
                "--add-reads",
                "one=ALL-UNNAMED",
                "--add-reads",
                "two=ALL-UNNAMED")
            .run();

    assertThat(build.everything()).isEmpty();
    assertThat(build.hasGenerated("one/demo/KernelsLauncher.java")).isTrue();
    assertThat(build.hasGenerated("two/demo/KernelsLauncher.java")).isTrue();
  }

  /** Compilers hide bodies and initialisers from processors, so there is no warning. */
  @ParameterizedTest
  @EnumSource
  void declarationsWithinABodyAreNotSeen(UserBuild.Tool tool) {
    UserBuild build =
        UserBuild.by(tool, folder)
            .with(
                "demo/Bodies.java",
                Sources.importing(
                    """
                    class Bodies {
                      Object field = new Object() { @Kernel void anonymous(@Reads int n) {} };
                      java.util.function.IntConsumer lambda = (@ThreadCount int n) -> {};
                      Bodies() { class Local { @Kernel void local(@Reads int n) {} } }
                      static { class Local { @Kernel void local(@Reads int n) {} } }
                      Object method() {
                        @KernelModule("k.ptx") interface Local { @Kernel int local(int n); }
                        java.util.function.IntConsumer within = (@Reads int n) -> {};
                        return new Object() { @Kernel void anonymous(@Reads int n) {} };
                      }
                    }
                    """))
            .run();

    assertThat(build.complaints()).isEmpty();
    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
  }

  private UserBuild kernels(UserBuild.Tool tool, String members) {
    return UserBuild.by(tool, folder)
        .with("demo/Kernels.java", unseen(Sources.kernels(members)))
        .run();
  }

  private static String unseen(String text) {
    return text.replace("@KernelModule", Sources.UNSEEN + "@KernelModule")
        .replace(Sources.UNSEEN, Sources.UNSEEN.strip() + " ");
  }

  private static String waiting() {
    return unseen(Sources.kernels(RUN))
        .replace("interface Kernels", "interface Kernels extends Later");
  }

  private UserBuild generatedInterfaceThatWaits(UserBuild.Tool tool) {
    return UserBuild.by(tool, folder)
        .after(
            new GeneratingProcessor(
                Map.of(
                    "demo.Generated",
                    waiting().replace("interface Kernels", "interface Generated"))),
            new GeneratingProcessor(2, Map.of("demo.Later", "package demo; interface Later {}")))
        .with("demo/Any.java", "package demo; class Any {}")
        .run();
  }

  private UserBuild inheriting(UserBuild.Tool tool, List<Path> classPath) {
    return UserBuild.by(tool, folder.resolve("build"))
        .classPath(classPath)
        .with(
            "demo/Kernels.java",
            "package demo;\n@dev.streamfence.annotation.KernelModule(\"k.ptx\")\n"
                + "interface Kernels extends lib.Base {}")
        .run();
  }

  private static List<Path> withoutRuntime(List<Path> classPath) {
    return classPath.stream()
        .filter(entry -> !entry.resolve("dev/streamfence/DeviceStream.class").toFile().exists())
        .filter(entry -> !entry.getFileName().toString().startsWith("streamfence-runtime"))
        .toList();
  }
}
