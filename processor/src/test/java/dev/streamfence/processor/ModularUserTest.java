package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javapoet.JavaFile;
import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.KernelModule;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.annotation.processing.Processor;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
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

  @Test
  void processorsOnAModulePathRun() throws IOException {
    List<Class<?>> oneOfEach =
        List.of(
            KernelProcessor.class,
            KernelModule.class,
            DeviceArray.class,
            JavaFile.class,
            NullMarked.class);
    List<String> modules = new ArrayList<>();
    for (Class<?> type : oneOfEach) {
      modules.add(moduleOf(type).toString());
    }
    List<String> options =
        new ArrayList<>(
            List.of("--processor-module-path", String.join(File.pathSeparator, modules)));
    if (Runtime.version().feature() > 21) {
      // Options of paths that the file manager takes do not count as asking for processors there.
      options.add("-proc:full");
    }
    assertThat(launcherIn("module demo {}", options, List.of())).contains("class KernelsLauncher");
  }

  /** Where a class comes from, as what is published: a folder of classes becomes a jar. */
  private Path moduleOf(Class<?> type) throws IOException {
    Path home;
    try {
      home = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
    if (!Files.isDirectory(home)) {
      return home;
    }
    Path jar = folder.resolve(type.getSimpleName().toLowerCase(Locale.ROOT) + ".jar");
    try (Stream<Path> files = Files.walk(home);
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(home.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, out);
      }
    }
    return jar;
  }

  private String launcherIn(String module) throws IOException {
    return launcherIn(module, List.of(), List.of(new KernelProcessor()));
  }

  /** The text of the launcher, after the compiler has accepted it as well. */
  private String launcherIn(String module, List<String> options, List<Processor> processors)
      throws IOException {
    Path source = Files.createDirectories(folder.resolve("demo"));
    Files.writeString(folder.resolve("module-info.java"), module);
    Files.writeString(
        source.resolve("Kernels.java"),
        Sources.kernels("@Kernel void run(@ThreadCount int n);")
            .replace("@KernelModule", Sources.UNSEEN + "@KernelModule"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> all = new ArrayList<>(options);
      all.addAll(
          List.of(
              "--add-reads",
              "demo=ALL-UNNAMED",
              "-Xlint:all,-processing",
              "-Werror",
              "-d",
              folder.resolve("classes").toString(),
              "-s",
              Files.createDirectories(folder.resolve("generated")).toString()));
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              output,
              files,
              null,
              all,
              null,
              files.getJavaFileObjects(
                  folder.resolve("module-info.java"), source.resolve("Kernels.java")));
      if (!processors.isEmpty()) {
        task.setProcessors(processors);
      }
      assertThat(task.call()).as("%s", output).isTrue();
    }
    return Files.readString(folder.resolve("generated/demo/KernelsLauncher.java"));
  }
}
