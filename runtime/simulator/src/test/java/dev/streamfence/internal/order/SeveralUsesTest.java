package dev.streamfence.internal.order;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A submission that uses one allocation several times, or many allocations. */
final class SeveralUsesTest {
  private static final int MANY = 40;

  private static final UseLabels LABELS =
      new UseLabels() {
        @Override
        public String purpose() {
          return "a launch";
        }

        @Override
        public AttemptedUse use(int label) {
          return AttemptedUse.of("parameter " + label);
        }
      };

  private final StreamPool pool = new StreamPool(Inside.open(SimulatedDevice.builder().build()), 1);
  private final Timeline timeline = pool.acquire();

  @AfterEach
  void close() {
    pool.destroy();
  }

  private HazardState block(int number) {
    return new HazardState(number, "block " + number, timeline, 0, () -> {});
  }

  @Test
  void aRefusedReadIsNamedEvenAfterAWriteOfTheSameAllocation() {
    HazardState fresh = block(1);
    fresh.refuseReadsUntilWritten();
    try (Submission open = timeline.begin(LABELS)) {
      open.use(fresh, false, true, 0);
      open.use(fresh, true, false, 1);
      assertThatThrownBy(open::preflight)
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageContaining("parameter 1");
    }
  }

  @Test
  void aReadIsRefusedEvenBeforeAWriteOfTheSameAllocation() {
    HazardState fresh = block(1);
    fresh.refuseReadsUntilWritten();
    try (Submission open = timeline.begin(LABELS)) {
      open.use(fresh, true, false, 0);
      open.use(fresh, false, true, 1);
      assertThatThrownBy(open::preflight)
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageContaining("parameter 0");
    }
  }

  @Test
  void aRefusedWriteIsNamedEvenAfterAReadOfTheSameAllocation() {
    HazardState readOnly = block(1);
    readOnly.refuseWrites();
    try (Submission open = timeline.begin(LABELS)) {
      open.use(readOnly, true, false, 0);
      open.use(block(2), true, true, 1);
      open.use(readOnly, false, true, 2);
      open.use(readOnly, true, true, 3);
      assertThatThrownBy(open::preflight)
          .isInstanceOf(StreamMisuseException.class)
          .hasMessage("parameter 2 writes block 1, which is read-only; write a copy of it instead");
    }
  }

  @Test
  void theReadOnlyOneAmongManyAllocationsIsNamedAsItWasPassed() {
    for (int readOnly : new int[] {0, 7, 8, MANY - 1}) {
      try (Submission open = timeline.begin(LABELS)) {
        for (int i = 0; i < MANY; i++) {
          HazardState block = block(MANY - i);
          if (i == readOnly) {
            block.refuseWrites();
          }
          open.use(block, false, true, i);
        }
        assertThatThrownBy(open::preflight).satisfies(misuse(Misuse.READ_ONLY));
      }
    }
  }

  @Test
  void aSubmissionAfterOneWithTwoUsesOfAnAllocationLosesNone() {
    HazardState twice = block(1);
    write(twice, twice, block(2));
    HazardState[] next = {block(3), block(4), block(5)};
    write(next);
    assertThat(next).extracting(HazardState::writes).containsOnly(1L);
  }

  @Test
  void aLargeSubmissionKeepsFewOfItsAllocationsReachable() {
    List<WeakReference<HazardState>> all = writeToMany();
    for (int i = 0; i < 50 && reachable(all) > 32; i++) {
      System.gc();
    }
    assertThat(reachable(all)).isBetween(0L, 32L);
  }

  private List<WeakReference<HazardState>> writeToMany() {
    HazardState[] blocks =
        IntStream.range(1, 200).mapToObj(this::block).toArray(HazardState[]::new);
    write(blocks);
    return Arrays.stream(blocks).map(WeakReference::new).toList();
  }

  private static long reachable(List<WeakReference<HazardState>> all) {
    return all.stream().filter(block -> block.get() != null).count();
  }

  private void write(HazardState... blocks) {
    try (Submission open = timeline.begin(LABELS)) {
      for (int i = 0; i < blocks.length; i++) {
        open.use(blocks[i], false, true, i);
      }
      open.preflight();
      open.commit();
    }
  }

  @Test
  void eachOfManyAllocationsIsNamedAsItWasPassed() {
    for (int closed : new int[] {0, 7, 8, MANY - 1}) {
      try (Submission open = timeline.begin(LABELS)) {
        for (int i = 0; i < MANY; i++) {
          HazardState block = block(MANY - i);
          if (i == closed) {
            block.close(null);
          }
          open.use(block, true, false, i);
        }
        assertThatThrownBy(open::preflight)
            .isInstanceOf(UseAfterFreeException.class)
            .hasMessageContaining("parameter " + closed);
      }
    }
  }

  @Test
  void oneSubmissionUsesManyAllocations() {
    try (Submission open = timeline.begin(LABELS)) {
      for (int i = 0; i < MANY; i++) {
        open.use(block(i), true, true, i);
      }
      assertThatCode(open::preflight).doesNotThrowAnyException();
      open.commit();
    }
  }
}
