package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Launchers in named modules, compiled as files on disk since Compile-Testing's file manager knows
 * no modules.
 */
class ModularUserTest {
  @TempDir private Path folder;

  @Test
  void moduleThatDoesNotReadTheCompilersGetsALauncherWithoutTheMark() throws IOException {
    assertThat(launcherIn("module demo {}")).doesNotContain("Generated");
  }

  @Test
  void moduleThatReadsTheCompilersGetsALauncherWithTheMark() throws IOException {
    assertThat(launcherIn("module demo { requires java.compiler; }"))
        .contains("@Generated(\"dev.streamfence.processor.KernelProcessor\")");
  }

  /** The text of the launcher, after the compiler has accepted it as well. */
  private String launcherIn(String module) throws IOException {
    Path source = Files.createDirectories(folder.resolve("demo"));
    Files.writeString(folder.resolve("module-info.java"), module);
    Files.writeString(
        source.resolve("Kernels.java"),
        Sources.kernels("@Kernel void run(@ThreadCount int n);")
            .replace("@KernelModule", Sources.UNSEEN + "@KernelModule"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              output,
              files,
              null,
              List.of(
                  "--add-reads",
                  "demo=ALL-UNNAMED",
                  "-Xlint:all,-processing",
                  "-Werror",
                  "-d",
                  folder.resolve("classes").toString(),
                  "-s",
                  Files.createDirectories(folder.resolve("generated")).toString()),
              null,
              files.getJavaFileObjects(
                  folder.resolve("module-info.java"), source.resolve("Kernels.java")));
      task.setProcessors(List.of(new KernelProcessor()));
      assertThat(task.call()).as("%s", output).isTrue();
    }
    return Files.readString(folder.resolve("generated/demo/KernelsLauncher.java"));
  }
}
