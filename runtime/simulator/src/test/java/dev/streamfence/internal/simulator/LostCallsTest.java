package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.CudaDriverException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.simulator.Programs.HostCopies;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every wait that the runtime queues is needed: without it, the checker finds a race. The same
 * holds for every record of an event that the host or a stream waits for.
 *
 * <p>The only needless waits are those for work that a download has already made the host wait for:
 * the download waits for the event of its staging copy, which the stream's ticket order does not
 * see. They cost a call each and order nothing new. Without downloads there are none.
 */
@Tag("search")
final class LostCallsTest {
  private static final int SEEDS = Effort.of(4, 7);

  private record Run(List<Finding> findings, boolean faulted, LossyDriver driver) {}

  private record Score(int lost, List<String> survivors) {
    double found() {
      return 1 - (double) survivors.size() / lost;
    }

    @Override
    public String toString() {
      return "%d of %d found (%.1f %%), not found %s"
          .formatted(lost - survivors.size(), lost, 100 * found(), survivors);
    }
  }

  @Test
  void everyWaitOfAProgramOverOneArrayIsNeeded() {
    Score score = score("waitForEvent", withSharedArrays(1, HostCopies.NONE));
    System.out.println("waits of programs over one array: " + score);
    assertThat(score.survivors()).isEmpty();
    assertThat(score.lost()).isGreaterThan(10 * SEEDS);
  }

  @Test
  void everyWaitIsNeededUnlessTheHostHasAlreadyWaited() {
    List<Programs> programs = new ArrayList<>(withSharedArrays(2, HostCopies.NONE));
    programs.addAll(withSharedArrays(3, HostCopies.NONE));
    programs.addAll(withSharedArrays(2, HostCopies.UPLOADS));
    Score score = score("waitForEvent", programs);
    System.out.println("waits of programs without downloads: " + score);
    assertThat(score.survivors()).isEmpty();
    assertThat(score.lost()).isGreaterThan(30 * SEEDS);
  }

  @Test
  void mostWaitsAreNeededWhenDownloadsMakeTheHostWait() {
    Score score = score("waitForEvent", withSharedArrays(2, HostCopies.UPLOADS_AND_DOWNLOADS));
    System.out.println("waits of programs with downloads: " + score);
    assertThat(score.found()).isGreaterThanOrEqualTo(0.85);
    assertThat(score.lost()).isGreaterThan(10 * SEEDS);
  }

  @Test
  void everyAwaitedRecordIsNeeded() {
    List<Programs> programs = new ArrayList<>(withSharedArrays(1, HostCopies.NONE));
    programs.addAll(withSharedArrays(3, HostCopies.NONE));
    programs.addAll(withSharedArrays(2, HostCopies.UPLOADS));
    Score score = score("recordEvent", programs);
    System.out.println("records that are waited for: " + score);
    assertThat(score.survivors()).isEmpty();
    assertThat(score.lost()).isGreaterThan(30 * SEEDS);
  }

  private static List<Programs> withSharedArrays(int shared, HostCopies hostCopies) {
    return LongStream.range(0, SEEDS)
        .mapToObj(seed -> new Programs(seed, 2 + (int) (seed % 2), shared, 16, hostCopies))
        .toList();
  }

  private static Score score(String method, List<Programs> programs) {
    int total = 0;
    List<String> survivors = new ArrayList<>();
    for (Programs program : programs) {
      Run whole = run(program, method, 0);
      assertThat(whole.findings()).as("%s", program).isEmpty();
      assertThat(whole.faulted()).as("%s", program).isFalse();
      Collection<Integer> calls =
          method.equals("recordEvent")
              ? whole.driver().awaitedRecords()
              : IntStream.rangeClosed(1, whole.driver().calls()).boxed().toList();
      for (int lost : calls) {
        total++;
        Run without = run(program, method, lost);
        if (without.findings().isEmpty() && !without.faulted()) {
          survivors.add(program + " without call " + lost);
        }
      }
    }
    return new Score(total, survivors);
  }

  private static Run run(Programs program, String method, int lost) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    device.collectFindings();
    LossyDriver driver = new LossyDriver(Inside.open(device), method, lost);
    boolean faulted = false;
    try {
      program.run(RuntimeOverDriver.open(driver.driver(), RuntimeOptions.defaults()));
    } catch (CudaDriverException e) {
      // A kernel that was not held back reached memory that is freed: the loss has shown by itself.
      faulted = e.isSticky();
    }
    return new Run(device.findings(), faulted, driver);
  }
}
