package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.transfer.Bytes;
import dev.streamfence.internal.transfer.DeviceCopies;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The promises of every resource, in every composition and on every device. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class AllocationResourceContract {
  private static final UseLabels TEST = new NamedUse("a test");

  private final List<Stack> stacks = new ArrayList<>();
  private CudaDriver driver;
  private StreamPool streams;
  private DeviceCopies copies;
  private Timeline a;
  private Timeline b;

  /** A driver of its own for each test, which closes it. */
  protected abstract CudaDriver openDriver();

  /** Called when all is closed. */
  protected void requireNothingLeft() {}

  @BeforeEach
  void open() {
    driver = openDriver();
    streams = new StreamPool(driver, 8);
    copies = new DeviceCopies(streams, 1);
    a = streams.acquire();
    b = streams.acquire();
  }

  @AfterEach
  void everythingComesBack() {
    stacks.forEach(Stack::requireEmpty);
    stacks.forEach(stack -> assertThat(stack.reports).isEmpty());
    stacks.forEach(Stack::close);
    copies.destroy(true);
    streams.destroy();
    driver.close();
    requireNothingLeft();
  }

  private Stack stack(Composition composition) {
    Stack stack = composition.over(streams);
    stacks.add(stack);
    return stack;
  }

  @ParameterizedTest
  @EnumSource
  void anAllocationHasTheRequestedProperties(Composition composition) {
    AllocationResource resource = stack(composition).top();
    Allocation block = resource.allocate(1000, a, "keys");
    Allocation next = resource.allocate(1, b, "");

    assertThat(block.sizeInBytes()).isEqualTo(1000);
    assertThat(block.tag()).isEqualTo("keys");
    assertThat(block.timeline()).isSameAs(a);
    assertThat(block.deviceOrdinal()).isEqualTo(driver.properties().ordinal());
    assertThat(block.address() % 256).isZero();
    assertThat(block.isTracked()).isTrue();
    assertThat(block.hazards().isOpen()).isTrue();
    assertThat(next.generation()).isGreaterThan(block.generation());
    assertThat(resource.tracksUses()).isTrue();
    assertThat(resource.deviceOrdinal()).isEqualTo(driver.properties().ordinal());
    resource.deallocate(block);
    resource.deallocate(next);
  }

  @ParameterizedTest
  @EnumSource
  void bytesAreOutstandingUntilTheyAreReturned(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    Allocation block = resource.allocate(2048, a, "");
    assertThat(resource.bytesOutstanding()).isEqualTo(2048);

    resource.deallocate(block);

    assertThat(resource.bytesOutstanding()).isEqualTo(composition.pending(2048));
    assertThat(stack.settle()).isEqualTo(composition.pending(2048));
    assertThat(resource.bytesOutstanding()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void everyByteIsReturnedOnce(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    SplittableRandom random = new SplittableRandom(7);
    List<Allocation> open = new ArrayList<>();
    long live = 0;
    for (int i = 0; i < 300; i++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          Allocation block =
              resource.allocate(random.nextInt(1, 5000), random.nextInt(2) == 0 ? a : b, "");
          live += block.sizeInBytes();
          open.add(block);
        }
        case 2 -> {
          if (!open.isEmpty()) {
            Allocation block = open.remove(random.nextInt(open.size()));
            resource.deallocate(block);
            live -= block.sizeInBytes();
          }
        }
        case 3 -> assertReturned(resource, resource.bytesOutstanding(), resource.reap());
        default ->
            assertReturned(
                resource, resource.bytesOutstanding(), resource.awaitReap(random.nextInt(10_000)));
      }
      assertThat(resource.bytesOutstanding()).isGreaterThanOrEqualTo(live);
    }
    open.forEach(resource::deallocate);
    assertReturned(resource, resource.bytesOutstanding(), stack.settle());
    assertThat(resource.bytesOutstanding()).isZero();
  }

  /** Checks that a reap returned exactly the bytes that left the account. */
  private static void assertReturned(AllocationResource resource, long before, long returned) {
    assertThat(resource.bytesOutstanding()).isEqualTo(before - returned);
  }

  @ParameterizedTest
  @EnumSource
  void aReapOfNothingReturnsNothing(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    Allocation open = resource.allocate(512, a, "");
    resource.deallocate(resource.allocate(2048, a, ""));
    stack.settle();
    assertThat(resource.reap()).isZero();
    assertThat(resource.awaitReap(Long.MAX_VALUE)).isZero();
    assertThat(resource.bytesOutstanding()).isEqualTo(512);
    resource.deallocate(open);
  }

  @ParameterizedTest
  @EnumSource
  void waitingForFreedBytesReturnsThem(Composition composition) {
    AllocationResource resource = stack(composition).top();
    resource.deallocate(resource.allocate(4096, a, ""));
    assertThat(resource.awaitReap(4096)).isEqualTo(composition.pending(4096));
    assertThat(resource.bytesOutstanding()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aSizeBelowOneIsRefused(Composition composition) {
    AllocationResource resource = stack(composition).top();
    assertThatIllegalArgumentException().isThrownBy(() -> resource.allocate(0, a, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> resource.allocate(-1, a, ""));
    assertThat(resource.bytesOutstanding()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aStreamOfAnotherPoolIsRefused(Composition composition) {
    AllocationResource resource = stack(composition).top();
    StreamPool others = new StreamPool(driver, 1);
    Timeline foreign = others.acquire();
    assertThatThrownBy(() -> resource.allocate(8, foreign, ""))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(resource.bytesOutstanding()).isZero();
    others.destroy();
  }

  @ParameterizedTest
  @EnumSource
  void aSecondFreeIsRefusedAndChangesNothing(Composition composition) {
    AllocationResource resource = stack(composition).top();
    Allocation block = resource.allocate(64, a, "");
    resource.deallocate(block);
    long outstanding = resource.bytesOutstanding();

    assertThatThrownBy(() -> resource.deallocate(block))
        .isInstanceOfSatisfying(
            UseAfterFreeException.class,
            e -> assertThat(e.generation()).isEqualTo(block.generation()));
    assertThat(resource.bytesOutstanding()).isEqualTo(outstanding);
  }

  @ParameterizedTest
  @EnumSource
  void anOldHandleDoesNotFreeTheNewAllocationAtItsAddress(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    Set<Long> addresses = new HashSet<>();
    boolean reused = false;
    for (int i = 0; i < 20 || (!reused && i < 2_000); i++) {
      Allocation old = resource.allocate(64, a, "");
      reused |= !addresses.add(old.address());
      resource.deallocate(old);
      stack.settle();
      Allocation young = resource.allocate(64, a, "");
      reused |= !addresses.add(young.address());
      assertThatThrownBy(() -> resource.deallocate(old)).isInstanceOf(UseAfterFreeException.class);
      assertThat(young.hazards().isOpen()).isTrue();
      copies.upload(a, Bytes.of(64, i), Region.of(young).range(0, 64));
      resource.deallocate(young);
      stack.settle();
    }
    assertThat(reused).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void anAllocationOfAnotherResourceIsRefusedAndStaysOpen(Composition composition) {
    AllocationResource resource = stack(composition).top();
    AllocationResource other = stack(composition).top();
    Allocation foreign = other.allocate(64, a, "");
    assertThatThrownBy(() -> resource.deallocate(foreign))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(foreign.hazards().isOpen()).isTrue();
    assertThat(other.bytesOutstanding()).isEqualTo(64);
    assertThat(resource.bytesOutstanding()).isZero();
    other.deallocate(foreign);
  }

  @ParameterizedTest
  @EnumSource
  void anotherStreamSeesTheWholeContent(Composition composition) {
    AllocationResource resource = stack(composition).top();
    Allocation block = resource.allocate(1001, a, "");
    copies.upload(a, Bytes.of(1001, 7), Region.of(block).range(0, 1001));
    Bytes seen = Bytes.of(1001, 0);
    copies.download(b, Region.of(block).range(0, 1001), seen);
    assertThat(seen.values()).containsOnly(7);
    resource.deallocate(block);
  }

  @ParameterizedTest
  @EnumSource
  void theNextOwnerOfFreedMemoryDoesNotDisturbItsLastUser(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    for (int i = 0; i < 16; i++) {
      Allocation source = resource.allocate(4096, a, "");
      Allocation target = resource.allocate(4096, a, "");
      copies.fill(a, Region.of(source).range(0, 4096), 1, i);
      copies.copy(b, Region.of(source).range(0, 4096), Region.of(target).range(0, 4096));
      resource.deallocate(source);
      Allocation trampler = resource.allocate(4096, a, "");
      copies.fill(a, Region.of(trampler).range(0, 4096), 1, 0x5A);
      Bytes seen = Bytes.of(4096, 0);
      copies.download(a, Region.of(target).range(0, 4096), seen);
      assertThat(seen.values()).containsOnly(i);
      resource.deallocate(target);
      resource.deallocate(trampler);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAllocationInUseIsFreedWhenTheUseIsSubmitted(Composition composition) throws Exception {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    Allocation block = resource.allocate(512, a, "");
    // By a thread that may wait, and on another stream than the free: it would wait for the use.
    try (Submission submission = b.begin(TEST)) {
      submission.use(block.hazards(), false, true, 0);
      submission.preflight();
      CompletableFuture.runAsync(() -> resource.deallocate(block)).get(30, TimeUnit.SECONDS);
      assertThat(block.isOpen()).isFalse();
      assertThat(resource.bytesOutstanding()).isEqualTo(512);
      assertThat(stack.backend().live()).hasSize(1);
      driver.fillAsync(block.address(), Byte.BYTES, 1, 512, b.stream());
      submission.commit();
    }
    stack.settle();
    assertThat(resource.bytesOutstanding()).isZero();
    assertThat(stack.backend().live()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aFreeInsideTheCallersOwnLaunchIsPostponed(Composition composition) {
    Stack stack = stack(composition);
    AllocationResource resource = stack.top();
    Allocation block = resource.allocate(512, a, "");
    try (Submission submission = a.begin(TEST)) {
      resource.deallocate(block);
      assertThat(block.isOpen()).isFalse();
      assertThat(resource.bytesOutstanding()).isEqualTo(512);
      submission.preflight();
    }
    assertThat(stack.settle()).isEqualTo(512);
    assertThat(resource.bytesOutstanding()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void manyThreadsAllocateUseAndFreeWhileOneReaps(Composition composition) throws Exception {
    AllocationResource resource = stack(composition).top();
    int workers = 4;
    CyclicBarrier start = new CyclicBarrier(workers + 1);
    ExecutorService threads = Executors.newFixedThreadPool(workers + 1);
    try {
      List<Future<Void>> done = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        int seed = worker;
        Timeline timeline = streams.acquire();
        done.add(threads.submit(work(resource, timeline, seed, start)));
      }
      Future<Void> reaper =
          threads.submit(
              () -> {
                start.await();
                for (int i = 0; i < 200; i++) {
                  resource.reap();
                }
                return null;
              });
      for (Future<Void> one : done) {
        one.get();
      }
      reaper.get();
    } finally {
      threads.shutdownNow();
    }
  }

  private Callable<Void> work(
      AllocationResource resource, Timeline timeline, int seed, CyclicBarrier start) {
    return () -> {
      start.await();
      SplittableRandom random = new SplittableRandom(seed);
      for (int round = 0; round < 40; round++) {
        int size = random.nextInt(64, 4097);
        Allocation block = resource.allocate(size, timeline, "");
        copies.upload(timeline, Bytes.of(size, round), Region.of(block).range(0, size));
        Bytes seen = Bytes.of(size, -1);
        copies.download(timeline, Region.of(block).range(0, size), seen);
        assertThat(seen.values()).containsOnly(round);
        resource.deallocate(block);
      }
      return null;
    };
  }
}
