package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory of other code as arrays of the runtime. */
final class AdoptedMemoryTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary producer = device.library("producer");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final long theirs = producer.createStream();
  private final long event = producer.createEvent();
  private final long address = producer.allocate(16);
  private final AtomicInteger released = new AtomicInteger();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** The producer writes 1, 2, 3, 4 on its stream, and records its event. */
  private void produce() {
    producer.launch(
        theirs,
        "produce",
        memory -> {
          for (int i = 0; i < 4; i++) {
            memory.putInt(address + 4 * i, i + 1);
          }
        });
    producer.recordEvent(event, theirs);
  }

  /** Frees the memory as soon as it is released: a release that comes too early is a race. */
  private void release() {
    released.incrementAndGet();
    producer.free(address);
  }

  private ForeignMemory memory() {
    return ForeignMemory.at(address, 16).named("tensor").releasedBy(this::release);
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void everyUseWaitsForTheReadyEventAndTheReleaseForEveryUse(Schedule schedule) {
    SimulatedDevice other = SimulatedDevice.builder().schedule(schedule).seed(3).build();
    SimulatedLibrary library = other.library("producer");
    AtomicInteger releases = new AtomicInteger();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other);
        DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire()) {
      long stream = library.createStream();
      long ready = library.createEvent();
      for (int i = 0; i < 20; i++) {
        long there = library.allocate(16);
        library.launch(stream, "produce", memory -> memory.putInt(there, 41));
        library.launch(stream, "more", memory -> memory.putLong(there + 8, 0));
        library.launch(stream, "rest", memory -> memory.putInt(there + 4, 0));
        library.recordEvent(ready, stream);
        DeviceArray<int[]> array =
            runtime
                .memory()
                .adopt(
                    first,
                    ForeignMemory.at(there, 16)
                        .readyAfterEvent(ready)
                        .releasedBy(
                            () -> {
                              releases.incrementAndGet();
                              library.free(there);
                            }),
                    int[].class);
        VectorKernels.on(second).increment(array, 4);
        VectorKernels.on(first).increment(array, 4);
        assertThat(array.download(second)[0]).isEqualTo(43);
        VectorKernels.on(second).increment(array, 4);
        array.close();
      }
    }
    assertThat(releases).hasValue(20);
    assertThat(other.liveObjects()).isZero();
  }

  @Test
  void anAdoptionCostsOneWaitAndNoCopy() {
    produce();
    long calls = device.calls();
    DeviceArray<int[]> array = gpu.memory().adopt(a, memory().readyAfterEvent(event), int[].class);
    assertThat(device.calls(DriverCall.POINTER_INFO)).isEqualTo(1);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(1);
    assertThat(device.calls()).isEqualTo(calls + 2);
    assertThat(gpu.memory().statistics().adoptedBytes()).isEqualTo(16);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(array.download(b)).containsExactly(1, 2, 3, 4);
    array.close();
    assertThat(released).hasValue(1);
    assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
  }

  @Test
  void theStreamOfTheProducerIsWaitedForAsItIsAtTheAdoption() {
    produce();
    DeviceArray<int[]> array =
        gpu.memory().adopt(a, memory().readyAfterStream(theirs), int[].class);
    boolean[] later = new boolean[1];
    producer.launch(theirs, "later", memory -> later[0] = true);
    VectorKernels.on(b).increment(array, 4);
    assertThat(array.download(a)).containsExactly(2, 3, 4, 5);
    assertThat(later[0]).isFalse();
    array.close();
  }

  @Test
  void withoutItsReadyEventAUseIsARace() {
    device.collectFindings();
    produce();
    DeviceArray<int[]> array = gpu.memory().adopt(a, memory().alreadyReady(), int[].class);
    array.download(b);
    assertThat(device.findings()).extracting(f -> f.kind()).contains(Kind.WRITE_READ);
    array.close();
    producer.synchronize(theirs);
  }

  @Test
  void thereIsNoDefaultForWhenItIsReady() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().adopt(a, memory(), int[].class))
        .withMessageContaining("'tensor'")
        .withMessageContaining("readyAfterEvent, readyAfterStream or alreadyReady");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> memory().alreadyReady().readyAfterStream(theirs))
        .withMessageContaining("say it once");
    assertThatIllegalArgumentException().isThrownBy(() -> memory().readyAfterEvent(0));
    assertThat(released).hasValue(0);
  }

  @Test
  void theReleaseIsCalledLaterIfTheDeviceIsNotDone() throws InterruptedException {
    produce();
    AtomicReference<Thread> releasing = new AtomicReference<>();
    ForeignMemory block =
        ForeignMemory.at(address, 16)
            .readyAfterEvent(event)
            .releasedBy(
                () -> {
                  releasing.set(Thread.currentThread());
                  release();
                });
    DeviceArray<int[]> array = gpu.memory().adopt(a, block, int[].class);
    // So many that the device is not done with them when it is asked.
    for (int i = 0; i < 100; i++) {
      VectorKernels.on(b).increment(array, 4);
    }
    array.close();
    array.close();
    assertThatThrownBy(() -> array.download(a)).isInstanceOf(UseAfterFreeException.class);
    for (int i = 0; released.get() == 0 && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(released).hasValue(1);
    assertThat(releasing.get()).isNotSameAs(Thread.currentThread());
  }

  @Test
  void aReleaseThatIsPendingIsCalledBeforeTheRuntimeIsClosed() {
    produce();
    DeviceArray<int[]> array = gpu.memory().adopt(a, memory().readyAfterEvent(event), int[].class);
    for (int i = 0; i < 100; i++) {
      VectorKernels.on(b).increment(array, 4);
    }
    array.close();
    gpu.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void theCloseOfTheRuntimeWaitsForAReleaseThatIsRunning() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    ForeignMemory slow =
        ForeignMemory.at(address, 16)
            .alreadyReady()
            .releasedBy(
                () -> {
                  entered.countDown();
                  goOn.join();
                  release();
                });
    DeviceArray<int[]> array = gpu.memory().adopt(a, slow, int[].class);
    array.fill(a, 0);
    // Work that is done by then lets the thread that closes the array call its owner.
    Thread closer = new Thread(array::close);
    closer.start();
    closer.join(100);
    a.synchronize();
    entered.await();
    Thread closing = new Thread(gpu::close);
    closing.start();
    closing.join(100);
    assertThat(closing.isAlive()).isTrue();
    goOn.complete(null);
    closing.join();
    closer.join();
    assertThat(released).hasValue(1);
  }

  @Test
  void anArrayThatIsOpenWhenTheRuntimeIsClosedIsReleasedAndReported() {
    produce();
    DeviceArray<int[]> array = gpu.memory().adopt(a, memory().readyAfterEvent(event), int[].class);
    List<String> log;
    try (RuntimeLog warnings = RuntimeLog.listen()) {
      gpu.close();
      log = warnings.messages();
    }
    assertThat(released).hasValue(1);
    assertThat(log).anyMatch(line -> line.contains("'tensor'"));
    assertThatThrownBy(() -> array.download(a)).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void theProducersStreamWaitsInsteadOfTheHost() {
    produce();
    AtomicInteger calls = new AtomicInteger();
    DeviceArray<int[]> array =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(address, 16)
                    .readyAfterEvent(event)
                    .returnedTo(theirs)
                    .releasedBy(
                        () -> {
                          calls.incrementAndGet();
                          producer.free(address, theirs);
                        }),
                int[].class);
    VectorKernels.on(a).increment(array, 4);
    VectorKernels.on(b).increment(array, 4);
    array.close();
    assertThat(calls).hasValue(1);
    assertThat(a.isIdle()).isFalse();
    producer.synchronize(theirs);
    gpu.synchronize();
  }

  @Test
  void theDoneEventComesAfterEveryUse() {
    produce();
    long done = producer.createEvent();
    DeviceArray<int[]> array =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(address, 16)
                    .readyAfterEvent(event)
                    .signalling(done)
                    .releasedBy(
                        () -> {
                          producer.waitForEvent(theirs, done);
                          producer.free(address, theirs);
                        }),
                int[].class);
    VectorKernels.on(a).increment(array, 4);
    VectorKernels.on(b).increment(array, 4);
    array.close();
    assertThat(producer.isDone(done)).isFalse();
    producer.synchronize(theirs);
    assertThat(producer.isDone(done)).isTrue();
  }

  @Test
  void aReleaseThatThrowsIsLoggedAndCountsAsCalled() {
    produce();
    DeviceArray<int[]> array =
        gpu.memory()
            .adopt(
                a,
                memory()
                    .readyAfterEvent(event)
                    .releasedBy(
                        () -> {
                          release();
                          throw new IllegalStateException("deleter failed");
                        }),
                int[].class);
    assertThat(array.download(a)).containsExactly(1, 2, 3, 4);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.CALLBACKS)) {
      array.close();
      assertThat(log.messages())
          .anyMatch(line -> line.contains("the release of 16 bytes of foreign memory 'tensor'"));
    }
    gpu.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void readOnlyMemoryIsRefusedByEveryWrite() {
    produce();
    ReadableArray<int[]> array =
        gpu.memory().adoptReadable(a, memory().readyAfterEvent(event), int[].class);
    DeviceArray<int[]> sum = gpu.memory().allocate(a, int[].class, 4);
    VectorKernels.on(b).add(array, array, sum, 4);
    assertThat(sum.download(a)).containsExactly(2, 4, 6, 8);
    assertReadOnly(array);
    assertReadOnly(array.view(1, 2));
    assertReadOnly(array.reinterpret(float[].class));
    assertThat(released).hasValue(0);
    array.close();
    gpu.synchronize();
  }

  @Test
  void anAllocationThatOtherCodeDoesNotGetNamesItsOwnCall() {
    gpu.memory().allocate(a, int[].class, 4).close();
    assertThatThrownBy(() -> producer.allocate(1L << 40))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("library producer allocates 1099511627776 bytes: ")
        .cause()
        .hasMessageStartingWith("cuMemAlloc ");
    producer.free(address);
  }

  @Test
  void readOnlyMemoryIsBoundOnlyToAnInputThatAGraphReads() {
    produce();
    ReadableArray<int[]> array =
        gpu.memory().adoptReadable(a, memory().readyAfterEvent(event), int[].class);
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[4]);
    DeviceArray<int[]> sum = gpu.memory().upload(a, new int[4]);
    VectorKernels kernels = VectorKernels.on(b);
    KernelGraph graph =
        gpu.graph(
            "adds", body -> kernels.add(body.input("in", own), own, body.input("out", sum), 4));

    assertThatThrownBy(() -> graph.bind("out", array))
        .satisfies(misuse(StreamMisuseException.Misuse.READ_ONLY))
        .hasMessageStartingWith(
            "input 'out' of graph 'adds': add: parameter 'sum' is written, and");
    graph.bind("in", array).launch(a);

    assertThat(sum.download(b)).containsExactly(2, 4, 6, 8);
    graph.close();
    array.close();
    gpu.synchronize();
  }

  /** No cast makes an array of it that writes, and a recorder refuses it where a kernel does. */
  private void assertReadOnly(ReadableArray<?> array) {
    assertThat(array).isNotInstanceOf(DeviceArray.class);
    // The type of the elements does not matter to the kernel here.
    KernelSignature signature =
        KernelSignature.entry("increment")
            .readWrites(
                "values", array.elementType() == ElementType.INT ? int[].class : float[].class)
            .threads("n", int.class, 256);
    try (LaunchRecorder open =
        LoadedModule.of(b, VectorKernels.COMPARED_IMAGE).recorder(signature).begin()) {
      long calls = device.calls();
      assertThatThrownBy(() -> open.array(array))
          .isInstanceOfSatisfying(
              StreamMisuseException.class,
              refused -> {
                assertThat(refused.kind()).isEqualTo(StreamMisuseException.Misuse.READ_ONLY);
                assertThat(refused.kernel()).isEqualTo("increment");
                assertThat(refused.parameter()).isEqualTo("values");
              });
      assertThat(device.calls()).isEqualTo(calls);
    }
  }

  @Test
  void aReadOnlyWindowOfMemoryThatCanBeWrittenIsOnlyRead() {
    DeviceArray<int[]> whole = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    long at = Inside.allocation(whole).address();
    ReadableArray<int[]> window =
        gpu.memory().adoptReadable(a, ForeignMemory.at(at + 4, 8).alreadyReady(), int[].class);
    assertThat(window.download(b)).containsExactly(2, 3);
    assertReadOnly(window);
    assertThatThrownBy(() -> ExportedArray.of(window, "an export", true, OptionalLong.empty()))
        .satisfies(misuse(StreamMisuseException.Misuse.READ_ONLY));
    whole.fill(b, 7);
    assertThat(window.download(a)).containsExactly(7, 7);
    window.close();
    producer.free(address);
  }

  @Test
  void memoryThatIsNotTheDevicesIsRefused() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4)) {
      long onHost = Inside.allocation(host.mapped()).address();
      assertRefused(ForeignMemory.at(onHost, 16), "is host memory");
    }
    assertRefused(ForeignMemory.at(0x1234_5678_9000L, 16), "the driver does not know");
    assertRefused(ForeignMemory.at(address, 20), "ends 4 bytes beyond its allocation");
    assertRefused(ForeignMemory.at(address + 2, 8), "must be multiples of 4");
    assertRefused(ForeignMemory.at(address, 6), "must be multiples of 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignMemory.at(0, 4))
        .withMessageContaining("the null address");
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignMemory.at(8, -4));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignMemory.at(Long.MAX_VALUE - 2, 4))
        .withMessageContaining("beyond every address");
    producer.free(address);
  }

  private void assertRefused(ForeignMemory memory, String fact) {
    long copies = device.calls(DriverCall.WAIT_FOR_EVENT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().adopt(a, memory.alreadyReady(), int[].class))
        .withMessageContaining(fact);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(copies);
    assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
  }

  @Test
  void memoryWithoutAByteIsGivenBackAtOnce() {
    DeviceArray<int[]> empty =
        gpu.memory()
            .adopt(a, ForeignMemory.at(0, 0).releasedBy(released::incrementAndGet), int[].class);
    assertThat(released).hasValue(1);
    assertThat(empty.length()).isZero();
    VectorKernels.on(a).increment(empty, 0);
    empty.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void memoryOfAnArrayOfTheRuntimeSharesItsHazardsAndKeepsItAllocated() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4, 5, 6, 7, 8});
    long there = Inside.allocation(own).address();
    DeviceArray<int[]> back =
        gpu.memory()
            .adopt(
                b,
                ForeignMemory.at(there + 8, 16)
                    .alreadyReady()
                    .releasedBy(released::incrementAndGet),
                int[].class);
    VectorKernels.on(a).increment(own, 8);
    VectorKernels.on(b).increment(back, 4);
    VectorKernels.on(a).increment(own, 8);
    assertThat(back.download(b)).containsExactly(6, 7, 8, 9);
    own.close();
    assertThat(own.isOpen()).isFalse();
    VectorKernels.on(b).increment(back, 4);
    assertThat(back.download(a)).containsExactly(7, 8, 9, 10);
    assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
    back.close();
    assertThat(back.isOpen()).isFalse();
    assertThat(released).hasValue(1);
    assertThatThrownBy(() -> VectorKernels.on(b).increment(back, 4))
        .isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> back.download(b)).isInstanceOf(UseAfterFreeException.class);
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    producer.free(address);
  }

  @Test
  void memoryIsNotAdoptedInTheCodeOfAGraph() {
    assertThatThrownBy(
            () ->
                gpu.graph(
                    "adopts", body -> gpu.memory().adopt(a, memory().alreadyReady(), int[].class)))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("in the body of graph 'adopts'");
    assertThat(released).hasValue(0);
    producer.free(address);
  }

  @Test
  void aWindowThatCannotBeAdoptedDoesNotKeepItsArrayAllocated() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    ForeignMemory window =
        ForeignMemory.at(Inside.allocation(own).address(), 8).readyAfterEvent(event);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, INVALID_VALUE);
    assertThatThrownBy(() -> gpu.memory().adopt(b, window, int[].class))
        .isInstanceOf(CudaDriverException.class);
    own.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    producer.free(address);
  }

  @Test
  void aWindowGoesBackAfterTheUsesOfPartsOfItsArray() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> window =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(Inside.allocation(own).address(), 16)
                    .alreadyReady()
                    .returnedTo(theirs),
                int[].class);
    gpu.synchronize();
    try (DeviceParts<int[]> parts = own.split(2)) {
      VectorKernels.on(b).increment(parts.get(1), 2);
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      window.close();
      // The stream of the close waits for the part's, and the owner's stream for both.
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 2);
    }
    assertThat(own.download(a)).containsExactly(1, 2, 4, 5);
    producer.free(address);
  }

  @Test
  void aWindowThatIsReinterpretedIsHandedOver() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> window =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(Inside.allocation(own).address() + 4, 8)
                    .alreadyReady()
                    .returnedTo(theirs)
                    .releasedBy(released::incrementAndGet),
                int[].class);
    DeviceArray<byte[]> heir = window.reinterpret(byte[].class);
    assertThat(window.isOpen()).isFalse();
    assertThatThrownBy(() -> window.download(a))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("byte[8]");
    assertThatThrownBy(() -> window.reinterpret(float[].class))
        .isInstanceOf(UseAfterFreeException.class);
    window.close();
    own.close();
    assertThat(released).hasValue(0);
    assertThat(heir.download(b)).containsExactly(2, 0, 0, 0, 3, 0, 0, 0);
    DeviceArray<int[]> again = heir.reinterpret(int[].class);
    heir.close();
    VectorKernels.on(b).increment(again, 2);
    assertThat(again.download(a)).containsExactly(3, 4);
    again.close();
    assertThat(released).hasValue(1);
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    producer.free(address);
  }

  @Test
  void memoryThatEndsOneByteBehindItsAllocationIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                gpu.memory()
                    .adopt(a, ForeignMemory.at(address + 1, 16).alreadyReady(), byte[].class))
        .withMessageContaining("ends 1 bytes beyond its allocation");
    producer.free(address);
  }

  @Test
  void memoryThatOverlapsWithoutLyingInsideIsRefusedWithBothNames() {
    DeviceArray<int[]> part =
        gpu.memory()
            .adopt(a, ForeignMemory.at(address, 8).alreadyReady().named("half"), int[].class);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                gpu.memory()
                    .adopt(
                        a,
                        ForeignMemory.at(address + 4, 8).alreadyReady().named("mid"),
                        int[].class))
        .withMessageContaining("'mid'")
        .withMessageContaining("overlaps")
        .withMessageContaining("'half'");
    part.close();
    gpu.memory()
        .adopt(a, ForeignMemory.at(address + 4, 8).alreadyReady().named("mid"), int[].class)
        .close();
    producer.free(address);
  }

  @Test
  void theSameMemoryTwiceIsOneMemoryWithTwoReleases() {
    produce();
    DeviceArray<int[]> first =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(address, 16)
                    .readyAfterEvent(event)
                    .releasedBy(released::incrementAndGet),
                int[].class);
    DeviceArray<int[]> second = gpu.memory().adopt(b, memory().alreadyReady(), int[].class);
    VectorKernels.on(a).increment(first, 4);
    VectorKernels.on(b).increment(second, 4);
    VectorKernels.on(a).increment(first, 4);
    first.close();
    assertThat(released).hasValue(0);
    VectorKernels.on(b).increment(second, 4);
    assertThat(second.download(a)).containsExactly(5, 6, 7, 8);
    second.close();
    gpu.synchronize();
    gpu.close();
    assertThat(released).hasValue(2);
  }

  @Test
  void readOnlyMemoryIsAdoptedTwiceAndNotForWriting() {
    produce();
    ReadableArray<int[]> first =
        gpu.memory()
            .adoptReadable(a, ForeignMemory.at(address, 16).readyAfterEvent(event), int[].class);
    ReadableArray<int[]> second =
        gpu.memory()
            .adoptReadable(
                b, ForeignMemory.at(address + 4, 12).readyAfterEvent(event), int[].class);
    assertThat(first.download(b)).containsExactly(1, 2, 3, 4);
    assertThat(second.download(a)).containsExactly(2, 3, 4);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().adopt(a, memory().alreadyReady(), int[].class))
        .withMessageContaining("adopted as read-only");
    first.close();
    second.close();
    producer.free(address);
  }

  @Test
  void aLostArrayIsGivenBack() throws InterruptedException {
    produce();
    adoptAndForget();
    for (int i = 0; released.get() == 0 && i < 1000; i++) {
      System.gc();
      Thread.sleep(5);
      gpu.memory().reap();
    }
    assertThat(released).hasValue(1);
    assertThat(gpu.memory().statistics().lostArrays()).isEqualTo(1);
  }

  private void adoptAndForget() {
    DeviceArray<int[]> array = gpu.memory().adopt(a, memory().readyAfterEvent(event), int[].class);
    assertThat(array.length()).isEqualTo(4);
  }

  @Test
  void everyFailingDriverCallOfAnAdoptionLeavesTheMemoryToItsOwner() {
    produce();
    for (int nth = 1; nth <= 5; nth++) {
      device.failCall(nth, INVALID_VALUE);
      assertThatThrownBy(
              () -> gpu.memory().adopt(a, memory().readyAfterStream(theirs), int[].class))
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("tensor");
      assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
    }
    assertThat(released).hasValue(0);
    DeviceArray<int[]> array =
        gpu.memory().adopt(a, memory().readyAfterStream(theirs), int[].class);
    assertThat(array.download(b)).containsExactly(1, 2, 3, 4);
    array.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void aCloseThatCannotTellTheOwnerIsRepeated() {
    produce();
    DeviceArray<int[]> array =
        gpu.memory().adopt(a, memory().readyAfterEvent(event).returnedTo(theirs), int[].class);
    assertThat(array.download(b)).containsExactly(1, 2, 3, 4);
    device.failCall(DriverCall.RECORD_EVENT, 1, INVALID_VALUE);
    assertThatThrownBy(array::close).isInstanceOf(CudaDriverException.class);
    assertThat(array.isOpen()).isTrue();
    assertThat(released).hasValue(0);
    array.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void aProducerThatDiedIsToldNothingAndItsMemoryIsReleasedWithTheRuntime() {
    produce();
    DeviceArray<int[]> array =
        gpu.memory().adopt(a, memory().readyAfterEvent(event).returnedTo(theirs), int[].class);
    producer.destroyStream(theirs);
    assertThatThrownBy(array::close)
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("stream 0x" + Long.toHexString(theirs));
    assertThat(released).hasValue(0);
    assertThatThrownBy(gpu::close).isInstanceOf(CudaDriverException.class);
    assertThat(released).hasValue(1);
  }

  @Test
  void aDeviceThatIsLostGivesTheMemoryBack() {
    SimulatedDevice second = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    SimulatedLibrary library = second.library("producer");
    AtomicInteger releases = new AtomicInteger();
    try (DeviceRuntime other = DeviceRuntime.simulated(second);
        DeviceStream stream = other.streams().acquire()) {
      long there = library.allocate(16);
      DeviceArray<int[]> array =
          other
              .memory()
              .adopt(
                  stream,
                  ForeignMemory.at(there, 16).alreadyReady().releasedBy(releases::incrementAndGet),
                  int[].class);
      stream.submit(
          "wild",
          uses -> uses.reads(array),
          call -> library.launch(call.streamHandle(), "stray", memory -> memory.getInt(8)));
      assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
      array.close();
      assertThat(releases).hasValue(1);
    }
    assertThat(releases).hasValue(1);
  }

  @Test
  void anAdoptionInsideOfALaunchIsRefused() {
    a.submit(
        "outer",
        uses -> {},
        call ->
            assertThatThrownBy(() -> gpu.memory().adopt(b, memory().alreadyReady(), int[].class))
                .isInstanceOf(StreamMisuseException.class)
                .hasMessageContaining("'tensor'"));
    producer.free(address);
  }

  @Test
  void aReadOnlyWindowWaitsForItsReadyEventOnEveryStream() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    long there = Inside.allocation(own).address();
    a.synchronize();
    producer.launch(theirs, "produce", memory -> memory.putInt(there, 7));
    producer.recordEvent(event, theirs);
    ReadableArray<int[]> window =
        gpu.memory()
            .adoptReadable(a, ForeignMemory.at(there, 16).readyAfterEvent(event), int[].class);
    assertThat(window.download(b)).containsExactly(7, 2, 3, 4);
    window.close();
    producer.free(address);
  }

  @Test
  void memoryThatIsAdoptedAgainComesAfterItsLastUse() {
    DeviceArray<int[]> first =
        gpu.memory().adopt(a, ForeignMemory.at(address, 16).alreadyReady(), int[].class);
    first.fill(a, 3);
    first.close();
    DeviceArray<int[]> second = gpu.memory().adopt(b, memory().alreadyReady(), int[].class);
    VectorKernels.on(b).increment(second, 4);
    assertThat(second.download(b)).containsExactly(4, 4, 4, 4);
    second.close();
    gpu.synchronize();
  }

  @Test
  void aWindowThatIsClosedInsideOfACallThatUsesItIsGivenBackAfterTheCall() {
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    long there = Inside.allocation(own).address();
    DeviceArray<int[]> window =
        gpu.memory()
            .adopt(
                a,
                ForeignMemory.at(there, 16).alreadyReady().releasedBy(released::incrementAndGet),
                int[].class);
    b.submit(
        "close",
        uses -> uses.reads(window),
        call -> {
          window.close();
          assertThat(released).hasValue(0);
        });
    gpu.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void theDefaultStreamOfEachThreadIsNoHandshake() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> memory().readyAfterStream(2))
        .withMessageContaining("default stream of each thread");
    assertThatIllegalArgumentException().isThrownBy(() -> memory().returnedTo(2));
    producer.free(address);
  }

  @Test
  void misalignedMemoryIsNotReinterpreted() {
    DeviceArray<byte[]> bytes =
        gpu.memory().adopt(a, ForeignMemory.at(address + 1, 8).alreadyReady(), byte[].class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bytes.reinterpret(int[].class))
        .withMessageContaining("not aligned for a int");
    bytes.close();
    producer.free(address);
  }

  @Test
  void manyAdoptionsLeaveNoDriverObjectBehind() {
    List<Long> addresses = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      long there = producer.allocate(64);
      addresses.add(there);
      gpu.memory()
          .adopt(
              i % 2 == 0 ? a : b,
              ForeignMemory.at(there, 64)
                  .readyAfterStream(theirs)
                  .releasedBy(
                      () -> {
                        released.incrementAndGet();
                        producer.free(there);
                      }),
              float[].class)
          .close();
    }
    gpu.close();
    assertThat(released).hasValue(addresses.size());
  }
}
