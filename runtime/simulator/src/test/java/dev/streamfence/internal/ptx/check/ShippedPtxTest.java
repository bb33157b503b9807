package dev.streamfence.internal.ptx.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The PTX that users get, in the runtime and in the examples, whatever compiler is installed. */
final class ShippedPtxTest {
  private static final Path RUNTIME = Path.of("../exchange/src/main/resources");
  private static final Path EXAMPLES = Path.of("../../examples/src/main/resources");

  static List<Path> all() throws IOException {
    List<Path> files = new ArrayList<>(ofTheRuntime());
    files.addAll(ptxIn(EXAMPLES));
    return files;
  }

  static List<Path> ofTheRuntime() throws IOException {
    return ptxIn(RUNTIME);
  }

  private static List<Path> ptxIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".ptx")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void itHasAVersionATargetWideAddressesAndEachEntryOnce(Path file) throws IOException {
    PtxModule module = PtxModule.parse(Files.readString(file));
    assertThat(module.isaVersion()).matches("[6-9]\\.[0-9]");
    assertThat(module.target()).matches("sm_[0-9]+");
    assertThat(module.addressSize()).isEqualTo(64);
    assertThat(module.isDebug()).isFalse();
    assertThat(module.entries()).isNotEmpty();
    assertThat(module.entries()).extracting(PtxEntry::name).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("all")
  void itLoadsAndEachEntryIsFound(Path file) throws IOException {
    byte[] text = Files.readAllBytes(file);
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire()) {
      LoadedModule module = LoadedModule.of(stream, KernelImage.of(file.toString(), text));
      for (PtxEntry entry : PtxModule.parse(new String(text, UTF_8)).entries()) {
        assertThat(module.occupancy(entry.name()).suggestedBlockSize(0)).isPositive();
      }
    }
  }

  /**
   * Any release assembles the lowest version that the target has; sm_80 is known to all of them.
   */
  @ParameterizedTest
  @MethodSource("ofTheRuntime")
  void itIsAssembledByWhateverAssemblerIsThere(Path file, @TempDir Path folder)
      throws IOException, InterruptedException {
    assumeTrue(isInstalled(), "ptxas is not installed");
    Path binary = folder.resolve("assembled.cubin");
    Process assembler =
        start("ptxas", "-arch=sm_80", "-o", binary.toString(), file.toAbsolutePath().toString());
    String output = new String(assembler.getInputStream().readAllBytes(), UTF_8);
    assertThat(assembler.waitFor()).as(output).isZero();
    assertThat(Files.readAllBytes(binary)).startsWith(0x7f, 'E', 'L', 'F');
  }

  private static boolean isInstalled() throws InterruptedException {
    try {
      Process asked = start("ptxas", "--version");
      asked.getInputStream().readAllBytes();
      return asked.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static Process start(String... command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
