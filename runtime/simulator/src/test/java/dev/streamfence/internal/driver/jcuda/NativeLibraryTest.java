package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fresh process finds JCuda's library and the driver, or names the files that it looked for. */
class NativeLibraryTest {
  private static final String OPENED = "opened Stand-in 1\nopened Stand-in 1\n";

  @TempDir private Path folder;

  @RepeatedTest(5)
  void sixProcessesThatStartTogetherAllFindTheirLibrary() {
    Path standIn = StandIn.folder();

    List<Process> processes =
        IntStream.range(0, 6)
            .mapToObj(i -> opening(folder.toString()).linkingFrom(standIn).start())
            .toList();

    List<String> outputs = new ArrayList<>();
    for (Process process : processes) {
      outputs.add(Shell.await(process));
    }
    assertThat(outputs).hasSize(6).containsOnly(OPENED);
    assertThat(folder.resolve(StandIn.jcudaFileName())).hasBinaryContent(StandIn.jcudaLibrary());
  }

  @Test
  void aLibraryThatWasCutOffIsReplaced() throws IOException {
    Path standIn = StandIn.folder();
    byte[] library = StandIn.jcudaLibrary();
    Files.write(folder.resolve(StandIn.jcudaFileName()), Arrays.copyOf(library, 100_000));

    assertThat(opening(folder.toString()).linkingFrom(standIn).run()).isEqualTo(OPENED);
  }

  @Test
  void aLibraryThatCannotBeReplacedIsRefusedAndNotLoaded() throws IOException {
    Path standIn = StandIn.folder();
    Path target = folder.resolve(StandIn.jcudaFileName());
    Files.createDirectories(target.resolve("in the way"));

    assertThat(opening(folder.toString()).linkingFrom(standIn).run().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("refused " + target + " is not JCuda's library"));
  }

  @Test
  void aRelativeTemporaryFolderIsAccepted() {
    Path standIn = StandIn.folder();

    // Newer Javas warn that it does not exist.
    assertThat(opening("new/folder").in(folder).linkingFrom(standIn).run()).endsWith(OPENED);

    assertThat(folder.resolve("new/folder").resolve(StandIn.jcudaFileName())).exists();
  }

  @Test
  void withoutJnaARuntimeOpensAndLogsWhatItCannotDo() {
    assertThat(withoutJna(false)).contains("opened Stand-in 0").contains("keeps no freed memory");
  }

  @Test
  void aRuntimeWithACachingPoolOpensWithoutJna() {
    assertThat(withoutJna(true)).isEqualTo("opened Stand-in 0\n");
  }

  private String withoutJna(boolean isCaching) {
    return Shell.java(
            folder.toString(),
            WithoutJna.class,
            "-Djna.noclasspath=true",
            "-Djna.nosys=true",
            "-Dcaching=" + isCaching)
        .linkingFrom(StandIn.folder())
        .run();
  }

  @Test
  void aLibraryOnTheLibraryPathComesFirst() throws IOException {
    Path standIn = StandIn.folder();
    Path own = Files.createDirectory(folder.resolve("own"));
    Files.write(own.resolve(StandIn.jcudaFileName()), StandIn.jcudaLibrary());
    Path temporary = Files.createDirectory(folder.resolve("temporary"));

    String output =
        Shell.java(
                classPathWithoutNatives(),
                temporary.toString(),
                OpenDevice.class,
                "-Djava.library.path=" + own)
            .linkingFrom(standIn)
            .run();

    assertThat(output).isEqualTo(OPENED);
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void aMissingDriverIsOneErrorThatNamesTheLibrary() {
    String output = opening(folder.toString()).run();

    assumeFalse(output.startsWith("opened"), "this machine has a CUDA driver");
    assumeFalse(output.startsWith("refused no CUDA device"), "this machine has a CUDA driver");
    assertThat(output.lines().distinct())
        .singleElement()
        .asString()
        .startsWith("refused no CUDA ")
        .containsAnyOf("libcuda.so.1", "nvcuda.dll", "jcuda-natives")
        .contains("simulated device");
  }

  @Test
  void aDriverThatCannotBeLoadedIsOneErrorWithTheLinkersReason() throws IOException {
    StandIn.folder();
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve("libcuda.so.1"), "not a library ".repeat(100));

    assertThat(opening(folder.toString()).linkingFrom(broken).run().lines().distinct())
        .singleElement()
        .asString()
        .startsWith("refused no CUDA driver on Linux amd64: looked for libcuda.so.1")
        .contains("libcuda.so.1: invalid ELF header)")
        .contains("simulated device");
  }

  @Test
  void aBindingThatCannotBeLoadedIsNotReportedAsAMissingDriver() throws IOException {
    Path standIn = StandIn.folder();
    Files.writeString(folder.resolve(StandIn.jcudaFileName()), "not a library ".repeat(100));

    String output =
        Shell.java(
                classPathWithoutNatives(),
                folder.toString(),
                OpenDevice.class,
                "-Djava.library.path=" + folder)
            .linkingFrom(standIn)
            .run();

    // Java has its own opinion of such a file, on lines of its own.
    assertThat(output.lines().filter(line -> line.startsWith("refused")).distinct())
        .singleElement()
        .asString()
        .startsWith("refused JCuda's native library JCudaDriver-12.6.0-linux-x86_64 does not load")
        .contains(StandIn.jcudaFileName() + ": invalid ELF header)");
  }

  @Test
  void missingNativesAreOneErrorThatNamesTheJar() {
    StandIn.folder();
    String output =
        Shell.java(classPathWithoutNatives(), folder.toString(), OpenDevice.class).run();

    assertThat(output.lines().distinct())
        .singleElement()
        .asString()
        .startsWith("refused no CUDA binding for " + System.getProperty("os.name"))
        .contains("/lib/" + StandIn.jcudaFileName())
        .contains("add org.jcuda:jcuda-natives:12.6.0:linux-x86_64 to the class path")
        .contains("simulated device");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void askingForAGpuLogsThatTheNativesAreMissing() {
    StandIn.folder();
    String output = Shell.java(classPathWithoutNatives(), folder.toString(), AskForGpu.class).run();

    assertThat(output)
        .contains("no GPU is used: no CUDA binding for Linux amd64")
        .contains("add org.jcuda:jcuda-natives:12.6.0:linux-x86_64 to the class path")
        .endsWith("false\n");
  }

  @Test
  void withoutADriverNoDeviceIsListed() throws IOException {
    StandIn.folder();
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve("libcuda.so.1"), "not a library ".repeat(100));

    assertThat(Shell.java(folder.toString(), ListDevices.class).linkingFrom(broken).run())
        .isEqualTo("[]\n");
  }

  @Test
  void withoutTheNativesNoDeviceIsListedAndTheirJarIsLogged() {
    StandIn.folder();
    String output =
        Shell.java(classPathWithoutNatives(), folder.toString(), ListDevices.class).run();

    assertThat(output)
        .contains("add org.jcuda:jcuda-natives:12.6.0:linux-x86_64 to the class path")
        .endsWith("[]\n");
  }

  private static Shell opening(String temporary) {
    return Shell.java(temporary, OpenDevice.class);
  }

  private static String classPathWithoutNatives() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains("jcuda-natives"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
