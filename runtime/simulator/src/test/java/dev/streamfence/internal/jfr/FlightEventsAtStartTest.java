package dev.streamfence.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.jcuda.Shell;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.trace.Trace;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the events cost a program that records none, in a process of its own. */
final class FlightEventsAtStartTest {
  /** What the process runs. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      try (DeviceRuntime gpu = DeviceRuntime.simulated();
          DeviceStream a = gpu.streams().acquire();
          DeviceArray<int[]> x = gpu.memory().upload(a, new int[] {1})) {
        VectorKernels.on(a).increment(x, 1);
        System.out.println("result " + x.download(a)[0]);
      }
    }
  }

  @Test
  void aProgramThatRecordsNothingLoadsNoEvent(@TempDir Path folder) {
    assertThat(Shell.java(folder.toString(), Program.class, "-Xlog:class+load").run())
        .contains("result 2", "dev.streamfence.internal.jfr.FlightEvents ")
        .doesNotContain("dev.streamfence.internal.jfr.KernelLaunchEvent", "jdk.jfr.internal.Type");
  }

  @Test
  void aProgramThatIsRecordedHasEvents(@TempDir Path folder) {
    String recording =
        "-XX:StartFlightRecording:filename="
            + folder.resolve("run.jfr")
            + ",settings=default,settings="
            + Path.of("../streamfence.jfc").toAbsolutePath();
    assertThat(Shell.java(folder.toString(), Program.class, recording).run()).contains("result 2");
    assertThat(Trace.ofFlightRecording(folder.resolve("run.jfr")).works())
        .extracting(work -> work.name())
        .contains("upload", "increment", "download");
  }
}
