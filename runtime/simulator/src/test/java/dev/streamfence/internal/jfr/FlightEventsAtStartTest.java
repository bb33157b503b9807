package dev.streamfence.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.driver.jcuda.Shell;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.trace.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of programs in a process of their own. */
final class FlightEventsAtStartTest {
  /** All but that of a shortage of staging memory, which the staging pool's test asks for alone. */
  private static final List<String> EVENTS_OF_PROGRAMS =
      FlightEventsTest.EVENTS.stream().filter(event -> !event.equals("StagingShortage")).toList();

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

  /** Records one kind of event after the other, each alone, and prints those that it has found. */
  static final class OneByOne {
    private OneByOne() {}

    public static void main(String[] arguments) throws IOException {
      for (String event : EVENTS_OF_PROGRAMS) {
        Path file = Files.createTempFile(event, ".jfr");
        try (Recording recording = new Recording()) {
          recording.enable(FlightEvents.PREFIX + event).withoutThreshold();
          recording.start();
          EventPrograms.of(event).run();
          recording.stop();
          recording.dump(file);
        }
        RecordingFile.readAllEvents(file).stream()
            .map(found -> found.getEventType().getName())
            .distinct()
            .forEach(System.out::println);
      }
    }
  }

  /** In a process of its own because JDK 17 loses texts of earlier recordings. */
  @Test
  void anEventIsRecordedIfItAloneIsAskedFor(@TempDir Path folder) {
    assertThat(Shell.java(folder.toString(), OneByOne.class).run().lines())
        .containsAll(
            EVENTS_OF_PROGRAMS.stream().map(event -> FlightEvents.PREFIX + event).toList());
  }
}
