package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.corpus.Effort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The program that runs beside PyTorch and CuPy on a GPU, with stand-ins for both. Python starts
 * the Java virtual machine in its own process, as it does there.
 */
final class PeersOnTheSimulatedDeviceTest {
  /** Of each check, in a process that has just begun to run. */
  private static final String ROUNDS = Integer.toString(Effort.of(5, 20));

  private record Ended(int status, List<String> lines) {}

  private static Ended run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", "-B", "src/bundle/peers"));
    command.addAll(List.of("--java", System.getProperty("java.home")));
    command.addAll(List.of("--class-path", absoluteClassPath(), "--limit", "120"));
    command.addAll(List.of(arguments));
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      assumeTrue(false, "python3 is not installed");
      throw e;
    }
    try {
      List<String> lines = process.inputReader(UTF_8).lines().toList();
      return new Ended(process.waitFor(), lines);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String absoluteClassPath() {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(":", -1)) {
      entries.add(Path.of(entry).toAbsolutePath().toString());
    }
    return String.join(":", entries);
  }

  private static IntStream seeds() {
    return IntStream.range(0, Effort.of(1, 2));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void tensorsAreExchangedInOrderAndAMissingFenceShows(int seed) throws Exception {
    Ended ended = run("--simulated", Integer.toString(seed), "--rounds", ROUNDS);
    assertThat(ended.status()).as(String.join("\n", ended.lines())).isZero();
    assertThat(ended.lines().get(ended.lines().size() - 1))
        .matches("peers: [2-9]\\d checks, 0 failed");
  }

  @Test
  void aCheckThatDoesNotRunIsNoSuccess() throws Exception {
    Ended ended = run("--simulated", "0", "--only", "of another planet");
    assertThat(ended.lines()).containsExactly("peers: 0 checks, 0 failed");
    assertThat(ended.status()).isEqualTo(1);
  }
}
