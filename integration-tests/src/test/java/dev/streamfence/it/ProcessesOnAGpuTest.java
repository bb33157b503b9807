package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.it.ExitingProcess.Way;
import dev.streamfence.it.FaultingProcess.Fault;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that need a process of their own: faults, ends, and the very first call. */
@Tag("gpu")
@Tag("provokes-driver-errors")
@Timeout(120)
final class ProcessesOnAGpuTest {
  private static final long LONGEST_SECONDS = 10;

  /** A process that has ended. */
  private record Ended(int status, List<String> lines) {
    List<String> linesOf(String what) {
      return lines.stream().filter(line -> line.startsWith(what)).toList();
    }
  }

  @BeforeAll
  static void requireGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  private static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.library.path=" + System.getProperty("java.library.path"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static BiConsumer<Process, Throwable> end(Process process) {
    return (ended, late) -> {
      if (late != null) {
        process.destroyForcibly();
      }
    };
  }

  private static Ended run(Class<?> main, String... arguments) throws Exception {
    Process process = start(main, arguments);
    try {
      // Ends a process that hangs, and with it the reading below.
      process.onExit().orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS).whenComplete(end(process));
      List<String> lines = process.inputReader(UTF_8).lines().toList();
      assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
      return new Ended(process.exitValue(), lines);
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFaultNamesItsLaunchAndThenEverythingFailsFastAndCloses(Fault fault) throws Exception {
    long begun = System.nanoTime();
    Ended ended = run(FaultingProcess.class, fault.name(), "false");
    assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
        .isLessThan(LONGEST_SECONDS);
    assertThat(ended.status()).as(ended.lines().toString()).isZero();
    assertThat(ended.linesOf("fault "))
        .singleElement()
        .asString()
        .startsWith("fault " + code(fault) + ":")
        .contains(kernel(fault) + " on stream 1")
        // The work that is at fault leads, and the call that noticed it comes after that.
        .containsPattern(
            "^fault \\d+: (\\w+ on stream 1 |one of these )[^;]*failed with CUDA_ERROR_")
        .contains("; noticed by cu");
    assertThat(ended.linesOf("later "))
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).startsWith("later " + code(fault) + ":"));
    assertThat(ended.lines()).contains("health LOST", "closed");
    assertThat(ended.linesOf("not reopened: "))
        .singleElement()
        .asString()
        .contains("(" + code(fault) + ")");
  }

  @ParameterizedTest
  @EnumSource
  void aSynchronousLaunchThrowsItsOwnFault(Fault fault) throws Exception {
    Ended ended = run(FaultingProcess.class, fault.name(), "true");
    assertThat(ended.status()).as(ended.lines().toString()).isZero();
    assertThat(ended.linesOf("fault "))
        .hasSize(2)
        .first()
        .asString()
        .contains("the launch of " + kernel(fault));
    assertThat(ended.lines()).contains("closed");
  }

  /** The codes that the driver documents for the faults; a trap is an illegal instruction. */
  private static String code(Fault fault) {
    return switch (fault) {
      case STORE_NOWHERE -> "700";
      case TRAP -> "719";
      case ASSERTION -> "710";
      case MISALIGNED -> "716";
    };
  }

  private static String kernel(Fault fault) {
    return switch (fault) {
      case STORE_NOWHERE -> "storeNowhere";
      case TRAP -> "trap";
      case ASSERTION -> "assertion";
      case MISALIGNED -> "misaligned";
    };
  }

  @ParameterizedTest
  @EnumSource
  void aProcessEndsWithWorkInFlight(Way way) throws Exception {
    Process process = start(ExitingProcess.class, way.name());
    try {
      process.onExit().orTimeout(3 * LONGEST_SECONDS, TimeUnit.SECONDS).whenComplete(end(process));
      BufferedReader output = process.inputReader(UTF_8);
      List<String> lines = new ArrayList<>();
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        if (line.equals("in flight")) {
          break;
        }
      }
      assertThat(lines).contains("in flight");
      long begun = System.nanoTime();
      if (way == Way.KILLED) {
        process.destroy();
      } else {
        output.lines().forEach(lines::add);
      }
      assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
          .isLessThan(LONGEST_SECONDS);
      int terminated = 128 + 15;
      assertThat(process.exitValue())
          .as(lines.toString())
          .isEqualTo(
              switch (way) {
                case RETURN -> 0;
                case EXIT -> 3;
                case KILLED -> terminated;
                case OUT_OF_MEMORY -> 1;
              });
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void theFirstThreadsAllGetTheSameSharedRuntime() throws Exception {
    Ended ended = run(ColdStartProcess.class);
    assertThat(ended.lines()).contains("1 runtimes, 1024 bytes, then 0");
  }
}
