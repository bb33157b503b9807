package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The simulated device finds two threads of a launch that access the same bytes without an order,
 * whatever order it ran them in itself; and it finds nothing in kernels that order their threads.
 */
final class ThreadRacesTest {
  private static final String FILE = "kernels/threads.ptx";
  private static final String PTX = text();
  private static final int LENGTH = 1024;

  /** The kernels of which all blocks run at the same time. */
  private static final Set<String> TOGETHER =
      Set.of("grid_barrier", "block_for_grid", "later_block_first");

  /** A right kernel, and what it computes from the input {@code i -> input(i)}. */
  private enum Ordered {
    HISTOGRAM(256, LaunchShape.of(4, 64), k -> (int) inputs(256).filter(v -> v == k).count(), 16),
    BLOCK_SUM(512, LaunchShape.of(4, 128), k -> sum(k * 128, 128), 4),
    WARP_SUM(256, LaunchShape.of(2, 128), k -> sum(k * 32, 32), 8),
    HALF_WARPS(256, LaunchShape.of(2, 128), k -> sum(k * 16, 16), 16),
    DOUBLE_BUFFER(256, LaunchShape.of(2, 128), k -> input(k / 128 * 128 + (k + 8) % 128), 256),
    TRANSPOSE(32, LaunchShape.of(2, 2, 16, 16), k -> input(k % 32 * 32 + k / 32), 1024),
    LOOK_BACK(500, LaunchShape.of(4, 128), k -> sum(0, k + 1), 500),
    HAND_OVER(8, LaunchShape.of(8, 64), k -> k, 8),
    HINTED_POLL(8, LaunchShape.of(8, 64), k -> k, 8),
    LOCKED(8, LaunchShape.of(2, 64), k -> 4, 1),
    LAST_BLOCK(500, LaunchShape.of(4, 128), k -> sum(0, 500), 1),
    PERSISTENT(300, LaunchShape.of(2, 64), k -> 2 * input(k), 300),
    NAMED_BARRIERS(256, LaunchShape.of(1, 128), k -> input(k / 64 * 64 + 63 - k % 64), 256),
    GRID_BARRIER(256, LaunchShape.of(4, 64), k -> input((k + 100) % 256), 256),
    BLOCK_SCOPE(256, LaunchShape.of(4, 64), k -> sum(k * 64, 64), 4),
    CHECK_THEN_SWAP(256, LaunchShape.of(4, 64), k -> largest(256), 1),
    NARROW_FLAGS(256, LaunchShape.of(2, 64), k -> input(3), 2);

    private final int n;
    private final LaunchShape shape;
    private final IntUnaryOperator expected;
    private final int results;

    Ordered(int n, LaunchShape shape, IntUnaryOperator expected, int results) {
      this.n = n;
      this.shape = shape;
      this.expected = expected;
      this.results = results;
    }

    String entry() {
      return name().toLowerCase(Locale.ROOT);
    }

    int[] expected() {
      return IntStream.range(0, results).map(expected).toArray();
    }
  }

  private static int input(int i) {
    return (i * 7 + i / 5) % 16;
  }

  private static IntStream inputs(int count) {
    return IntStream.range(0, count).map(ThreadRacesTest::input);
  }

  private static int sum(int from, int count) {
    return IntStream.range(from, from + count).map(ThreadRacesTest::input).sum();
  }

  private static int largest(int count) {
    return IntStream.range(0, count).map(i -> input(i) + i).max().orElseThrow();
  }

  private static String text() {
    try (InputStream file = ThreadRacesTest.class.getResourceAsStream("/" + FILE)) {
      return new String(file.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private record Outcome(List<Finding> findings, int[] out) {}

  private static Outcome run(SimulatedDevice device, String ptx, Ordered kernel) {
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> in = gpu.memory().upload(stream, inputs(LENGTH).toArray());
        DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, LENGTH);
        DeviceArray<int[]> state = gpu.memory().allocateZeroed(stream, int[].class, LENGTH)) {
      launch(stream, ptx, kernel.entry(), kernel.shape, in, out, int[].class, state, kernel.n);
      int[] result = out.download(stream);
      return new Outcome(device.findings(), Arrays.copyOf(result, kernel.results));
    }
  }

  private static void launch(
      DeviceStream stream,
      String ptx,
      String entry,
      LaunchShape shape,
      DeviceArray<int[]> in,
      DeviceArray<?> out,
      Class<?> type,
      DeviceArray<int[]> state,
      int n) {
    KernelSignature signature =
        KernelSignature.entry(entry)
            .reads("in", int[].class)
            .readWrites("out", type)
            .readWrites("state", int[].class)
            .value("n", int.class)
            .shape("shape");
    LoadedModule module =
        LoadedModule.of(stream, KernelImage.of("threads.ptx", ptx.getBytes(UTF_8)));
    boolean together = TOGETHER.contains(entry);
    try (LaunchRecorder recorder =
        module.recorder(together ? signature.cooperative() : signature).begin()) {
      recorder
          .array(in)
          .array(out)
          .array(state)
          .value(n)
          .shape(shape)
          .preflight()
          .launch()
          .commit();
    }
  }

  private static SimulatedDevice collecting() {
    SimulatedDevice device = SimulatedDevice.builder().instructionsPerLaunch(3_000_000).build();
    device.collectFindings();
    return device;
  }

  @ParameterizedTest
  @EnumSource
  void threadsThatABarrierOrAReleaseOrdersAreNotReported(Ordered kernel) {
    Outcome outcome = run(collecting(), PTX, kernel);
    assertThat(outcome.findings()).isEmpty();
    assertThat(outcome.out()).isEqualTo(kernel.expected());
  }

  /** A kernel in which one instruction is left out or weakened. */
  private record Mistake(Ordered kernel, int line, String was, String now) {
    String ptx() {
      String[] lines = PTX.split("\n", -1);
      lines[line] = now;
      return String.join("\n", lines);
    }

    @Override
    public String toString() {
      return kernel + " line " + (line + 1) + ": " + was.strip() + " -> " + now.strip();
    }
  }

  private static final Pattern BARRIER =
      Pattern.compile("\\s(bar\\.(sync|warp\\.sync|arrive)|barrier\\.|membar\\.|fence\\.).*");
  private static final Pattern ADD =
      Pattern.compile("\\s*atom\\.global(?:\\.cta)?\\.add\\.u32\\s+(%r\\d+), (\\[.*\\]), (\\S+);");

  private static int firstLine(String[] lines, Ordered kernel) {
    return IntStream.range(0, lines.length)
        .filter(i -> lines[i].startsWith(".visible .entry " + kernel.entry() + "("))
        .findFirst()
        .orElseThrow();
  }

  /** Each order of a kernel left out or weakened, one at a time. */
  static Stream<Mistake> mistakes() {
    String[] lines = PTX.split("\n", -1);
    List<Mistake> mistakes = new ArrayList<>();
    for (Ordered kernel : Ordered.values()) {
      for (int line = firstLine(lines, kernel); !lines[line].equals("}"); line++) {
        String was = lines[line];
        if (BARRIER.matcher(was).matches()) {
          mistakes.add(new Mistake(kernel, line, was, ""));
        }
        Matcher add = ADD.matcher(was);
        if (add.matches()) {
          String at = add.group(2);
          mistakes.add(
              new Mistake(
                  kernel,
                  line,
                  was,
                  "{ .reg .b32 %sum; ld.global.u32 "
                      + (add.group(1) + ", " + at + "; add.u32 %sum, " + add.group(1) + ", ")
                      + (add.group(3) + "; st.global.u32 " + at + ", %sum; }")));
        }
        for (String[] weaker :
            new String[][] {
              {"membar.gl", "membar.cta"},
              {"atom.global.", "atom.global.cta."},
              {"ld.acquire.gpu", "ld.acquire.cta"},
              {"ld.acquire.gpu", "ld.relaxed.gpu"},
              {"st.release.gpu", "st.release.cta"},
              {"st.release.gpu", "st.relaxed.gpu"},
              {"ld.volatile.global", "ld.global"},
              {"st.volatile.global", "st.global"},
              {"ld.global.cg", "ld.global"},
              {"st.global.cg", "st.global"}
            }) {
          if (was.contains(weaker[0]) && !was.contains("atom.global.cta")) {
            mistakes.add(new Mistake(kernel, line, was, was.replace(weaker[0], weaker[1])));
          }
        }
      }
    }
    return mistakes.stream();
  }

  /** After the last barrier of these, no thread reads what another one has written. */
  private static final Set<Ordered> LAST_BARRIER_NEEDLESS =
      Set.of(Ordered.WARP_SUM, Ordered.HALF_WARPS, Ordered.DOUBLE_BUFFER);

  private static Stream<Mistake> mistakesThatMatter() {
    List<Mistake> all = mistakes().toList();
    return all.stream()
        .filter(
            mistake ->
                !LAST_BARRIER_NEEDLESS.contains(mistake.kernel())
                    || all.stream()
                        .anyMatch(
                            other ->
                                other.kernel() == mistake.kernel()
                                    && other.line() > mistake.line()));
  }

  @ParameterizedTest
  @MethodSource("mistakesThatMatter")
  void everyOrderThatIsLeftOutOrWeakenedIsFound(Mistake mistake) {
    try {
      assertThat(run(collecting(), mistake.ptx(), mistake.kernel()).findings())
          .extracting(Finding::kind)
          .containsAnyOf(Kind.THREADS_READ_WRITE, Kind.THREADS_WRITE_WRITE)
          .isSubsetOf(Kind.THREADS_READ_WRITE, Kind.THREADS_WRITE_WRITE, Kind.THREADS_SAME_VALUE);
    } catch (CudaDriverException e) {
      // A barrier that misses some of its threads is an error of its own.
      assertThat(e).hasMessageContaining("deadlocks at a barrier");
    }
  }

  private static final Pattern SHARED =
      Pattern.compile("(\\s*(?:ld|st)\\.shared\\..*\\[%r\\d+)(?:\\+(\\d+))?(\\].*)");

  /**
   * What {@code compute-sanitizer --tool racecheck} 2025.3 says on an H200 when one access to
   * shared memory is shifted by an element, for each access of a kernel in its order in the file: a
   * race (+), none (-), or the access leaves its memory (x).
   */
  private static final Map<Ordered, String> RACECHECK =
      Map.of(
          Ordered.BLOCK_SUM, "-+-+",
          Ordered.WARP_SUM, "++++-++-++-++-++-",
          Ordered.HALF_WARPS, "++++-++-++-++-",
          Ordered.DOUBLE_BUFFER, "-+xx-+xx-+xx-+xx--",
          Ordered.TRANSPOSE, "--",
          Ordered.LOOK_BACK, "--++--",
          Ordered.LAST_BLOCK, "x---x-");

  private static List<Mistake> shifts(Ordered kernel) {
    List<Mistake> shifts = new ArrayList<>();
    String[] lines = PTX.split("\n", -1);
    for (int line = firstLine(lines, kernel); !lines[line].equals("}"); line++) {
      Matcher access = SHARED.matcher(lines[line]);
      if (access.matches()) {
        int offset = access.group(2) == null ? 0 : Integer.parseInt(access.group(2));
        String now = access.group(1) + "+" + (offset + Integer.BYTES) + access.group(3);
        shifts.add(new Mistake(kernel, line, lines[line], now));
      }
    }
    return shifts;
  }

  private static char verdict(Mistake shift) {
    try {
      return run(collecting(), shift.ptx(), shift.kernel()).findings().isEmpty() ? '-' : '+';
    } catch (CudaDriverException e) {
      assertThat(e).hasMessageContaining("reaches outside the");
      return 'x';
    }
  }

  private static Stream<Ordered> shifted() {
    return RACECHECK.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("shifted")
  void aShiftedIndexIsARaceWhereItIsOneForRacecheck(Ordered kernel) {
    StringBuilder verdicts = new StringBuilder();
    shifts(kernel).forEach(shift -> verdicts.append(verdict(shift)));
    assertThat(verdicts).hasToString(RACECHECK.get(kernel));
  }

  private static List<Finding> findingsOf(SimulatedDevice device, String entry, int n) {
    return findingsOf(device, entry, LaunchShape.of(4, 256), n);
  }

  private static List<Finding> findingsOf(
      SimulatedDevice device, String entry, LaunchShape shape, int n) {
    return findingsOf(device, PTX, entry, shape, n);
  }

  private static List<Finding> findingsOf(
      SimulatedDevice device, String ptx, String entry, LaunchShape shape, int n) {
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> in = gpu.memory().upload(stream, inputs(LENGTH).toArray());
        DeviceArray<int[]> out = gpu.memory().allocate(stream, int[].class, LENGTH, "bins");
        DeviceArray<int[]> state = gpu.memory().allocateZeroed(stream, int[].class, LENGTH)) {
      out.fill(stream, 0);
      launch(stream, ptx, entry, shape, in, out, int[].class, state, n);
      stream.synchronize();
      return device.findings();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateWithoutAnAtomicStepIsFoundOnEverySchedule(Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).build();
    device.collectFindings();
    assertThat(findingsOf(device, "lost_updates", 1000))
        .extracting(Finding::kind)
        .contains(Kind.THREADS_READ_WRITE, Kind.THREADS_WRITE_WRITE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "block_for_grid",
        "later_block_first",
        "failing_swap",
        "hinted_store",
        "hinted_load"
      })
  void blocksThatNothingOrdersAreFoundWhicheverRunsFirst(String entry) {
    assertThat(findingsOf(collecting(), entry, 1000))
        .extracting(Finding::kind)
        .contains(Kind.THREADS_READ_WRITE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exited_after_arrival", "exited_warp", "exited_lanes"})
  void threadsThatHaveExitedMeetNoOthers(String entry) {
    assertThat(findingsOf(collecting(), entry, 1000))
        .extracting(Finding::kind)
        .contains(Kind.THREADS_READ_WRITE);
  }

  @Test
  void aFindingEndsTheDeviceAndNamesBothThreadsAndBothLines() {
    RacyAccessException thrown =
        catchThrowableOfType(
            RacyAccessException.class,
            () -> findingsOf(SimulatedDevice.builder().build(), "shift_in_place", 1000));

    assertThat(thrown.kind()).isEqualTo(Kind.THREADS_READ_WRITE);
    assertThat(thrown.first().thread()).hasToString("thread (0, 0, 0) of block (0, 0, 0)");
    assertThat(thrown.second().thread()).hasToString("thread (1, 0, 0) of block (0, 0, 0)");
    assertThat(thrown.second().parameter()).isEqualTo("out");
    assertThat(thrown)
        .hasMessageMatching(
            "(?s)shift_in_place on stream 1 \\(ticket \\d+\\), thread \\(1, 0, 0\\) of block"
                + " \\(0, 0, 0\\), 'out', int\\[1024\\] in allocation \\d+ 'bins' .*"
                + " \\(st.global.u32 in line \\d+ of threads.ptx, threads.cu:\\d+\\), writes 4 bytes"
                + " at 0x\\w+, which thread \\(0, 0, 0\\) of block \\(0, 0, 0\\) \\(ld.global.u32 in"
                + " line \\d+ of threads.ptx, threads.cu:\\d+\\) reads; nothing orders the two"
                + " \\[THREADS_READ_WRITE\\].*");
  }

  /** Threads whose x is the same update the same element. */
  @ParameterizedTest
  @CsvSource({
    "1,1,1, 2,3,1, 'thread (0, 1, 0) of block (0, 0, 0)'",
    "1,1,1, 2,1,3, 'thread (0, 0, 1) of block (0, 0, 0)'",
    "2,3,1, 2,1,1, 'thread (0, 0, 0) of block (0, 1, 0)'",
    "2,1,3, 2,1,1, 'thread (0, 0, 0) of block (0, 0, 1)'",
    "3,2,2, 1,1,1, 'thread (0, 0, 0) of block (0, 1, 0)'"
  })
  void aFindingNamesThreadsInThreeDimensions(
      int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, String other) {
    LaunchShape shape = new LaunchShape(gridX, gridY, gridZ, blockX, blockY, blockZ, 0);
    List<Finding> findings = findingsOf(collecting(), "lost_updates", shape, 1000);
    assertThat(findings).isNotEmpty();
    for (Finding finding : findings) {
      assertThat(Stream.of(finding.first(), finding.second()).map(each -> "" + each.thread()))
          .containsExactlyInAnyOrder("thread (0, 0, 0) of block (0, 0, 0)", other);
    }
  }

  @Test
  void storesOfTheSameValueAreAWarningOfTheirOwn() {
    SimulatedDevice device = collecting();
    assertThat(findingsOf(device, "same_value", 1000))
        .extracting(Finding::kind)
        .containsExactly(Kind.THREADS_SAME_VALUE);
    assertThatNoException()
        .isThrownBy(() -> findingsOf(SimulatedDevice.builder().build(), "same_value", 1000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"read_then_same_value", "shared_read_then_same_value"})
  void aLoadBesideAStoreOfTheSameValueIsFoundBehindAnotherSuchStore(String entry) {
    assertThat(findingsOf(collecting(), entry, 1000))
        .extracting(Finding::kind)
        .containsExactlyInAnyOrder(Kind.THREADS_SAME_VALUE, Kind.THREADS_READ_WRITE);
  }

  /** The first thread of each warp has its number in {@code %r1}; {@code %rd1} is an array. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the same value first, then another | shr.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;"
            + " | THREADS_SAME_VALUE, THREADS_WRITE_WRITE",
        "one instruction, then two | setp.eq.s32 %p1, %r1, 2; @%p1 bra T; and.b32 %r2, %r1, 2;"
            + " mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;"
            + " bra END; T: st.global.u32 [%rd1+8], 7; | THREADS_WRITE_WRITE, THREADS_WRITE_WRITE",
        "a load and a store of one instruction | setp.eq.s32 %p1, %r1, 0; @%p1 bra T;"
            + " atom.global.add.u32 %r2, [%rd1], 1; bra END; T: st.global.u32 [%rd1], 7;"
            + " | THREADS_READ_WRITE, THREADS_WRITE_WRITE",
      })
  void eachKindOfConflictOfEachPairOfInstructionsIsFound(String what, String code, String kinds) {
    String ptx =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 in,"
            + " .param .u64 out, .param .u64 state, .param .u32 n)\n{ .reg .pred %p<9>;"
            + " .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [out];\n"
            + "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; setp.ne.s32 %p0, %r1, 0; @%p0 bra END;"
            + " shr.u32 %r1, %r0, 5;\n"
            + code
            + "\nEND: ret; }\n";

    assertThat(findingsOf(collecting(), ptx, "k", LaunchShape.of(1, 128), 1))
        .as(what)
        .extracting(Finding::kind)
        .extracting(Kind::name)
        .containsExactlyInAnyOrder(kinds.split(", "));
  }

  @Test
  void bytesSideBySideAreApart() {
    SimulatedDevice device = collecting();
    assertThat(findingsOf(device, "bytes", 1000)).isEmpty();
  }

  @Test
  void sharedMemoryThatNothingWroteIsAnUninitializedReadWhereThatIsChecked() {
    SimulatedDevice device = SimulatedDevice.builder().checkUninitializedReads(true).build();
    device.collectFindings();
    List<Finding> findings = findingsOf(device, "unwritten", 1000);
    assertThat(findings).extracting(Finding::kind).containsExactly(Kind.UNINITIALIZED_READ);
    assertThat(findings.get(0).second().thread())
        .hasToString("thread (0, 0, 0) of block (0, 0, 0)");
    assertThat(findings.get(0).second().argument()).isEqualTo("'part' in shared memory");
    assertThat(findings.get(0)).asString().contains("which no thread of its block has written");
    SimulatedDevice other = collecting();
    assertThat(findingsOf(other, "unwritten", 1000))
        .extracting(Finding::kind)
        .doesNotContain(Kind.UNINITIALIZED_READ);
  }

  @Test
  void withoutTheCheckOfThreadsNothingOfTheirsIsReported() {
    SimulatedDevice device = SimulatedDevice.builder().checkThreadRaces(false).build();
    device.collectFindings();
    assertThat(findingsOf(device, "lost_updates", 1000)).isEmpty();
  }
}
