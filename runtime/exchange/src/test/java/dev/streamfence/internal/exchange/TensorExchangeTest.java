package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.launch.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors that a library in C makes, and that it takes. */
final class TensorExchangeTest {
  private static CLibrary library;

  private final AtomicInteger released = new AtomicInteger();
  private final Memory floats = new Memory(6 * Float.BYTES);

  TensorExchangeTest() {
    floats.write(0, new float[] {1, 2, 3, 4, 5, 6}, 0, 6);
  }

  @BeforeAll
  static void compile() {
    library = CLibrary.load("tensors.c");
  }

  @ParameterizedTest
  @EnumSource
  void theDeleterOfATensorRunsOnce(Form form) {
    int before = library.callInt("deleted");
    TensorImport taken = TensorImport.take(ManagedTensor.read(make(form), form));
    assertThat(taken.tensor().tensor().elements(ElementType.FLOAT, "it"))
        .isEqualTo(new ElementMemory(address(), 6, 24));
    assertThat(library.callInt("deleted")).isEqualTo(before);
    taken.release();
    taken.release();
    assertThat(library.callInt("deleted")).isEqualTo(before + 1);
  }

  @Test
  void theDeleterRunsOnceWhicheverThreadsRelease() {
    int before = library.callInt("deleted");
    for (int i = 0; i < 50; i++) {
      TensorImport taken = TensorImport.take(ManagedTensor.read(makeLegacy(), Form.LEGACY));
      IntStream.range(0, 4).parallel().forEach(thread -> taken.release());
    }
    assertThat(library.callInt("deleted")).isEqualTo(before + 50);
  }

  @Test
  void aTensorWithoutADeleterIsReleasedWithoutOne() {
    RawTensor raw = new RawTensor(Form.LEGACY);
    TensorImport taken = TensorImport.take(raw.read());
    taken.release();
    // It can be taken over again, as any other tensor at this address.
    TensorImport.take(raw.read()).release();
  }

  @ParameterizedTest
  @EnumSource
  void aTensorIsTakenOverOnce(Form form) {
    int before = library.callInt("deleted");
    long address = make(form);
    ManagedTensor tensor = ManagedTensor.read(address, form);
    TensorImport taken = TensorImport.take(tensor);
    assertThatIllegalStateException()
        .isThrownBy(() -> TensorImport.take(tensor))
        .withMessage(
            tensor
                + " has been adopted already; a tensor is adopted once, and its owner makes another"
                + " one for another use");
    assertThatIllegalStateException()
        .isThrownBy(() -> TensorImport.delete(address, form))
        .withMessage(tensor + " has been adopted; its deleter runs when the array is closed");
    taken.release();
    assertThat(library.callInt("deleted")).isEqualTo(before + 1);
  }

  @Test
  void aTensorThatIsGivenBackIsItsOwnersAgain() {
    int before = library.callInt("deleted");
    long address = makeLegacy();
    TensorImport taken = TensorImport.take(ManagedTensor.read(address, Form.LEGACY));
    taken.giveBack();
    taken.release();
    assertThat(library.callInt("deleted")).isEqualTo(before);
    TensorImport.take(ManagedTensor.read(address, Form.LEGACY)).release();
    assertThat(library.callInt("deleted")).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @EnumSource
  void theDeleterOfATensorThatIsNotTakenOverCanBeCalled(Form form) {
    int before = library.callInt("deleted");
    TensorImport.delete(make(form), form);
    assertThat(library.callInt("deleted")).isEqualTo(before + 1);
    TensorImport.delete(new RawTensor(form).address(), form);
  }

  @Test
  void theDeleterOfAnUnknownVersionCanBeCalled() {
    int before = library.callInt("deleted");
    long address = makeVersioned(0);
    new Pointer(address).setInt(0, 9);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ManagedTensor.read(address, Form.VERSIONED))
        .withMessageContaining("version 9.3");
    TensorImport.delete(address, Form.VERSIONED);
    assertThat(library.callInt("deleted")).isEqualTo(before + 1);
  }

  @Test
  void theFlagsOfALibraryAreRead() {
    ManagedTensor tensor =
        ManagedTensor.read(makeVersioned(ManagedTensor.READ_ONLY), Form.VERSIONED);
    assertThat(tensor.isReadOnly()).isTrue();
    TensorImport.take(tensor).release();
  }

  @ParameterizedTest
  @EnumSource
  void aLibraryReadsAnExportedTensorAndDeletesIt(Form form) {
    TensorExport export = export(form);
    String consume = form == Form.LEGACY ? "consume_legacy" : "consume_versioned";
    assertThat(library.callDouble(consume, new Pointer(export.handOver()))).isEqualTo(21);
    assertThat(released).hasValue(1);
    export.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void exportsAreReleasedByThreadsThatJavaDoesNotKnow() {
    int count = 40;
    Memory addresses = new Memory((long) count * Long.BYTES);
    for (int i = 0; i < count; i++) {
      addresses.setLong((long) i * Long.BYTES, export(Form.VERSIONED).handOver());
    }
    int before = Exports.open();
    assertThat(library.callInt("delete_on_threads", addresses, count)).isZero();
    assertThat(released).hasValue(count);
    assertThat(Exports.open()).isEqualTo(before - count);
  }

  @Test
  void aReleaseThatThrowsDoesNotReachTheLibrary() {
    TensorExport export =
        TensorExport.of(
            Form.LEGACY,
            0,
            0,
            tensor(),
            "a test",
            () -> {
              released.incrementAndGet();
              throw new IllegalStateException("planned: this is logged");
            });
    TensorImport.delete(export.handOver(), Form.LEGACY);
    assertThat(released).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource
  void anExportReadsAsWhatWasExported(Form form) {
    try (TensorExport export = export(form)) {
      ManagedTensor read = ManagedTensor.read(export.tensor().address(), form);
      assertThat(read).isEqualTo(export.tensor());
      assertThat(read.tensor()).isEqualTo(tensor());
      assertThat(TensorExport.of(read)).isSameAs(export);
    }
    assertThat(released).hasValue(1);
  }

  @Test
  void anExportSaysAVersionThatItsConsumerUnderstands() {
    List<String> versions = new ArrayList<>();
    for (int maxMinor : new int[] {0, 1, 5}) {
      try (TensorExport export =
          TensorExport.of(Form.VERSIONED, maxMinor, 0, tensor(), this, () -> {})) {
        versions.add(export.tensor().version().toString());
      }
    }
    assertThat(versions).containsExactly("1.0", "1.1", "1.1");
    assertThat(Form.upTo(0)).isEqualTo(Form.LEGACY);
    assertThat(Form.upTo(1)).isEqualTo(Form.VERSIONED);
    assertThat(Form.upTo(2)).isEqualTo(Form.VERSIONED);
  }

  @Test
  void aLegacyTensorCannotSayThatItIsReadOnly() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                TensorExport.of(Form.LEGACY, 0, ManagedTensor.READ_ONLY, tensor(), this, () -> {}))
        .withMessage("a legacy tensor says nothing of its flags, here 0x1; export a versioned one");
  }

  @Test
  void anExportThatIsHandedOverEndsByItsDeleterAlone() {
    TensorExport export = export(Form.VERSIONED);
    long address = export.handOver();
    export.close();
    assertThat(released).hasValue(0);
    assertThatIllegalStateException()
        .isThrownBy(export::handOver)
        .withMessage(export.tensor() + " was handed over already");
    TensorImport.delete(address, Form.VERSIONED);
    assertThat(released).hasValue(1);
  }

  @Test
  void anExportThatIsClosedCannotBeHandedOver() {
    TensorExport export = export(Form.VERSIONED);
    export.close();
    export.close();
    assertThat(released).hasValue(1);
    assertThatIllegalStateException()
        .isThrownBy(export::handOver)
        .withMessage(export.tensor() + " is closed");
  }

  @ParameterizedTest
  @MethodSource
  void anExportOfWhichAFieldWasChangedIsRefused(Consumer<Pointer> change, String message) {
    try (TensorExport export = export(Form.VERSIONED)) {
      long address = export.tensor().address();
      Pointer structure = new Pointer(address);
      change.accept(structure.share(Form.VERSIONED.tensorAt()));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TensorExport.of(ManagedTensor.read(address, Form.VERSIONED)))
          .withMessage(export.tensor() + message.replace("{data}", NativeAddress.hex(address())));
    }
  }

  static List<Arguments> anExportOfWhichAFieldWasChangedIsRefused() {
    return List.of(
        changed(
            at -> at.setLong(Form.DATA, 0x7f0000000000L),
            " has the data at 0x7f0000000000; it was exported with {data}"),
        changed(
            at -> at.setLong(Form.BYTE_OFFSET, 4),
            " has the byte offset 4; it was exported with 0"),
        changed(
            at -> at.setInt(Form.DEVICE_ID, 1),
            " has the device device 1 of type 1 (CPU); it was exported with device 0 of type 1"
                + " (CPU)"),
        changed(
            at -> at.setByte(Form.TYPE_CODE, (byte) 0),
            " has the element type int32; it was exported with float32"),
        changed(
            at -> new Pointer(at.getLong(Form.SHAPE)).setLong(0, 3),
            " has the shape [3, 3]; it was exported with [2, 3]"),
        changed(
            at -> new Pointer(at.getLong(Form.STRIDES)).setLong(0, 6),
            " has the strides [6, 1]; it was exported with [3, 1]"),
        changed(
            at ->
                new Pointer(Pointer.nativeValue(at) - Form.VERSIONED.tensorAt())
                    .setLong(Form.FLAGS_AT, ManagedTensor.READ_ONLY),
            " has the flags 1; it was exported with 0"));
  }

  private static Arguments changed(Consumer<Pointer> change, String message) {
    return Arguments.of(change, message);
  }

  @ParameterizedTest
  @EnumSource
  void aCopyOfAnExportIsRefused(Form form) {
    try (TensorExport export = export(form)) {
      Memory copy = new Memory(form.sizeInBytes());
      Pointer structure = new Pointer(export.tensor().address());
      copy.write(0, structure.getByteArray(0, form.sizeInBytes()), 0, form.sizeInBytes());
      ManagedTensor copied = ManagedTensor.read(Pointer.nativeValue(copy), form);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> TensorExport.of(copied))
          .withMessage(
              "%s has the address %s; it was exported with %s",
              copied,
              NativeAddress.hex(copied.address()),
              NativeAddress.hex(export.tensor().address()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyFieldOfAnExportIsWritten(Form form) {
    DlTensor tensor =
        new DlTensor(
            0x7f0000001000L,
            new DeviceTag(DeviceTag.CUDA_MANAGED, 3),
            new TensorElement(1, 16, 2),
            List.of(4L, 1L, 5L),
            List.of(5L, 5L, 1L),
            6);
    try (TensorExport export = TensorExport.of(form, 1, 0, tensor, "a test", () -> {})) {
      assertThat(ManagedTensor.read(export.tensor().address(), form).tensor()).isEqualTo(tensor);
      assertThat(export).hasToString(export.tensor() + " of a test");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExportWithoutDimensionsHasNoPointersToThem(Form form) {
    DlTensor scalar =
        DlTensor.compact(
            address(), new DeviceTag(DeviceTag.CPU, 0), TensorElement.floating(32), List.of());
    try (TensorExport export = TensorExport.of(form, 1, 0, scalar, "a test", () -> {})) {
      Pointer at = new Pointer(export.tensor().address()).share(form.tensorAt());
      assertThat(at.getLong(Form.SHAPE)).isZero();
      assertThat(at.getLong(Form.STRIDES)).isZero();
      assertThat(ManagedTensor.read(export.tensor().address(), form).tensor()).isEqualTo(scalar);
    }
  }

  @Test
  void aTensorOfAnotherLibraryIsNoExport() {
    long address = makeLegacy();
    assertThat(TensorExport.of(ManagedTensor.read(address, Form.LEGACY))).isNull();
    TensorImport.delete(address, Form.LEGACY);
  }

  private TensorExport export(Form form) {
    return TensorExport.of(form, 1, 0, tensor(), "a test", released::incrementAndGet);
  }

  private DlTensor tensor() {
    return DlTensor.compact(
        address(),
        new DeviceTag(DeviceTag.CPU, 0),
        TensorElement.of(ElementType.FLOAT),
        List.of(2L, 3L));
  }

  private long address() {
    return Pointer.nativeValue(floats);
  }

  private long make(Form form) {
    return form == Form.LEGACY ? makeLegacy() : makeVersioned(0);
  }

  private long makeLegacy() {
    return library.callAddress("make_legacy", floats, DeviceTag.CUDA, 0, 2L, 3L);
  }

  private long makeVersioned(long flags) {
    return library.callAddress("make_versioned", floats, DeviceTag.CUDA, 0, 2L, 3L, flags);
  }
}
