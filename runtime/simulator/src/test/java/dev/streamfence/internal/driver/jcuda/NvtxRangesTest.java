package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.internal.driver.HostRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ranges of NVTX, in processes with a library that writes down its calls. */
final class NvtxRangesTest {
  private static final String LIBRARY =
      """
      #include <stdio.h>
      int nvtxRangePushA(const char *name) { printf("push %s\\n", name); fflush(stdout); return 0; }
      int nvtxRangePop(void) { printf("pop\\n"); fflush(stdout); return 0; }
      """;

  @TempDir private Path folder;

  /** What the processes run. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      HostRanges ranges = NvtxRanges.find();
      if (ranges == null) {
        System.out.println("no ranges");
      } else {
        ranges.push("Vectors.addOne");
        ranges.pop();
      }
    }
  }

  @BeforeEach
  void build() throws IOException {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && Files.isExecutable(Path.of("/usr/bin/gcc")),
        "the stand-in of the library needs gcc on Linux");
    Files.writeString(folder.resolve("nvtx.c"), LIBRARY);
    new Shell(List.of("gcc", "-shared", "-fPIC", "-o", "libnvtx3interop.so.1", "nvtx.c"))
        .in(folder)
        .run();
  }

  private Shell program(String... flags) {
    return Shell.java(folder.toString(), Program.class, flags).linkingFrom(folder);
  }

  @Test
  void underAProfilerTheLibraryGetsTheRanges() {
    assertThat(program().with("NVTX_INJECTION64_PATH", "/a/profiler.so").run().lines())
        .containsExactly("push Vectors.addOne", "pop");
  }

  @Test
  void aPropertyTurnsTheRangesOn() {
    assertThat(program("-Dstreamfence.nvtx=true").run().lines())
        .containsExactly("push Vectors.addOne", "pop");
  }

  @Test
  void withoutAProfilerTheLibraryIsNotLoaded() {
    assertThat(program().run().lines()).containsExactly("no ranges");
  }

  @Test
  void aMissingLibraryFailsNothing() {
    assertThat(NvtxRanges.load(List.of("libnone.so.1", "libnone.so.2"))).isNull();
  }
}
