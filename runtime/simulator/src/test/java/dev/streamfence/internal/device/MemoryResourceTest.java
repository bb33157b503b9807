package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.memory.StreamMark;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a resource of a user can rely on, and what is refused of it. */
final class MemoryResourceTest {
  private static final int ERROR_ILLEGAL_ADDRESS = 700;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  /** Keeps one freed block. */
  private static final class Keeping extends ForwardingResource {
    private record Block(long address, long size, StreamMark freed) {}

    private final Deque<Block> kept = new ArrayDeque<>();

    Keeping(MemoryResource driver) {
      super(driver);
    }

    @Override
    public synchronized long allocate(long sizeInBytes, MemoryStream stream) {
      Block block = kept.peek();
      if (block == null || block.size() != sizeInBytes) {
        return super.allocate(sizeInBytes, stream);
      }
      stream.waitFor(block.freed());
      return kept.remove().address();
    }

    @Override
    public synchronized void deallocate(long address, long sizeInBytes, MemoryStream stream) {
      kept.add(new Block(address, sizeInBytes, stream.mark()));
    }

    @Override
    public synchronized void trim(MemoryStream stream) {
      for (Block block = kept.peek(); block != null; block = kept.peek()) {
        stream.waitFor(block.freed());
        super.deallocate(block.address(), block.size(), stream);
        kept.remove();
      }
    }
  }

  private DeviceRuntime open(UnaryOperator<MemoryResource> resource) {
    return open(RuntimeOptions.defaults(), resource);
  }

  private DeviceRuntime open(RuntimeOptions options, UnaryOperator<MemoryResource> resource) {
    return DeviceRuntime.simulated(device, options.withMemoryResource(resource));
  }

  private static DeviceArray<byte[]> bytes(DeviceRuntime gpu, DeviceStream stream, long size) {
    return gpu.memory().allocate(stream, byte[].class, size);
  }

  @Test
  void memoryOfOneStreamIsUsedAgainWithoutADriverCall() {
    try (DeviceRuntime gpu = open(Keeping::new);
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> first = bytes(gpu, stream, 1000);
      first.fill(stream, 1L);
      first.close();
      long before = device.calls();

      bytes(gpu, stream, 1000).close();

      assertThat(device.calls()).isEqualTo(before);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void memoryOfAnotherStreamIsUsedAfterOneWait() {
    try (DeviceRuntime gpu = open(Keeping::new);
        DeviceStream stream = gpu.streams().acquire();
        DeviceStream other = gpu.streams().acquire()) {
      DeviceArray<byte[]> first = bytes(gpu, stream, 1000);
      first.fill(stream, 1L);
      first.close();
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      long allocations = device.calls(DriverCall.ALLOCATE_ASYNC);

      DeviceArray<byte[]> second = bytes(gpu, other, 1000);

      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
      assertThat(device.calls(DriverCall.ALLOCATE_ASYNC)).isEqualTo(allocations);
      second.fill(other, 2L);
      assertThat(second.download(other)).containsOnly(2);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aWaitThatTheDriverRefusesIsMadeOnTheHost() {
    try (DeviceRuntime gpu = open(Keeping::new);
        DeviceStream stream = gpu.streams().acquire();
        DeviceStream other = gpu.streams().acquire()) {
      DeviceArray<byte[]> first = bytes(gpu, stream, 1000);
      first.fill(stream, 1L);
      first.close();
      device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);

      DeviceArray<byte[]> second = bytes(gpu, other, 1000);

      assertThat(device.pendingFailures()).isEmpty();
      second.fill(other, 2L);
      assertThat(second.download(other)).containsOnly(2);
    }
  }

  @Test
  void aWaitThatLosesTheDeviceIsNotRepeatedOnTheHost() {
    DeviceRuntime gpu = open(Keeping::new);
    DeviceStream stream = gpu.streams().acquire();
    DeviceStream other = gpu.streams().acquire();
    DeviceArray<byte[]> first = bytes(gpu, stream, 1000);
    first.fill(stream, 1L);
    first.close();
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, ERROR_ILLEGAL_ADDRESS);

    assertThatThrownBy(() -> bytes(gpu, other, 1000))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("cuStreamWaitEvent")
        .hasNoSuppressedExceptions();
    gpu.close();
  }

  @Test
  void aMarkSaysWhetherTheDeviceHasReachedIt() {
    List<StreamMark> marks = new ArrayList<>();
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        marks.add(stream.mark());
                        super.deallocate(address, size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> array = bytes(gpu, stream, 1000);
      array.fill(stream, 1L);
      array.close();
      bytes(gpu, stream, 8).close();

      assertThat(marks.get(0).isReached()).isFalse();
      marks.get(0).await();
      assertThat(marks.get(0).isReached()).isTrue();
    }
  }

  @Test
  void memoryThatIsNotStreamOrderedIsReturnedWhenTheDeviceIsDoneWithIt() {
    List<Boolean> reached = new ArrayList<>();
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withDirectMemory(true),
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        reached.add(stream.mark().isReached());
                        super.deallocate(address, size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> array = bytes(gpu, stream, 1000);
      array.fill(stream, 1L);
      array.close();
      assertThat(reached).containsExactly(true);
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    }
  }

  @Test
  void whatCallsItselfStreamOrderedInFrontOfDirectMemoryIsWaitedFor() {
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withDirectMemory(true),
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public boolean isStreamOrdered() {
                        return true;
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> array = bytes(gpu, stream, 1000);
      array.fill(stream, 1L);
      array.close();
      assertThat(device.calls(DriverCall.FREE)).isEqualTo(1);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void memoryThatOverlapsAnArrayIsRefusedAndTheArrayStaysRight() {
    long[] last = new long[1];
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        last[0] = last[0] == 0 ? super.allocate(size, stream) : last[0] + 256;
                        return last[0];
                      }
                    });
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<byte[]> array = bytes(gpu, stream, 1000)) {
      array.fill(stream, 1L);
      assertThatIllegalStateException()
          .isThrownBy(() -> gpu.memory().allocate(stream, byte[].class, 8, "keys"))
          .withMessageStartingWith("a resource of the test handed out 0x")
          .withMessageContaining(", which overlaps allocation")
          .withMessageContaining("'byte[1000]'")
          .withMessageEndingWith(", for 8 bytes of 'keys'");
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(1000);
      assertThat(array.download(stream)).containsOnly(1);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void misalignedMemoryIsRefusedAndReturned() {
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        return super.allocate(size + 8, stream) + 8;
                      }

                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        super.deallocate(address - 8, size + 8, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> bytes(gpu, stream, 100))
          .withMessageEndingWith(", which is no multiple of 256, for 100 bytes of 'byte[100]'");
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    }
  }

  @Test
  void memoryThatIsRefusedIsReturnedAlthoughTheResourceHasNoName() {
    IOException nameless = new IOException("no name");
    boolean[] isNameless = {true};
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        return super.allocate(size + 8, stream) + 8;
                      }

                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        super.deallocate(address - 8, size + 8, stream);
                      }

                      @Override
                      public String toString() {
                        if (isNameless[0]) {
                          throw Undeclared.thrown(nameless);
                        }
                        return super.toString();
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatThrownBy(() -> bytes(gpu, stream, 100)).isSameAs(nameless);
      isNameless[0] = false;
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void memoryThatIsRefusedAndCannotBeReturnedIsRefusedForWhatItIs(Exception kept) {
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        return super.allocate(size + 8, stream) + 8;
                      }

                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        throw Undeclared.thrown(kept);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> bytes(gpu, stream, 100))
          .withMessageContaining("which is no multiple of 256")
          .satisfies(refusal -> assertThat(refusal.getSuppressed()).containsExactly(kept));
    }
  }

  @Test
  void anAddressThatCannotBeOneIsRefused() {
    for (long address : new long[] {0, -256, Long.MAX_VALUE - 255}) {
      try (DeviceRuntime gpu =
              open(
                  driver ->
                      new ForwardingResource(driver) {
                        @Override
                        public long allocate(long size, MemoryStream stream) {
                          return address;
                        }
                      });
          DeviceStream stream = gpu.streams().acquire()) {
        assertThatIllegalStateException()
            .isThrownBy(() -> bytes(gpu, stream, 1000))
            .withMessageContaining(", which is no address of the device, for 1000 bytes");
      }
    }
  }

  /** One that no method declares as well: a resource in Kotlin or Scala may throw it. */
  static List<Exception> exceptions() {
    return List.of(new IllegalStateException("no more blocks"), new IOException("no more blocks"));
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void anExceptionOfTheResourceReachesTheCallerAndChangesNothing(Exception refusal) {
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1000)),
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        if (size == 1000) {
                          throw Undeclared.thrown(refusal);
                        }
                        return super.allocate(size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatThrownBy(() -> bytes(gpu, stream, 1000)).isSameAs(refusal);
      try (MemoryReservation room = gpu.memory().reserve(1000)) {
        assertThatThrownBy(() -> room.allocate(stream, byte[].class, 1000)).isSameAs(refusal);
        assertThat(room.remainingBytes()).isEqualTo(1000);
      }
      bytes(gpu, stream, 999).close();
    }
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void aReturnThatFailsLeavesTheArrayOpenAndCanBeRepeated(Exception refusal) {
    boolean[] refuses = {true};
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public void deallocate(long address, long size, MemoryStream stream) {
                        if (refuses[0]) {
                          throw Undeclared.thrown(refusal);
                        }
                        super.deallocate(address, size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> array = bytes(gpu, stream, 1000);
      array.fill(stream, 3L);
      assertThatThrownBy(array::close).isSameAs(refusal);
      assertThat(array.download(stream)).containsOnly(3);
      refuses[0] = false;
      array.close();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aShortDeviceTrimsTheResourceAndAsksAgain() {
    SimulatedDevice small = SimulatedDevice.builder().memoryInBytes(1 << 20).build();
    RuntimeOptions options = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited());
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(small, options.withMemoryResource(Keeping::new));
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 700_000).close();
      bytes(gpu, stream, 800_000).close();
      assertThatThrownBy(() -> bytes(gpu, stream, 2 << 20))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class, e -> assertThat(e.isByDriver()).isTrue());
    }
    assertThat(small.liveObjects()).isZero();
  }

  @Test
  void aResourceThatUsesTheRuntimeIsRefused() {
    DeviceRuntime[] opened = new DeviceRuntime[1];
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        if (size == 8) {
                          bytes(opened[0], opened[0].streams().defaultStream(), 4);
                        }
                        return super.allocate(size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      opened[0] = gpu;
      assertThatThrownBy(() -> bytes(gpu, stream, 8))
          .isInstanceOfSatisfying(
              StreamMisuseException.class,
              e -> assertThat(e.kind()).isEqualTo(Misuse.INSIDE_LAUNCH));
      bytes(gpu, stream, 16).close();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aStreamIsRefusedAfterItsCall() {
    MemoryStream[] kept = new MemoryStream[1];
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        kept[0] = stream;
                        assertThat(stream.handle()).isNotZero();
                        return super.allocate(size, stream);
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 8).close();
      for (Runnable use : List.<Runnable>of(kept[0]::handle, kept[0]::mark)) {
        assertThatThrownBy(use::run)
            .isInstanceOfSatisfying(
                StreamMisuseException.class,
                e -> assertThat(e.kind()).isEqualTo(Misuse.OUT_OF_SCOPE));
      }
    }
  }

  @Test
  void aMarkOfAnotherRuntimeIsRefused() {
    StreamMark[] mark = new StreamMark[1];
    UnaryOperator<MemoryResource> resource =
        driver ->
            new ForwardingResource(driver) {
              @Override
              public long allocate(long size, MemoryStream stream) {
                if (mark[0] == null) {
                  mark[0] = stream.mark();
                } else {
                  stream.waitFor(mark[0]);
                }
                return super.allocate(size, stream);
              }
            };
    try (DeviceRuntime one = open(resource);
        DeviceStream first = one.streams().acquire()) {
      bytes(one, first, 8).close();
      try (DeviceRuntime two =
              DeviceRuntime.simulated(
                  SimulatedDevice.builder().build(),
                  RuntimeOptions.defaults().withMemoryResource(resource));
          DeviceStream second = two.streams().acquire()) {
        assertThatThrownBy(() -> bytes(two, second, 8))
            .isInstanceOfSatisfying(
                StreamMisuseException.class,
                e -> assertThat(e.kind()).isEqualTo(Misuse.OTHER_RUNTIME));
      }
    }
  }

  @Test
  void whatAResourceReturnsToTheDriverMustComeFromIt() {
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long size, MemoryStream stream) {
                        long address = super.allocate(size, stream);
                        assertThatIllegalArgumentException()
                            .isThrownBy(() -> driver.deallocate(address, size + 1, stream))
                            .withMessageContaining("which handed out " + size + " bytes there");
                        assertThatIllegalArgumentException()
                            .isThrownBy(() -> driver.deallocate(address + 256, size, stream))
                            .withMessageContaining("which did not hand them out");
                        return address;
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 8).close();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void whatAResourceKeepsAtTheCloseIsReportedAndFreed() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      try (DeviceRuntime gpu =
              open(
                  driver ->
                      new ForwardingResource(driver) {
                        @Override
                        public void deallocate(long address, long size, MemoryStream stream) {}
                      });
          DeviceStream stream = gpu.streams().acquire()) {
        bytes(gpu, stream, 8).close();
        bytes(gpu, stream, 16).close();
      }
      assertThat(log.recordsWith("a resource of the test"))
          .extracting(LogRecord::getMessage)
          .containsExactly(
              "a resource of the test keeps 24 bytes of the driver's pool of device 0 after its last trim;"
                  + " the runtime frees them");
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aLostDeviceClosesWithoutTheResource() {
    try (DeviceRuntime gpu = open(Keeping::new);
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> array = bytes(gpu, stream, 8);
      array.fill(stream, 1L);
      device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, ERROR_ILLEGAL_ADDRESS);
      assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
      assertThatCode(array::close).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void aResourceThatCannotBeMadeLeavesTheDeviceToTheNextRuntime(Exception refusal) {
    assertThatThrownBy(
            () ->
                open(
                    driver -> {
                      throw Undeclared.thrown(refusal);
                    }))
        .isSameAs(refusal);
    open(Keeping::new).close();
    assertThat(device.liveObjects()).isZero();
  }

  /** A resource that cannot be trimmed: the close of its runtime throws. */
  private static final class Untrimmed extends ForwardingResource {
    private final Exception refusal;

    Untrimmed(MemoryResource driver, Exception refusal) {
      super(driver);
      this.refusal = refusal;
    }

    @Override
    public void trim(MemoryStream stream) {
      throw Undeclared.thrown(refusal);
    }
  }

  @Test
  void aGroupThatCannotBeOpenedClosesTheRuntimesThatItHas() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(2);
    IOException unopened = new IOException("unopened");
    IOException untrimmed = new IOException("untrimmed");
    int[] made = new int[1];
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withMemoryResource(
                driver -> {
                  if (++made[0] == 2) {
                    throw Undeclared.thrown(unopened);
                  }
                  return new Untrimmed(driver, untrimmed);
                });
    assertThatThrownBy(() -> DeviceGroup.simulated(devices, options))
        .isSameAs(unopened)
        .hasSuppressedException(untrimmed);
    DeviceGroup.simulated(devices, RuntimeOptions.defaults()).close();
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void aResourceThatCannotBeTrimmedIsReportedByTheClose(Exception refusal) {
    DeviceRuntime gpu = open(driver -> new Untrimmed(driver, refusal));
    assertThatThrownBy(gpu::close).isSameAs(refusal);
    assertThat(gpu.isOpen()).isFalse();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void noResourceIsRefused() {
    assertThatNullPointerException()
        .isThrownBy(() -> RuntimeOptions.defaults().withMemoryResource(null))
        .withMessageContaining("resource");
    assertThatNullPointerException()
        .isThrownBy(() -> open(driver -> null))
        .withMessageContaining("the memory resource");
    assertThat(device.liveObjects()).isZero();
  }

  /** A resource whose returns of some sizes fail while it says so. */
  private static final class Refusing extends ForwardingResource {
    private volatile boolean refuses = true;
    private final long size;

    Refusing(MemoryResource driver, long size) {
      super(driver);
      this.size = size;
    }

    @Override
    public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
      if (refuses && sizeInBytes == size) {
        throw Undeclared.thrown(new IOException("not now"));
      }
      super.deallocate(address, sizeInBytes, stream);
    }
  }

  @Test
  void aLostArrayWhoseReturnFailsIsReturnedLater() throws Exception {
    Refusing[] resource = new Refusing[1];
    try (DeviceRuntime gpu = open(driver -> resource[0] = new Refusing(driver, 1000));
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 1000);
      while (gpu.memory().statistics().lostArrays() == 0) {
        System.gc();
        Thread.sleep(10);
      }
      bytes(gpu, stream, 8).close();
      assertThat(gpu.memory().statistics().failedFrees()).isPositive();
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(1000);
      resource[0].refuses = false;
      gpu.memory().reap();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void guardedMemoryWhoseReturnFailsIsReturnedLater() {
    Refusing[] resource = new Refusing[1];
    long guarded = 1000 + 2 * 512;
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withGuardMemory(true),
                driver -> resource[0] = new Refusing(driver, guarded));
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 1000).close();
      // The margins are checked, and the memory given back, once many others were closed.
      for (int i = 0; i < 200; i++) {
        bytes(gpu, stream, 8).close();
      }
      gpu.memory().reap();
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(1000);
      resource[0].refuses = false;
      gpu.memory().reap();
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void guardedMemoryThatCannotBeFilledOrReturnedIsReturnedLater() {
    Refusing[] resource = new Refusing[1];
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withGuardMemory(true),
                driver -> resource[0] = new Refusing(driver, 1000 + 2 * 512));
        DeviceStream stream = gpu.streams().acquire()) {
      device.failCall(DriverCall.FILL_8_ASYNC, 1, 1);
      assertThatThrownBy(() -> bytes(gpu, stream, 1000))
          .isInstanceOf(CudaDriverException.class)
          .satisfies(
              failure ->
                  assertThat(failure.getSuppressed())
                      .singleElement()
                      .isInstanceOf(IOException.class));
      long frees = device.calls(DriverCall.FREE_ASYNC);
      resource[0].refuses = false;
      gpu.memory().reap();
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees + 1);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aReapThatFailsDoesNotHideThatTheBudgetIsShort() {
    Refusing[] resource = new Refusing[1];
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults()
                    .withMemoryBudget(MemoryBudget.ofBytes(3000))
                    .withGuardMemory(true),
                driver -> resource[0] = new Refusing(driver, 1000 + 2 * 512));
        DeviceStream stream = gpu.streams().acquire()) {
      bytes(gpu, stream, 1000).close();
      assertThatThrownBy(() -> bytes(gpu, stream, 2500))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      resource[0].refuses = false;
      bytes(gpu, stream, 2500).close();
    }
  }

  /** An element whose value cannot be had. */
  private record Broken(int value) {
    @Override
    public int value() {
      throw Undeclared.thrown(new IOException("no value"));
    }
  }

  @Test
  void theArrayOfElementsThatCannotBeReadIsFreedAndIfThatFailsLater() {
    Refusing[] resource = new Refusing[1];
    Broken[] elements = {new Broken(1), new Broken(2)};
    try (DeviceRuntime gpu = open(driver -> resource[0] = new Refusing(driver, 8));
        DeviceStream stream = gpu.streams().acquire()) {
      for (boolean refuses : new boolean[] {false, true}) {
        resource[0].refuses = refuses;
        Throwable failure = catchThrowable(() -> gpu.memory().upload(stream, elements));
        assertThat(failure).hasRootCauseMessage("no value");
        assertThat(failure.getSuppressed()).hasSize(refuses ? 1 : 0);
        resource[0].refuses = false;
        gpu.memory().reap();
        assertThat(gpu.memory().statistics().liveBytes()).isZero();
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void anArrayThatCannotBeFreedWhenItIsSpilledStaysWhereItIs() {
    Refusing[] resource = new Refusing[1];
    try (DeviceRuntime gpu =
            open(
                RuntimeOptions.defaults().withSpillMemoryInBytes(5000),
                driver -> resource[0] = new Refusing(driver, 1000));
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<byte[]> bytes = bytes(gpu, stream, 1000);
      bytes.fill(stream, 3L);
      try (SpillableArray<byte[]> array = gpu.memory().spillable(bytes)) {
        assertThatThrownBy(() -> gpu.memory().spill(stream, 1)).isInstanceOf(IOException.class);
        assertThat(array.place()).isEqualTo(SpillableArray.Place.DEVICE);
        assertThat(gpu.memory().pressure().spilling().hostBytes()).isZero();
        assertThat(gpu.memory().pressure().spilling().failures()).isEqualTo(1);
        resource[0].refuses = false;
        assertThat(gpu.memory().spill(stream, 1)).isEqualTo(1000);
        try (SpillableArray.Use<byte[]> use = array.use(stream)) {
          assertThat(use.array().download(stream)).containsOnly(3);
        }
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void aTrimThatFailsDoesNotHideThatMemoryIsShort(Exception broken) {
    SimulatedDevice small = SimulatedDevice.builder().memoryInBytes(1 << 20).build();
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withMemoryBudget(MemoryBudget.unlimited())
            .withMemoryResource(
                driver ->
                    new ForwardingResource(driver) {
                      private boolean trimmed;

                      @Override
                      public void trim(MemoryStream stream) {
                        if (!trimmed) {
                          trimmed = true;
                          throw Undeclared.thrown(broken);
                        }
                      }
                    });
    try (DeviceRuntime gpu = DeviceRuntime.simulated(small, options);
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatThrownBy(() -> bytes(gpu, stream, 2 << 20))
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasMessageContaining("which a resource of the test refuses: cuMemAllocAsync")
          .satisfies(e -> assertThat(e.getCause().getSuppressed()).containsExactly(broken));
    }
  }

  @Test
  void theDriverIsCalledWithTheStreamOfTheRunningCallAlone() throws Exception {
    MemoryStream[] kept = new MemoryStream[1];
    MemoryResource[] taken = new MemoryResource[1];
    UnaryOperator<MemoryResource> resource =
        driver ->
            new ForwardingResource(driver) {
              @Override
              public long allocate(long size, MemoryStream stream) {
                assertThatNullPointerException()
                    .isThrownBy(() -> driver.allocate(size, null))
                    .withMessage("stream");
                assertThatNullPointerException()
                    .isThrownBy(() -> stream.waitFor(null))
                    .withMessage("mark");
                if (kept[0] == null) {
                  kept[0] = stream;
                  taken[0] = driver;
                } else if (taken[0] == driver) {
                  assertThatThrownBy(() -> driver.allocate(size, kept[0]))
                      .satisfies(misuse(Misuse.OUT_OF_SCOPE));
                } else {
                  assertThatThrownBy(() -> taken[0].allocate(size, stream))
                      .satisfies(misuse(Misuse.OTHER_RUNTIME));
                }
                return super.allocate(size, stream);
              }
            };
    for (boolean direct : new boolean[] {true, false}) {
      kept[0] = null;
      RuntimeOptions options = RuntimeOptions.defaults().withDirectMemory(direct);
      try (DeviceRuntime one =
              DeviceRuntime.simulated(
                  SimulatedDevice.builder().build(), options.withMemoryResource(resource));
          DeviceStream first = one.streams().acquire();
          DeviceRuntime two =
              DeviceRuntime.simulated(
                  SimulatedDevice.builder().build(), options.withMemoryResource(resource));
          DeviceStream second = two.streams().acquire()) {
        bytes(one, first, 8).close();
        bytes(one, first, 8).close();
        bytes(two, second, 8).close();
      }
    }
  }

  @Test
  void aResourceThatIsNotStreamOrderedTakesNothingFromThePool() {
    try (DeviceRuntime gpu =
            open(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public boolean isStreamOrdered() {
                        return false;
                      }
                    });
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> bytes(gpu, stream, 8))
          .withMessageContaining("open the runtime with direct memory");
    }
  }
}
