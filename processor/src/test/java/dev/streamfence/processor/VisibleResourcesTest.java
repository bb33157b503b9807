package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only regular files are read; reading anything else may never end. */
class VisibleResourcesTest {
  private static final String KERNELS =
      "@KernelModule(\"k.ptx\")\ninterface Kernels { @Kernel void run(@ThreadCount int n); }";

  @TempDir private Path folder;

  private void isUnseen() {
    for (List<String> options :
        List.of(List.<String>of(), List.of("-Astreamfence.resources=" + folder))) {
      Mistakes found =
          assertTimeoutPreemptively(
              Duration.ofSeconds(120),
              () -> Mistakes.in(Resources.in(folder), options, Sources.importing(KERNELS)));
      found.say("[" + Problem.UNSEEN_MODULE.id() + "]");
    }
  }

  private static void pipe(Path path) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    assertThat(new ProcessBuilder("/usr/bin/mkfifo", path.toString()).start().waitFor()).isZero();
  }

  @Test
  void aPipeIsNotRead() throws Exception {
    pipe(folder.resolve("k.ptx"));

    isUnseen();
  }

  @Test
  void aFolderIsNotRead() throws Exception {
    Files.createDirectory(folder.resolve("k.ptx"));

    isUnseen();
  }

  @Test
  void aDeviceIsNotRead() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/zero")));
    Files.createSymbolicLink(folder.resolve("k.ptx"), Path.of("/dev/zero"));

    isUnseen();
  }

  @Test
  void aSourceThatIsAPipeIsNotRead() throws Exception {
    pipe(folder.resolve("k.cu"));
    Resources visible =
        Resources.in(folder)
            .with(
                "k.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n.entry run() { ret; }\n");

    assertTimeoutPreemptively(
            Duration.ofSeconds(120), () -> Mistakes.in(visible, Sources.importing(KERNELS)))
        .say("[" + Problem.PARAMETER_COUNT.id() + "]");
  }

  @Test
  void aLinkToAFileIsRead() throws Exception {
    Path text =
        Files.writeString(
            folder.resolve("other"),
            ".version 7.0\n.target sm_75\n.address_size 64\n.entry run(.param .u32 n) { ret; }\n");
    Files.createSymbolicLink(folder.resolve("k.ptx"), text);

    Mistakes.in(Resources.in(folder), Sources.importing(KERNELS)).areNoneAtAll();
  }
}
