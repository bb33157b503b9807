package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.NO_JAVA_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Class files of other languages have names that Java cannot write. */
class ClassFileNamesTest {
  private static final String BASE =
      """
      package lib;
      import dev.streamfence.annotation.*;
      public interface Base {
        @Kernel("run") void placeholder(float first, float second, @ThreadCount int count);
      }
      """;
  private static final String KERNELS =
      Sources.importing(
          Sources.UNSEEN + "@KernelModule(\"k.ptx\")\n«interface K extends lib.Base {}");

  /** Eclipse's compiler shows no names of parameters that class files have. */
  private static final String ECLIPSE_NAMES = "(float arg0, float arg1, int arg2) {";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"class", "<set-value>", "a.b.c.d.e.f", "x; int y=1;", "1234567890a"})
  void parameterGetsANameByItsPosition(String name) {
    assertThat(launcher(UserBuild.Tool.JAVAC, Map.of("first", name)))
        .contains("(float arg0, float second, int count) {");
    assertThat(launcher(UserBuild.Tool.ECLIPSE, Map.of("first", name))).contains(ECLIPSE_NAMES);
  }

  @Test
  void nameByPositionDiffersFromEveryOtherName() {
    assertThat(launcher(UserBuild.Tool.JAVAC, Map.of("first", "class", "second", "arg0")))
        .contains("(float arg0_, float arg0, int count) {");
    assertThat(launcher(UserBuild.Tool.JAVAC, Map.of("first", "arg1", "second", "class")))
        .contains("(float arg1, float arg1_, int count) {");
    assertThat(launcher(UserBuild.Tool.JAVAC, Map.of("first", "same", "second", "same")))
        .contains("(float same, float arg1, int count) {");
    assertThat(launcher(UserBuild.Tool.ECLIPSE, Map.of("first", "class", "second", "arg0")))
        .contains(ECLIPSE_NAMES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"new", "k-WZ4Q5Ns", "a b", "_", "true"})
  void methodThatJavaCannotNameIsRefused(String name) {
    ClassFiles files = ClassFiles.in(folder).with(Map.of("placeholder", name), BASE);

    Mistakes.in(Resources.in(folder), KERNELS)
        .are(
            NO_JAVA_NAME,
            "\""
                + name
                + "\" is not a name in Java, so no launcher can implement it; rename it where it is"
                + " declared (inherited from Base)");
    assertThat(
            UserBuild.by(UserBuild.Tool.ECLIPSE, folder.resolve("eclipse"))
                .classPath(files.classPath())
                .with("demo/K.java", KERNELS.replace("«", ""))
                .run()
                .ids())
        .containsExactly("ERROR [NoJavaName]");
  }

  @ParameterizedTest
  @EnumSource
  void recordThatJavaCannotReadOrNameIsRefused(UserBuild.Tool tool) {
    String field = "package lib;\npublic record First(int component) {}";
    String type = "package lib;\npublic record Renamed(int x) {}";
    String base =
        """
        package lib;
        import dev.streamfence.annotation.*;
        public interface Base {
          @Kernel void one(First first, @ThreadCount int count);
          @Kernel void two(Renamed second, @ThreadCount int count);
        }
        """;
    ClassFiles files =
        ClassFiles.in(folder)
            .with(
                Map.of(
                    "component", "new",
                    "lib/Renamed", "lib/new",
                    "Renamed", "new",
                    "(Llib/Renamed;I)V", "(Llib/new;I)V"),
                field,
                type,
                base);

    assertThat(
            UserBuild.by(tool, folder.resolve("build"))
                .classPath(files.classPath())
                .with("demo/K.java", KERNELS.replace("«", ""))
                .run()
                .complaints())
        .containsExactlyInAnyOrder(
            "[NoJavaName] \"new\" is not a name in Java, so no launcher can read it; rename it where"
                + " it is declared (inherited from Base)",
            "[NoJavaName] \"lib.new\" is not a name in Java, so no launcher can name it; rename it"
                + " where it is declared (inherited from Base)");
  }

  /** The launcher of an interface whose parent has these names in its class file. */
  private String launcher(UserBuild.Tool tool, Map<String, String> names) {
    UserBuild build =
        UserBuild.by(tool, folder.resolve("build"))
            .classPath(ClassFiles.in(folder).with(names, BASE).classPath())
            .with("demo/K.java", KERNELS.replace("«", ""))
            .run();

    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
    assertThat(build.complaints()).isEmpty();
    return build.generated("demo/KLauncher.java");
  }
}
