package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.ptx.check.SourceHash;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The places where a module is searched, in their order. */
final class KernelSearchTest {
  private static final String PTX =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry %s() { ret; }\n";

  private final Map<String, byte[]> classPath = new HashMap<>();
  private final List<String> opened = new ArrayList<>();
  private final KernelImage image = image();

  @TempDir private Path first;
  @TempDir private Path second;

  private KernelImage image() {
    return KernelImage.resource(
        "kernels/vector.ptx",
        name -> {
          opened.add(name);
          byte[] bytes = classPath.get(name);
          return bytes == null ? null : new ByteArrayInputStream(bytes);
        });
  }

  private static byte[] ptx(String entry) {
    return PTX.formatted(entry).getBytes(UTF_8);
  }

  private static void put(Path folder, String name, byte[] bytes) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }

  /** Asserts the source that was loaded, by its entry. */
  private void assertLoaded(String entry) {
    try (DeviceRuntime gpu = open()) {
      LoadedModule.of(gpu.streams().acquire(), image)
          .recorder(KernelSignature.entry(entry).shape("shape"));
    }
  }

  private DeviceRuntime open() {
    return DeviceRuntime.simulated(
        SimulatedDevice.builder().build(),
        RuntimeOptions.defaults().withKernelFolders(first, second));
  }

  @Test
  void foldersComeBeforeTheClassPathInTheirOrder() throws IOException {
    classPath.put("/kernels/vector.ptx", ptx("onTheClassPath"));
    assertLoaded("onTheClassPath");
    put(second, "kernels/vector.ptx", ptx("inTheSecond"));
    assertLoaded("inTheSecond");
    put(first, "kernels/vector.ptx", ptx("inTheFirst"));
    assertLoaded("inTheFirst");
  }

  @Test
  void aBinaryForTheVeryDeviceComesBeforeTheImageInEachPlace() throws IOException {
    classPath.put("/kernels/vector.sm_90.cubin", ptx("inTheResource"));
    put(first, "kernels/vector.ptx", ptx("inTheFirst"));
    put(first, "kernels/vector.sm_90.cubin", ptx("inTheBinary"));
    List<String> loaded = new ArrayList<>();
    CudaDriver recording =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().build()),
            (method, call) -> {
              if (method.equals("loadModule")) {
                loaded.add(method);
              }
              return call.proceed();
            });
    try (DeviceRuntime gpu =
        RuntimeOverDriver.open(
            recording,
            RuntimeOptions.defaults().withKernelFolders(first).withUncheckedBinaries(true))) {
      LoadedModule.of(gpu.streams().acquire(), image)
          .recorder(KernelSignature.entry("inTheBinary").shape("shape"));
    }
    assertThat(loaded).hasSize(1);
    assertThat(opened).isEmpty();
  }

  @Test
  void anUncomparedBinaryIsLookedForOnlyWhenAllowed() throws IOException {
    put(first, "kernels/vector.ptx", ptx("inTheFirst"));
    put(first, "kernels/vector.sm_90.cubin", ptx("inTheBinary"));
    assertLoaded("inTheFirst");
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withKernelFolders(first).withUncheckedBinaries(true))) {
      LoadedModule.of(gpu.streams().acquire(), image)
          .recorder(KernelSignature.entry("inTheBinary").shape("shape"));
    }
  }

  @Test
  void aBrokenFileInAFolderIsRefusedAndTheModuleBehindItIsNotLoaded() throws IOException {
    put(first, "kernels/vector.ptx", "no PTX at all".getBytes(UTF_8));
    put(second, "kernels/vector.ptx", ptx("inTheSecond"));
    classPath.put("/kernels/vector.ptx", ptx("onTheClassPath"));
    String start = first.resolve("kernels/vector.ptx") + ": ";
    assertRefused(start + "the simulated device cannot run it; line 1, ");
    put(first, "kernels/vector.ptx", new byte[0]);
    assertRefused(start + "it is empty");
    Files.delete(first.resolve("kernels/vector.ptx"));
    assertLoaded("inTheSecond");
    assertThat(opened).isEmpty();
  }

  @Test
  void aFileInAFolderThatCannotBeReadIsRefusedWithTheReason() throws IOException {
    classPath.put("/kernels/vector.ptx", ptx("onTheClassPath"));
    Path file = first.resolve("kernels/vector.ptx");
    Files.createDirectories(file);
    assertRefused(file + ": it cannot be read; ");
    Files.delete(file);
    Files.createSymbolicLink(file, first.resolve("kernels/gone.ptx"));
    assertRefused(file + ": it cannot be read; it is a link to no file");
    Files.delete(file);
    assertLoaded("onTheClassPath");
    // What should be a folder is a file, so what lies in it is unknown.
    Files.delete(file.getParent());
    Files.writeString(file.getParent(), "no folder");
    assertRefused(file + ": it cannot be read; ");
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeInAFolderIsNotWaitedFor() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    byte[] ptx = (SourceHash.line(new byte[1]) + PTX.formatted("made")).getBytes(UTF_8);
    put(first, "kernels/vector.ptx", ptx);
    pipe(first.resolve("kernels/vector.cu"));
    assertThat(logOfLoading("made")).isEmpty();
    Path file = first.resolve("kernels/vector.ptx");
    Files.delete(file);
    pipe(file);
    assertRefused(file + ": it cannot be read; it is not a regular file");
  }

  private static void pipe(Path path) throws Exception {
    assertThat(new ProcessBuilder("/usr/bin/mkfifo", path.toString()).start().waitFor()).isZero();
  }

  @Test
  void aFileInAFolderThatDoesNotFitItsInterfaceIsRefusedByName() throws IOException {
    classPath.put("/kernels/vector.ptx", ptx("onTheClassPath"));
    put(first, "kernels/vector.ptx", ptx("inTheFirst"));
    Path file = first.resolve("kernels/vector.ptx");
    try (DeviceRuntime gpu = open()) {
      LoadedModule module = LoadedModule.of(gpu.streams().acquire(), image);
      KernelSignature old = KernelSignature.entry("onTheClassPath").shape("shape");
      assertThatThrownBy(() -> module.recorder(old))
          .isInstanceOf(KernelLoadException.class)
          .hasMessage(file + ": the code has no entry onTheClassPath; it has inTheFirst");
      KernelSignature other =
          KernelSignature.entry("inTheFirst").value("n", int.class).shape("shape");
      assertThatThrownBy(() -> module.recorder(other))
          .isInstanceOf(KernelLoadException.class)
          .hasMessage(file + ": inTheFirst takes 0 parameters; the interface passes 1");
    }
    assertThat(opened).isEmpty();
  }

  /** Asserts that the image is refused with a message that starts like this. */
  private void assertRefused(String start) {
    try (DeviceRuntime gpu = open()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageStartingWith(start);
    }
  }

  @Test
  void aResourceThatTheDeviceRefusesIsSkippedAndLoggedWithItsReason() {
    classPath.put("/kernels/vector.sm_90.cubin", new byte[] {0x7f, 'E', 'L', 'F', 1});
    classPath.put("/kernels/vector.ptx", ptx("onTheClassPath"));
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS);
        DeviceRuntime gpu = openWithBinaries()) {
      LoadedModule.of(gpu.streams().acquire(), image)
          .recorder(KernelSignature.entry("onTheClassPath").shape("shape"));
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("skipped: kernels/vector.sm_90.cubin: ");
    }
  }

  @Test
  void ptxWhoseSourceHasChangedSinceIsLoadedAndLogged() throws IOException {
    byte[] made = "// the source\n".getBytes(UTF_8);
    byte[] ptx = (SourceHash.line(made) + PTX.formatted("made")).getBytes(UTF_8);
    classPath.put("/kernels/vector.ptx", ptx);
    classPath.put("/kernels/vector.cu", made);
    assertThat(logOfLoading("made")).isEmpty();
    classPath.put("/kernels/vector.cu", "// another one\n".getBytes(UTF_8));
    assertThat(logOfLoading("made"))
        .containsExactly(
            "kernels/vector.ptx was made from another version of kernels/vector.cu beside it;"
                + " compile that again");
    put(first, "kernels/vector.ptx", ptx);
    assertThat(logOfLoading("made")).isEmpty();
    put(first, "kernels/vector.cu", "// a third one\n".getBytes(UTF_8));
    assertThat(logOfLoading("made"))
        .singleElement()
        .asString()
        .contains(first.resolve("kernels/vector.cu").toString());
  }

  @Test
  void aSourceThatCannotBeReadOrThatPtxDoesNotStateSaysNothing() {
    byte[] made = "// the source\n".getBytes(UTF_8);
    classPath.put("/kernels/vector.ptx", ptx("unstated"));
    classPath.put("/kernels/vector.cu", made);
    assertThat(logOfLoading("unstated")).isEmpty();
    classPath.put(
        "/kernels/vector.ptx", (SourceHash.line(made) + PTX.formatted("made")).getBytes(UTF_8));
    classPath.put("/kernels/vector.cu", new byte[KernelImage.MAX_BYTES + 1]);
    assertThat(logOfLoading("made")).isEmpty();
  }

  @Test
  void aSourceWhoseOpenerFailsKeepsNoKernelFromBeingLoaded() {
    byte[] ptx = (SourceHash.line(new byte[1]) + PTX.formatted("made")).getBytes(UTF_8);
    KernelImage picky =
        KernelImage.resource(
            "kernels/vector.ptx",
            name -> {
              if (!name.endsWith(".ptx")) {
                throw new IllegalArgumentException("no resource " + name);
              }
              return new ByteArrayInputStream(ptx);
            });
    try (DeviceRuntime gpu = open()) {
      LoadedModule.of(gpu.streams().acquire(), picky)
          .recorder(KernelSignature.entry("made").shape("shape"));
    }
  }

  private List<String> logOfLoading(String entry) {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.KERNELS)) {
      assertLoaded(entry);
      return log.messages();
    }
  }

  private static DeviceRuntime openWithBinaries() {
    return DeviceRuntime.simulated(
        SimulatedDevice.builder().build(), RuntimeOptions.defaults().withUncheckedBinaries(true));
  }

  @Test
  void theRefusalOfEverySourceIsKept() {
    classPath.put("/kernels/vector.sm_90.cubin", new byte[0]);
    classPath.put("/kernels/vector.ptx", "no PTX at all".getBytes(UTF_8));
    try (DeviceRuntime gpu = openWithBinaries()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("2 sources")
          .hasMessageContaining("kernels/vector.sm_90.cubin: it is empty")
          .hasMessageContaining("kernels/vector.ptx: the simulated device cannot run it")
          .satisfies(
              all -> {
                assertThat(all.getCause()).hasMessage("kernels/vector.sm_90.cubin: it is empty");
                assertThat(all.getSuppressed())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .startsWith("kernels/vector.ptx: ");
              });
    }
  }

  @Test
  void whenNoSourceExistsEveryPlaceIsNamed() {
    try (DeviceRuntime gpu = open()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining(first.resolve("kernels/vector.ptx").toString())
          .hasMessageContaining(second.resolve("kernels/vector.ptx").toString())
          .hasMessageEndingWith(", kernels/vector.ptx");
    }
  }

  @Test
  void aFileAboveTheLimitIsRefusedWithBothNumbers() throws IOException {
    Path file = first.resolve("kernels/vector.ptx");
    Files.createDirectories(file.getParent());
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(ImageSource.MAX_BYTES + 5L);
    }
    try (DeviceRuntime gpu = open()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining(file + ": it has 16777221 bytes; at most 16777216 are read");
    }
  }

  @Test
  void aResourceWithoutAnEndIsReadToTheLimitOnly() {
    AtomicLong read = new AtomicLong();
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            read.incrementAndGet();
            return ' ';
          }

          @Override
          public int read(byte[] into, int from, int length) {
            read.addAndGet(length);
            Arrays.fill(into, from, from + length, (byte) ' ');
            return length;
          }
        };
    KernelImage resource = KernelImage.resource("endless.ptx", name -> endless);
    try (DeviceRuntime gpu = open()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, resource))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("endless.ptx: it has at least 16777217 bytes; at most 16777216");
    }
    assertThat(read).hasValue(ImageSource.MAX_BYTES + 1L);
  }

  @Test
  void anEmptyImageInMemoryIsRefused() {
    KernelImage empty = KernelImage.of("empty.ptx", new byte[0]);
    try (DeviceRuntime gpu = open()) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, empty))
          .isInstanceOf(KernelLoadException.class)
          .hasMessage("empty.ptx: it is empty");
    }
  }

  @Test
  void aLinkOutOfTheFolderIsNotFollowed() throws IOException {
    put(second, "elsewhere.ptx", ptx("elsewhere"));
    Files.createDirectories(first.resolve("kernels"));
    Files.createSymbolicLink(first.resolve("kernels/vector.ptx"), second.resolve("elsewhere.ptx"));
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withKernelFolders(first))) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("outside of " + first);
    }
  }
}
