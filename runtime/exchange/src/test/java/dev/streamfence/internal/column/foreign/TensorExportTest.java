package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Pointer;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.internal.exchange.DeviceTag;
import dev.streamfence.internal.exchange.DlTensor;
import dev.streamfence.internal.exchange.ManagedTensor;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.internal.exchange.TensorElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrays as tensors for another library. */
final class TensorExportTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary cupy = device.library("cupy");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();
  private final long theirs = cupy.createStream();
  private final TensorConsumer consumer = TensorConsumer.onStream(theirs);

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    if (gpu.isOpen()) {
      awaitNothingOutstanding();
    }
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anArrayIsExportedAsATensorOfOneDimension(ElementType type) {
    try (DeviceArray<?> array = gpu.memory().allocate(stream, type.array(), 5);
        ExportedTensor exported = DlPack.export(array, consumer)) {
      assertThat(exported.isVersioned()).isFalse();
      assertThat(exported.capsuleName()).isEqualTo("dltensor");
      long address = exported.handOver();
      ManagedTensor tensor = ManagedTensor.read(address, Form.LEGACY);
      assertThat(tensor.tensor())
          .isEqualTo(
              new DlTensor(
                  Inside.allocation(array).address(),
                  new DeviceTag(DeviceTag.CUDA, 0),
                  TensorElement.of(type),
                  List.of(5L),
                  List.of(1L),
                  0));
      assertThat(tensor.tensor().data()).isNotZero();
      DlPack.tensor(address).delete();
    }
  }

  private record Pair(int first, int second) {}

  @Test
  void aTensorHasNoRecords() {
    try (DeviceArray<Pair[]> array = gpu.memory().allocate(stream, Pair[].class, 2)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(array, consumer))
          .withMessageEndingWith(
              " cannot be exported: a tensor has no records; export a view of it that is"
                  + " reinterpreted as byte[]");
    }
  }

  @Test
  void aConsumerGetsTheVersionThatItUnderstands() {
    try (DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 5)) {
      assertThat(version(array, consumer.understanding(0, 9))).isEqualTo("0.0");
      assertThat(version(array, consumer.understanding(1, 0))).isEqualTo("1.0");
      assertThat(version(array, consumer.understanding(1, 3))).isEqualTo("1.1");
      assertThat(version(array, consumer.understanding(2, 0))).isEqualTo("1.1");
    }
  }

  private static String version(DeviceArray<?> array, TensorConsumer consumer) {
    try (ExportedTensor exported = DlPack.export(array, consumer)) {
      assertThat(exported.capsuleName())
          .isEqualTo(exported.isVersioned() ? "dltensor_versioned" : "dltensor");
      long address = exported.handOver();
      Form form = exported.isVersioned() ? Form.VERSIONED : Form.LEGACY;
      String version = ManagedTensor.read(address, form).version().toString();
      delete(exported, address);
      return version;
    }
  }

  private static void delete(ExportedTensor exported, long address) {
    (exported.isVersioned() ? DlPack.versionedTensor(address) : DlPack.tensor(address)).delete();
  }

  @Test
  void aViewIsExportedFromItsFirstElement() {
    try (DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 5);
        ExportedTensor exported = DlPack.export(array.view(2, 3), consumer)) {
      long address = exported.handOver();
      DlTensor tensor = ManagedTensor.read(address, Form.LEGACY).tensor();
      assertThat(tensor.data()).isEqualTo(Inside.allocation(array).address() + 8);
      assertThat(tensor.byteOffset()).isZero();
      assertThat(tensor.shape()).containsExactly(3L);
      DlPack.tensor(address).delete();
    }
  }

  @Test
  void anArrayIsExportedAsAMatrixThatCoversItExactly() {
    try (DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, 12)) {
      try (ExportedTensor exported = DlPack.export(array, 3, 4, consumer)) {
        long address = exported.handOver();
        DlTensor tensor = ManagedTensor.read(address, Form.LEGACY).tensor();
        assertThat(tensor.shape()).containsExactly(3L, 4L);
        assertThat(tensor.strides()).containsExactly(4L, 1L);
        DlPack.tensor(address).delete();
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(array, 3, 5, consumer))
          .withMessage(array + " has 12 elements; a tensor of shape [3, 5] has 15");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(array, 1L << 40, 1L << 40, consumer))
          .withMessageEndingWith("which has more elements than a long counts");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(array, -3, -4, consumer))
          .withMessageEndingWith("as a tensor of shape [-3, -4]");
    }
  }

  @Test
  void anEmptyArrayIsExportedWithoutMemory() {
    try (DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 0);
        ExportedTensor exported = DlPack.export(array, 0, 7, consumer)) {
      long address = exported.handOver();
      DlTensor tensor = ManagedTensor.read(address, Form.LEGACY).tensor();
      assertThat(tensor.data()).isZero();
      assertThat(tensor.shape()).containsExactly(0L, 7L);
      DlPack.tensor(address).delete();
    }
  }

  @Test
  void anEmptyArrayIsExportedInAnyShapeWithoutElements() {
    try (DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 0)) {
      List<Long> shape = new ArrayList<>(List.of(0L, 1L << 40, 1L << 40));
      for (int i = 0; i < 3; i++) {
        try (ExportedTensor exported = TensorLoan.export(array, shape, consumer)) {
          long address = exported.handOver();
          DlTensor tensor = ManagedTensor.read(address, Form.LEGACY).tensor();
          assertThat(tensor.shape()).isEqualTo(shape);
          assertThat(tensor.strides()).hasSize(3).doesNotContain(0L);
          DlPack.tensor(address).delete();
        }
        Collections.rotate(shape, 1);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TensorLoan.export(array, List.of(0L, -1L), consumer))
          .withMessageEndingWith("as a tensor of shape [0, -1]");
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void bothSidesAreOrderedOnEverySchedule(Schedule schedule) throws InterruptedException {
    SimulatedDevice ordered = SimulatedDevice.builder().schedule(schedule).seed(5).build();
    SimulatedLibrary library = ordered.library("cupy");
    try (DeviceRuntime runtime = DeviceRuntime.simulated(ordered)) {
      long away = library.createStream();
      DeviceStream here = runtime.streams().acquire();
      for (int i = 0; i < 10; i++) {
        DeviceArray<int[]> array = runtime.memory().allocateZeroed(here, int[].class, 4);
        long there = Inside.allocation(array).address();
        array.fill(here, 20L);
        ExportedTensor exported =
            DlPack.export(array, TensorConsumer.onStream(away).understanding(1, 1));
        long address = exported.handOver();
        library.launch(away, "twice", memory -> memory.putInt(there, 2 * memory.getInt(there)));
        DlPack.versionedTensor(address).delete();
        awaitEndOfLoan(array);
        assertThat(array.download(here)[0]).isEqualTo(40);
        array.close();
      }
      here.close();
    }
    assertThat(ordered.liveObjects()).isZero();
  }

  @Test
  void aConsumerOfNoStreamIsNotOrdered() {
    device.collectFindings();
    try (DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      long there = Inside.allocation(array).address();
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      long address = DlPack.export(array, TensorConsumer.onStream(-1)).handOver();
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
      cupy.launch(theirs, "read", memory -> memory.getInt(there));
      cupy.synchronize(theirs);
      DlPack.tensor(address).delete();
    }
    assertThat(device.findings())
        .extracting(finding -> finding.kind())
        .contains(RacyAccessException.Kind.USE_BEFORE_READY);
  }

  @Test
  void anArrayThatIsClosedStaysAllocatedUntilTheDeleter() throws InterruptedException {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    long there = Inside.allocation(array).address();
    long address = DlPack.export(array, consumer).handOver();
    array.close();
    assertThatThrownBy(() -> array.download(stream)).isInstanceOf(UseAfterFreeException.class);
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(16);
    // Still queued when the deleter runs: the free waits for it, or it is a race.
    cupy.launch(theirs, "write", memory -> memory.putInt(there, 7));
    DlPack.tensor(address).delete();
    awaitNothingOutstanding();
    cupy.synchronize(theirs);
  }

  @Test
  void aTensorThatIsNotHandedOverEndsWithItsClose() throws InterruptedException {
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 4);
    ExportedTensor exported = DlPack.export(array, consumer);
    array.close();
    exported.close();
    exported.close();
    awaitNothingOutstanding();
    assertThatIllegalStateException()
        .isThrownBy(exported::handOver)
        .withMessageEndingWith("is closed");
  }

  @Test
  void deletersMayRunOnThreadsThatJavaDoesNotKnow() throws InterruptedException {
    TensorLibrary library = new TensorLibrary(deleted -> {});
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    long[] tensors = new long[20];
    for (int i = 0; i < tensors.length; i++) {
      tensors[i] = DlPack.export(array, consumer.understanding(1, 0)).handOver();
    }
    array.close();
    library.deleteOnThreads(tensors);
    awaitNothingOutstanding();
  }

  @Test
  void aDeleterWaitsForNoStream() throws Exception {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    long address = DlPack.export(array, consumer).handOver();
    DeviceStream adopted = gpu.streams().adopt(theirs);
    // The stream is held, as by a foreign call that waits for a lock of the deleting thread.
    adopted.submit(
        "call",
        uses -> {},
        call -> {
          Thread deleting = new Thread(() -> DlPack.tensor(address).delete());
          deleting.start();
          deleting.join();
        });
    adopted.close();
    array.close();
  }

  @Test
  void anExportThatComesBackIsTheArrayItself() {
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2, 3});
    long address = DlPack.export(array, consumer).handOver();
    DeviceArray<int[]> back =
        DlPack.tensor(address).adopt(other, int[].class, TensorProducer.onStream(theirs));
    assertThat(Inside.allocation(back)).isSameAs(Inside.allocation(array));
    // Without shared hazards, these are a race.
    back.fill(other, 9L);
    array.fill(stream, 5L);
    assertThat(back.download(other)).containsExactly(5, 5, 5);
    array.close();
    assertThat(back.download(other)).containsExactly(5, 5, 5);
    back.close();
  }

  @Test
  void anExportThatWasChangedDoesNotComeBack() {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 3);
    DeviceArray<int[]> second = gpu.memory().allocateZeroed(stream, int[].class, 3);
    long address = DlPack.export(array, consumer).handOver();
    long first = new Pointer(address).getLong(0);
    long otherAddress = Inside.allocation(second).address();
    new Pointer(address).setLong(0, otherAddress);
    ForeignTensor tensor = DlPack.tensor(address);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, int[].class, TensorProducer.done()))
        .withMessage(
            "the %s has the data at 0x%x; it was exported with 0x%x", tensor, otherAddress, first);
    tensor.delete();
    array.close();
    second.close();
  }

  @Test
  void theExportOfAnotherRuntimeIsForeign() {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 3);
    ForeignTensor tensor = DlPack.tensor(DlPack.export(array, consumer).handOver());
    try (DeviceRuntime second = DeviceRuntime.simulated()) {
      DeviceStream there = second.streams().acquire();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> tensor.adopt(there, int[].class, TensorProducer.done()))
          .withMessageContaining("memory that the driver does not know");
    }
    tensor.delete();
    array.close();
  }

  @Test
  void aClosedArrayIsNotExported() {
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 3);
    array.close();
    assertThatThrownBy(() -> DlPack.export(array, consumer))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("exporting");
    DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0);
    empty.close();
    assertThatThrownBy(() -> DlPack.export(empty, consumer))
        .isInstanceOf(UseAfterFreeException.class);
    gpu.close();
    assertThatThrownBy(() -> DlPack.export(array, consumer))
        .isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void anExportThatTheDriverRefusesLeavesNothing() {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 3);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);
    assertThatThrownBy(() -> DlPack.export(array, consumer)).hasMessageContaining("exporting");
    array.close();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
  }

  @Test
  void aSplitArrayIsNotExported() {
    try (DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 4);
        DeviceParts<int[]> parts = array.split(2)) {
      assertThatThrownBy(() -> DlPack.export(array, consumer))
          .isInstanceOf(StreamMisuseException.class);
      DlPack.export(parts.get(1), consumer).close();
    }
  }

  @Test
  void anArrayThatIsSplitWhileItIsLentIsTakenBack() throws InterruptedException {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    ExportedTensor exported = DlPack.export(array, consumer);
    DeviceParts<int[]> parts = array.split(2);
    long there = Inside.allocation(array).address();
    cupy.launch(theirs, "write", memory -> memory.putInt(there, 7));
    exported.close();
    awaitEndOfLoan(array);
    assertThat(parts.get(0).download(stream)).containsExactly(7, 0);
    array.close();
  }

  @Test
  void pageLockedMemoryIsNotExported() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(host.mapped(), consumer))
          .withMessageContaining("page-locked host memory");
    }
  }

  @Test
  void aReadOnlyArrayIsExportedAsAReadOnlyTensor() {
    long there = cupy.allocate(16);
    ReadableArray<int[]> array =
        gpu.memory()
            .adoptReadable(
                stream, ForeignMemory.at(there, 16).alreadyReady().named("theirs"), int[].class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DlPack.export(array, consumer))
        .withMessageContaining("is read-only, which a legacy tensor cannot say");
    long address = DlPack.export(array, consumer.understanding(1, 0)).handOver();
    assertThat(DlPack.versionedTensor(address).isReadOnly()).isTrue();
    DlPack.versionedTensor(address).delete();
    array.close();
    cupy.free(there);
  }

  @Test
  void aConsumerThatReadsDoesNotHoldReadersUp() {
    DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4);
    stream.synchronize();
    long address = DlPack.export(array, consumer.understanding(1, 0).reading()).handOver();
    assertThat(DlPack.versionedTensor(address).isReadOnly()).isTrue();
    long there = Inside.allocation(array).address();
    boolean[] ran = new boolean[1];
    cupy.launch(
        theirs,
        "read",
        memory -> {
          memory.getInt(there);
          ran[0] = true;
        });
    assertThat(array.download(stream)).containsExactly(0, 0, 0, 0);
    assertThat(ran[0]).isFalse();
    DlPack.versionedTensor(address).delete();
    array.close();
  }

  @Test
  void anArrayIsTakenBackIfTheStreamOfItsConsumerCannotWait() {
    try (DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      // The default stream of each thread does not exist on this device.
      assertThatThrownBy(() -> DlPack.export(array, TensorConsumer.onStream(2)))
          .isInstanceOf(CudaDriverException.class);
      assertThat(Inside.allocation(array).hazards().isHeld()).isFalse();
    }
  }

  @Test
  void aTensorThatIsInUseWhenTheRuntimeIsClosedIsReported() {
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 4);
    long address = DlPack.export(array, consumer).handOver();
    array.close();
    List<String> log;
    try (RuntimeLog warnings = RuntimeLog.listen()) {
      gpu.close();
      log = warnings.messages();
    }
    assertThat(log)
        .anyMatch(
            line -> line.contains("is closed while another library has the export of int[4]"));
    // The deleter of a tensor that is gone with its runtime does nothing, and does not fail.
    DlPack.tensor(address).delete();
  }

  @Test
  void aConsumerNamesAStreamOfPythonsProtocol() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorConsumer.onStream(0))
        .withMessageContaining("stream 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorConsumer.onStream(-2))
        .withMessageContaining("stream -2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorConsumer.onStream(1).understanding(-1, 0))
        .withMessageContaining("version -1.0");
    try (DeviceArray<int[]> array = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      DlPack.export(array, TensorConsumer.onStream(1)).close();
    }
  }

  private static void awaitEndOfLoan(DeviceArray<?> array) throws InterruptedException {
    for (int i = 0; Inside.allocation(array).hazards().isHeld() && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(Inside.allocation(array).hazards().isHeld()).isFalse();
  }

  /** Waits until all memory came back: that of a closed array whose export ends later, too. */
  private void awaitNothingOutstanding() throws InterruptedException {
    for (int i = 0; i < 10_000; i++) {
      gpu.synchronize();
      gpu.memory().reap();
      if (gpu.memory().bytesOutstanding() == 0) {
        return;
      }
      Thread.sleep(1);
    }
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }
}
