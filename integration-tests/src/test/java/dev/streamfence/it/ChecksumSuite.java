package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random programs of many threads and of many fresh processes come to the checksums that Java
 * computes one step after the other. A failure names the seed.
 */
@Tag("launches-in-threads")
abstract class ChecksumSuite {
  private static final int THREADS = 8;
  private static final long FIRST_SEED = Long.getLong("streamfence.checksum.seed", 1);

  abstract DeviceRuntime open(RuntimeOptions options);

  /** The first argument of a {@link ChecksumProcess}. */
  abstract String device();

  abstract int elements();

  /** How many programs of each kind a thread runs. */
  abstract int programs();

  /** How many processes run at the same time, and each how many programs of each kind. */
  abstract int processes();

  @Test
  void everyThreadComesToTheChecksumsOfASerialRun() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try (DeviceRuntime gpu = open(RuntimeOptions.defaults().withStreams(3 * THREADS))) {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        long first = FIRST_SEED + (long) thread * programs();
        tasks.add(
            () -> {
              start.await();
              for (long seed = first; seed < first + programs(); seed++) {
                requireChecksums(gpu, seed);
              }
              return null;
            });
      }
      for (Future<Void> done : executor.invokeAll(tasks)) {
        done.get();
      }
      gpu.synchronize();
      gpu.memory().reap();
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    } finally {
      executor.shutdownNow();
    }
  }

  private void requireChecksums(DeviceRuntime gpu, long seed) {
    for (ChecksumProgram program : ChecksumProgram.values()) {
      assertThat(program.checksum(gpu, elements(), seed))
          .as("%s, -Dstreamfence.checksum.seed=%d", program, seed)
          .isEqualTo(program.expected(elements(), seed));
    }
  }

  @Test
  void everyFreshProcessComesToTheChecksumsOfASerialRun() throws Exception {
    int each = 4;
    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < processes(); i++) {
        processes.add(start(each, FIRST_SEED + (long) i * each));
      }
      for (int i = 0; i < processes(); i++) {
        long first = FIRST_SEED + (long) i * each;
        List<String> expected = new ArrayList<>();
        for (long seed = first; seed < first + each; seed++) {
          for (ChecksumProgram program : ChecksumProgram.values()) {
            expected.add(program + " " + seed + " " + program.expected(elements(), seed));
          }
        }
        expected.add("outstanding 0");
        Process process = processes.get(i);
        List<String> lines = process.inputReader(UTF_8).lines().toList();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(lines).as("-Dstreamfence.checksum.seed=%d", first).isEqualTo(expected);
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private Process start(int programs, long seed) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.library.path=" + System.getProperty("java.library.path"),
            "-cp",
            System.getProperty("java.class.path"),
            ChecksumProcess.class.getName(),
            device(),
            String.valueOf(elements()),
            String.valueOf(programs),
            String.valueOf(seed))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
