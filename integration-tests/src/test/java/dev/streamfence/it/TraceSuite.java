package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a trace tells of work on a device, with measured times. */
abstract class TraceSuite {
  private static final int N = 1 << 12;
  private static final int LAUNCHES = 20;

  private final Trace trace = Trace.inMemory(10_000);
  private DeviceRuntime gpu;
  private DeviceStream a;
  private DeviceStream b;

  abstract DeviceRuntime open(RuntimeOptions options);

  @BeforeEach
  void openDevice() {
    gpu = open(RuntimeOptions.defaults().withTrace(trace).withDeviceTimes(true));
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }

  private List<TracedWork> launches() {
    return trace.works().stream().filter(work -> work.kind() == WorkKind.LAUNCH).toList();
  }

  /** Launches on two streams in turns over one array, so that each waits for the one before. */
  private void pingPong() {
    SuiteKernels onA = SuiteKernelsLauncher.on(a);
    SuiteKernels onB = SuiteKernelsLauncher.on(b);
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[N], "values")) {
      for (int i = 0; i < LAUNCHES / 2; i++) {
        onA.increment(values, N);
        onB.increment(values, N);
      }
      gpu.synchronize();
    }
  }

  @Test
  void workThatWaitsBeginsAfterTheEndOfWhatItWaitsFor() {
    pingPong();
    List<TracedWork> launches = launches();
    assertThat(launches).hasSize(LAUNCHES).allMatch(launch -> launch.execution() != null);
    for (int i = 1; i < LAUNCHES; i++) {
      TracedWork launch = launches.get(i);
      assertThat(launch.dependencies())
          .singleElement()
          .satisfies(each -> assertThat(each.satisfied()).isEqualTo(Satisfied.BY_WAIT));
      // The driver rounds times to half a microsecond.
      assertThat(launch.span().startNanos())
          .isGreaterThan(launches.get(i - 1).span().endNanos() - 1_000);
    }
  }

  @Test
  void theDevicesTimesFitTheHosts() {
    pingPong();
    TraceSpan last = launches().get(LAUNCHES - 1).span();
    for (TracedWork launch : launches()) {
      assertThat(launch.span().durationNanos()).isBetween(500L, 1_000_000_000L);
      // The two clocks are related when the runtime opens, to some tens of microseconds.
      assertThat(launch.span().startNanos())
          .isGreaterThan(launch.submission().startNanos() - 200_000);
    }
    gpu.memory().allocateZeroed(a, int[].class, 1);
    TracedWork later = trace.works().get(trace.works().size() - 1);
    assertThat(later.submission().endNanos()).isGreaterThan(last.endNanos() - 200_000);
  }

  @Test
  void theTimesOfAKernelAreSummedUp() {
    pingPong();
    KernelTime times = gpu.kernelTimes().get(0);
    assertThat(times.kernel()).isEqualTo("SuiteKernels.increment");
    assertThat(times.launches()).isEqualTo(LAUNCHES);
    long sum = launches().stream().mapToLong(launch -> launch.span().durationNanos()).sum();
    assertThat(times.total().toNanos()).isEqualTo(sum);
    assertThat(times.longest()).isLessThanOrEqualTo(times.total());
  }

  @Test
  void copiesAndFillsAreMeasured() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[1 << 20])) {
      values.fill(a, 7);
      values.copy(a).close();
      values.download(a);
    }
    gpu.synchronize();
    assertThat(trace.works())
        .filteredOn(work -> work.execution() != null)
        .extracting(TracedWork::kind)
        .contains(WorkKind.UPLOAD, WorkKind.FILL, WorkKind.COPY, WorkKind.DOWNLOAD);
  }

  @Test
  void aRunMayBeLongerThanTheDriversTimesAreExact() throws InterruptedException {
    SuiteKernels kernels = SuiteKernelsLauncher.on(a);
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[N])) {
      for (int i = 0; i < 4; i++) {
        kernels.increment(values, N);
        gpu.synchronize();
        Thread.sleep(400);
      }
    }
    List<TracedWork> launches = launches();
    long host =
        launches.get(3).submission().startNanos() - launches.get(0).submission().startNanos();
    long device = launches.get(3).span().startNanos() - launches.get(0).span().startNanos();
    assertThat(Math.abs(device - host)).isLessThan(50_000_000);
  }

  @Test
  void thePageAndTheChromeTraceAreWritten(@TempDir Path folder) throws IOException {
    pingPong();
    trace.writeHtml(folder.resolve("trace.html"));
    trace.writeChromeJson(folder.resolve("trace.json"));
    assertThat(Files.readString(folder.resolve("trace.html"))).startsWith("<!DOCTYPE html>");
    assertThat(Files.readString(folder.resolve("trace.json"))).contains("\"traceEvents\":[");
  }
}
