package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javapoet.JavaFile;
import com.sun.jna.Native;
import de.siegmar.fastcsv.reader.CsvReader;
import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.internal.ptx.syntax.PtxModule;
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
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import jcuda.driver.JCudaDriver;
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

  /**
   * Runs in a process of its own: in this one, javac would also find the classes of this class
   * path.
   */
  @Test
  void processorOnAModulePathRunsAndReadsThePtx() throws IOException, InterruptedException {
    writeUser("module demo {}");
    Files.writeString(
        folder.resolve("k.ptx"),
        """
        .version 6.3
        .target sm_75
        .address_size 64
        .visible .entry run(.param .u32 run_n)
        {
          ret;
        }
        """);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "--processor-module-path",
                String.join(File.pathSeparator, modulesOfTheProcessor()),
                "--class-path",
                System.getProperty("java.class.path"),
                "-Astreamfence.resources=" + folder));
    if (Runtime.version().feature() > 21) {
      command.add("-proc:full");
    }
    command.addAll(options());
    for (Path source : sources()) {
      command.add(source.toString());
    }
    Path output = folder.resolve("javac.log");

    int exit =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();

    assertThat(exit).as("%s", Files.readString(output)).isZero();
    // The hash of the PTX that the processor compared.
    assertThat(launcher()).containsPattern("\"[0-9a-f]{64}\"");
  }

  /** The runtime's module requires three that the processor itself does not. */
  private List<String> modulesOfTheProcessor() throws IOException {
    List<Class<?>> oneOfEach =
        List.of(
            KernelProcessor.class,
            KernelModule.class,
            PtxModule.class,
            DeviceArray.class,
            JavaFile.class,
            CsvReader.class,
            Native.class,
            JCudaDriver.class);
    List<String> modules = new ArrayList<>();
    for (Class<?> type : oneOfEach) {
      modules.add(moduleOf(type).toString());
    }
    return modules;
  }

  /** The jar that a class comes from; a folder of classes becomes a jar. */
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

  /** The launcher's text, which the compiler has accepted. */
  private String launcherIn(String module) throws IOException {
    writeUser(module);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              output, files, null, options(), null, files.getJavaFileObjectsFromPaths(sources()));
      task.setProcessors(List.of(new KernelProcessor()));
      assertThat(task.call()).as("%s", output).isTrue();
    }
    return launcher();
  }

  private void writeUser(String module) throws IOException {
    Files.createDirectories(folder.resolve("demo"));
    Files.createDirectories(folder.resolve("generated"));
    Files.writeString(folder.resolve("module-info.java"), module);
    Files.writeString(
        folder.resolve("demo/Kernels.java"),
        Sources.kernels("@Kernel void run(@ThreadCount int n);")
            .replace("@KernelModule", Sources.UNSEEN + "@KernelModule"));
  }

  private List<Path> sources() {
    return List.of(folder.resolve("module-info.java"), folder.resolve("demo/Kernels.java"));
  }

  private List<String> options() {
    return List.of(
        "--add-reads",
        "demo=ALL-UNNAMED",
        "-Xlint:all,-processing",
        "-Werror",
        "-d",
        folder.resolve("classes").toString(),
        "-s",
        folder.resolve("generated").toString());
  }

  private String launcher() throws IOException {
    return Files.readString(folder.resolve("generated/demo/KernelsLauncher.java"));
  }
}
