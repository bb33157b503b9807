package dev.streamfence.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The page-locked memory that all parts of a runtime share. */
final class HostMemoryPoolTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final AtomicBoolean failsToAllocate = new AtomicBoolean();
  private final AtomicBoolean failsToFree = new AtomicBoolean();
  private final CudaDriver driver =
      InterceptedDriver.of(
          Inside.open(device),
          (method, call) -> {
            if ((method.equals("allocateHost") && failsToAllocate.get())
                || (method.equals("freeHost") && failsToFree.getAndSet(false))) {
              throw new StackOverflowError("as planned");
            }
            return call.proceed();
          });
  private final StickyError faults = new StickyError();
  private final HostMemoryPool pool = new HostMemoryPool(driver, faults);

  @AfterEach
  void everythingThatIsDrainedIsAllThereIs() {
    failsToAllocate.set(false);
    pool.drain().forEach(driver::freeHost);
    assertThat(device.liveObjects()).isZero();
    driver.close();
  }

  @Test
  void whatComesBackServesRequestsOfTheSamePowerOfTwo() {
    HostMemory first = pool.take(5 * KIB);
    assertThat(first.sizeInBytes()).isEqualTo(8 * KIB);
    pool.giveBack(first);
    assertThat(pool.take(9 * KIB)).isNotSameAs(first);
    assertThat(pool.take(8 * KIB)).isSameAs(first);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(2);
  }

  @Test
  void twoCallersNeverHaveTheSameMemory() {
    HostMemory first = pool.take(1);
    HostMemory second = pool.take(1);
    assertThat(first).isNotSameAs(second);
    pool.giveBack(first);
    pool.giveBack(second);
    assertThat(pool.take(1)).isNotSameAs(pool.take(1));
  }

  @Test
  void smallRequestsGetFourKibibytes() {
    assertThat(pool.take(1).sizeInBytes()).isEqualTo(4 * KIB);
    assertThat(pool.take(4 * KIB).sizeInBytes()).isEqualTo(4 * KIB);
    assertThat(pool.take(4 * KIB + 1).sizeInBytes()).isEqualTo(8 * KIB);
  }

  @Test
  void itKeepsSixtyFourMebibytesAndFreesTheRest() {
    List<HostMemory> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      taken.add(pool.take(16 * MIB));
    }
    taken.forEach(pool::giveBack);
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    for (int i = 0; i < 4; i++) {
      pool.take(16 * MIB);
    }
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(5);
  }

  @Test
  void largeMemoryThatIsIdleGivesWayToSmall() {
    pool.giveBack(pool.take(64 * MIB));
    pool.giveBack(pool.take(4 * KIB));
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    long allocations = device.calls(DriverCall.ALLOCATE_HOST);
    pool.giveBack(pool.take(4 * KIB));
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(allocations);
  }

  @Test
  void memoryThatIsGivenBackTwiceIsRefused() {
    HostMemory memory = pool.take(1);
    pool.giveBack(memory);
    assertThatIllegalStateException().isThrownBy(() -> pool.giveBack(memory));
    assertThat(pool.take(1)).isNotSameAs(pool.take(1));
  }

  @Test
  void whatComesBackAfterTheEndIsTheDrainersAlone() {
    HostMemory large = pool.take(65 * MIB);
    List<HostMemory> drained = pool.drain();
    pool.giveBack(large);
    assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
    assertThat(drained).containsExactly(large);
    driver.freeHost(large);
  }

  @Test
  void whatWasDrainedIsNeitherHandedOutNorDrainedAgain() {
    HostMemory kept = pool.take(1);
    HostMemory taken = pool.take(1);
    pool.giveBack(kept);
    List<HostMemory> drained = pool.drain();
    assertThat(drained).containsExactlyInAnyOrder(kept, taken);
    assertThat(pool.take(1)).isNotIn(kept, taken);
    drained.forEach(driver::freeHost);
  }

  @Test
  void threadsNeverShareMemory() throws Exception {
    Set<HostMemory> inUse = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      long seed = t;
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                Random random = new Random(seed);
                for (int i = 0; i < 2_000; i++) {
                  HostMemory memory = pool.take(1 + random.nextInt(1 << 16));
                  assertThat(inUse.add(memory)).isTrue();
                  inUse.remove(memory);
                  pool.giveBack(memory);
                }
              }));
    }
    for (CompletableFuture<Void> thread : threads) {
      thread.get();
    }
  }

  @Test
  void whatIsTooLargeToKeepHasItsExactSize() {
    HostMemory large = pool.take(64 * MIB + 1);
    assertThat(large.sizeInBytes()).isEqualTo(64 * MIB + 1);
    pool.giveBack(large);
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
  }

  @Test
  void itsBytesAreThoseThatTheDriverHasAllocatedAndNotFreed() {
    HostMemory small = pool.take(1);
    HostMemory large = pool.take(65 * MIB);
    assertThat(pool.bytes()).isEqualTo(4 * KIB + 65 * MIB);
    pool.giveBack(small);
    assertThat(pool.bytes()).isEqualTo(4 * KIB + 65 * MIB);
    pool.giveBack(large);
    assertThat(pool.bytes()).isEqualTo(4 * KIB);
    driver.freeHost(pool.drain().get(0));
    assertThat(pool.bytes()).isZero();
  }

  @Test
  void memoryThatTheDriverRefusesToFreeIsLeftForTheEnd() {
    HostMemory large = pool.take(65 * MIB);
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    pool.giveBack(large);
    assertThat(pool.bytes()).isEqualTo(65 * MIB);
    assertThat(pool.drain()).containsExactly(large);
    driver.freeHost(large);
  }

  @Test
  void anErrorOfTheJvmLosesNothing() {
    HostMemory kept = pool.take(1);
    failsToAllocate.set(true);
    assertThatThrownBy(() -> pool.take(1)).isInstanceOf(StackOverflowError.class);
    failsToAllocate.set(false);
    pool.giveBack(kept);
    assertThat(pool.take(1)).isSameAs(kept);
  }

  @Test
  void anErrorInAFreeLeavesWhatWasToBeFreedAfterItForTheEnd() {
    List<HostMemory> taken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      taken.add(pool.take(16 * MIB));
    }
    taken.forEach(pool::giveBack);
    HostMemory large = pool.take(64 * MIB);
    failsToFree.set(true);
    // All three would be freed for it.
    assertThatThrownBy(() -> pool.giveBack(large)).isInstanceOf(StackOverflowError.class);
    assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
    assertThat(pool.bytes()).isEqualTo((64 + 2 * 16) * MIB);
    List<HostMemory> left = pool.drain();
    assertThat(left).hasSize(3).contains(large);
    taken.removeAll(left);
    left.forEach(driver::freeHost);
    // The driver was called for the other one; this test made sure that it was not reached.
    assertThat(taken).hasSize(1);
    driver.freeHost(taken.get(0));
  }

  @Test
  void aRefusalIsTheDrivers() {
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    assertThatThrownBy(() -> pool.take(1))
        .isInstanceOfSatisfying(CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(2));
    assertThat(pool.drain()).isEmpty();
  }
}
