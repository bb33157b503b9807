package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Pointer;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.Schema;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors of another library as arrays. */
final class TensorAdoptionTest {
  private static final Schema FLOATS = Schema.of(ColumnField.of("x", ColumnType.FLOAT32));

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary torch = device.library("torch");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();
  private final long theirs = torch.createStream();
  private final long data = torch.allocate(24);
  private boolean isFreedInOrder;

  /** Frees the memory with the tensor: a deleter that runs too early is a race. */
  private final TensorLibrary library = new TensorLibrary(this::free);

  private void free(long address) {
    if (isFreedInOrder) {
      torch.free(address, theirs);
    } else {
      torch.free(address);
    }
  }

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** The library writes 1 to 6 on its stream. */
  private void produce() {
    torch.launch(
        theirs,
        "produce",
        memory -> {
          for (int i = 0; i < 6; i++) {
            memory.putFloat(data + 4 * i, i + 1);
          }
        });
  }

  private ForeignTensor tensor() {
    return DlPack.tensor(library.legacy(data, 0, 2, 3));
  }

  @Test
  void aTensorIsAnArrayOfAllItsElementsWithoutACopy() {
    produce();
    ForeignTensor tensor = tensor();
    assertThat(tensor.shape()).containsExactly(2L, 3L);
    assertThat(tensor.elementType()).isEqualTo("float32");
    assertThat(tensor.isReadOnly()).isFalse();
    long calls = device.calls(DriverCall.COPY_ON_DEVICE_ASYNC);
    try (DeviceArray<float[]> array =
        tensor.adopt(stream, float[].class, TensorProducer.onStream(theirs))) {
      assertThat(Inside.allocation(array).address()).isEqualTo(data);
      assertThat(array.download(other)).containsExactly(1, 2, 3, 4, 5, 6);
      isFreedInOrder = true;
    }
    assertThat(device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isEqualTo(calls);
    assertThat(library.deletions()).isEqualTo(1);
    torch.synchronize(theirs);
  }

  @Test
  void theProducersStreamWaitsForTheLastUseWithoutTheHost() {
    produce();
    DeviceArray<float[]> array =
        tensor().adopt(stream, float[].class, TensorProducer.onStream(theirs));
    array.fill(other, 9f);
    isFreedInOrder = true;
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    array.close();
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    assertThat(library.deletions()).isEqualTo(1);
    assertThat(other.isIdle()).isFalse();
    torch.synchronize(theirs);
  }

  @Test
  void aProducerCanSayByAnEventThatItIsReady() throws Exception {
    produce();
    long event = torch.createEvent();
    torch.recordEvent(event, theirs);
    DeviceArray<float[]> array =
        tensor().adopt(stream, float[].class, TensorProducer.afterEvent(event));
    assertThat(array.download(other)).containsExactly(1, 2, 3, 4, 5, 6);
    array.fill(other, 9f);
    array.close();
    library.awaitDeletions(1);
  }

  @Test
  void aProducerThatSaysToBeDoneAndIsNotIsARace() {
    device.collectFindings();
    produce();
    DeviceArray<float[]> array = tensor().adopt(stream, float[].class, TensorProducer.done());
    array.download(other);
    assertThat(device.findings())
        .extracting(finding -> finding.kind())
        .contains(RacyAccessException.Kind.WRITE_READ);
    torch.synchronize(theirs);
    array.close();
  }

  @Test
  void aReadOnlyTensorIsReadAlone() {
    produce();
    ForeignTensor tensor =
        DlPack.versionedTensor(library.versioned(data, 1, 6, TensorLibrary.READ_ONLY));
    assertThat(tensor.isReadOnly()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.onStream(theirs)))
        .withMessage(
            "the %s is read-only and can be adopted to be read alone: adoptReadable", tensor);
    ReadableArray<float[]> array =
        tensor.adoptReadable(stream, float[].class, TensorProducer.onStream(theirs));
    assertThat(array.download(stream)).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(array).isNotInstanceOf(DeviceArray.class);
    isFreedInOrder = true;
    array.close();
    assertThat(library.deletions()).isEqualTo(1);
    torch.synchronize(theirs);
  }

  @Test
  void aTensorIsAdoptedOnce() {
    ForeignTensor tensor = tensor();
    DeviceArray<float[]> array = tensor.adopt(stream, float[].class, TensorProducer.done());
    assertThatIllegalStateException()
        .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.done()))
        .withMessageContaining("has been adopted already");
    assertThatIllegalStateException()
        .isThrownBy(tensor::delete)
        .withMessageContaining("closing its array deletes it");
    array.close();
    array.close();
    assertThat(library.deletions()).isEqualTo(1);
    assertNothingIsRead(tensor, "has been adopted already");
  }

  @Test
  void aTensorIsDeletedOnce() {
    ForeignTensor tensor = tensor();
    tensor.delete();
    assertNothingIsRead(tensor, "has been deleted");
  }

  @Test
  void aDeletionThatIsRefusedDeletesNothing() {
    long address = library.legacy(data, 0, 2, 3);
    ForeignTensor tensor = DlPack.tensor(address);
    DeviceArray<float[]> array =
        DlPack.tensor(address).adopt(stream, float[].class, TensorProducer.done());
    for (int i = 0; i < 2; i++) {
      assertThatIllegalStateException()
          .isThrownBy(tensor::delete)
          .withMessageContaining("has been adopted; its deleter runs when the array is closed");
    }
    array.close();
    assertThat(library.deletions()).isEqualTo(1);
  }

  /** The structure may be gone: reading it would end the process. */
  private void assertNothingIsRead(ForeignTensor tensor, String reason) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            tensor::delete,
            tensor::shape,
            tensor::elementType,
            tensor::isReadOnly,
            () -> tensor.adopt(stream, float[].class, TensorProducer.done()),
            () -> tensor.adoptReadable(stream, float[].class, TensorProducer.done()),
            () -> DlPack.adopt(stream, FLOATS, List.of(tensor), TensorProducer.done()))) {
      assertThatIllegalStateException()
          .isThrownBy(call)
          .withMessageStartingWith(tensor + " " + reason);
    }
    assertThat(library.deletions()).isEqualTo(1);
  }

  @Test
  void aTensorThatIsRefusedIsStillItsOwners() {
    ForeignTensor tensor = tensor();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, int[].class, TensorProducer.done()))
        .withMessageContaining("elements of type float32, which an array float[] can hold");
    assertThat(library.deletions()).isZero();
    tensor.delete();
    assertThat(library.deletions()).isEqualTo(1);
  }

  @Test
  void aTensorThatTheDriverRefusesIsStillItsOwners() {
    ForeignTensor tensor = tensor();
    long event = torch.createEvent();
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);
    assertThatThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.afterEvent(event)))
        .isInstanceOf(CudaDriverException.class);
    assertThat(library.deletions()).isZero();
    tensor.adopt(stream, float[].class, TensorProducer.afterEvent(event)).close();
    assertThat(library.deletions()).isEqualTo(1);
  }

  @Test
  void aTensorOfAnotherDeviceIsRefused() {
    ForeignTensor tensor = DlPack.tensor(library.legacy(data, 3, 2, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.done()))
        .withMessage("the %s is memory of CUDA device 3; the runtime is of device 0", tensor);
    tensor.delete();
  }

  @Test
  void aTensorThatIsLargerThanItsAllocationIsRefused() {
    ForeignTensor tensor = DlPack.tensor(library.legacy(data, 0, 1000, 1000));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.done()))
        .withMessageContaining("beyond its allocation");
    tensor.delete();
  }

  @Test
  void aTensorOfNoMemoryThatTheDriverKnowsIsRefused() {
    ForeignTensor tensor = DlPack.tensor(library.legacy(0x5000_0000L, 0, 2, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.done()))
        .withMessageContaining("memory that the driver does not know");
    // Its deleter would free memory that does not exist.
    assertThat(library.deletions()).isZero();
    torch.free(data);
  }

  @Test
  void aTensorWithoutElementsIsDeletedAtOnce() {
    ForeignTensor tensor = DlPack.tensor(library.legacy(data, 0, 0, 3));
    DeviceArray<float[]> array = tensor.adopt(stream, float[].class, TensorProducer.done());
    assertThat(array.length()).isZero();
    assertThat(library.deletions()).isEqualTo(1);
    array.close();
  }

  @Test
  void whatATensorSaysOfItselfIsReadWhenItIsAsked() {
    ForeignTensor tensor = DlPack.versionedTensor(library.versioned(data, 2, 3, 0));
    new Pointer(tensor.address()).setInt(0, 2);
    assertThatIllegalArgumentException()
        .isThrownBy(tensor::shape)
        .withMessageContaining("version 2.3 of DLPack");
    tensor.delete();
    assertThat(library.deletions()).isEqualTo(1);
  }

  @Test
  void anUnclosedArrayGivesItsTensorBackWhenTheRuntimeIsClosed() {
    tensor().adopt(stream, float[].class, TensorProducer.done());
    gpu.close();
    assertThat(library.deletions()).isEqualTo(1);
  }

  @Test
  void aProducerNamesAStreamOrAnEventThatCanBeWaitedFor() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorProducer.onStream(2))
        .withMessageContaining("the default stream of each thread");
    assertThatIllegalArgumentException().isThrownBy(() -> TensorProducer.afterEvent(0));
    torch.free(data);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 8, 4097})
  void anAddressAtWhichNoTensorLiesIsRefused(long address) {
    for (ForeignTensor tensor : List.of(DlPack.tensor(address), DlPack.versionedTensor(address))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> tensor.adopt(stream, float[].class, TensorProducer.done()))
          .withMessageContaining("the pointer to a DLManagedTensor");
      assertThatIllegalArgumentException().isThrownBy(tensor::delete);
      // Nothing was deleted, as the second call says.
      assertThatIllegalArgumentException().isThrownBy(tensor::delete);
    }
    torch.free(data);
  }
}
