package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.exchange.ManagedTensor.Form;
import dev.streamfence.launch.ElementType;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is read of a tensor, and what is refused. */
final class TensorReadingTest {
  @ParameterizedTest
  @EnumSource
  void everyFieldOfATensorIsRead(Form form) {
    RawTensor raw =
        new RawTensor(form)
            .device(DeviceTag.CUDA_MANAGED, 3)
            .type(1, 16, 1)
            .shape(4, 1, 5)
            .strides(5, 5, 1)
            .setLong(Form.BYTE_OFFSET, 6);
    assertThat(raw.read().tensor())
        .isEqualTo(
            new DlTensor(
                RawTensor.DATA,
                new DeviceTag(13, 3),
                new TensorElement(1, 16, 1),
                List.of(4L, 1L, 5L),
                List.of(5L, 5L, 1L),
                6));
  }

  @Test
  void memoryEndsAtTheLastAddressAtMost() {
    assertThat(ints(-16, 4).elements(ElementType.INT, "a tensor"))
        .isEqualTo(new ElementMemory(-16, 4, 16));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ints(-16, 5).elements(ElementType.INT, "a tensor"))
        .withMessageContaining("beyond all addresses");
  }

  private static DlTensor ints(long data, long length) {
    return new DlTensor(
        data,
        new DeviceTag(DeviceTag.CUDA, 0),
        TensorElement.of(ElementType.INT),
        List.of(length),
        List.of(),
        0);
  }

  @Test
  void versionAndFlagsOfAVersionedTensorAreRead() {
    ManagedTensor tensor =
        new RawTensor(Form.VERSIONED).version(1, 7).flags(1).deleter(4096).read();
    assertThat(tensor.version()).hasToString("1.7");
    assertThat(tensor.isReadOnly()).isTrue();
    assertThat(tensor.deleter()).isEqualTo(4096);
    assertThat(new RawTensor(Form.VERSIONED).flags(6).read().isReadOnly()).isFalse();
    assertThat(new RawTensor(Form.LEGACY).read().isReadOnly()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aTensorOfAnyRankIsOneArrayOfAllItsElements(Form form) {
    long data = RawTensor.DATA;
    assertThat(floats(new RawTensor(form))).isEqualTo(new ElementMemory(data, 6, 24));
    assertThat(floats(new RawTensor(form).shape())).isEqualTo(new ElementMemory(data, 1, 4));
    assertThat(floats(new RawTensor(form).shape(7))).isEqualTo(new ElementMemory(data, 7, 28));
    assertThat(floats(new RawTensor(form).shape(2, 3, 5).strides(15, 5, 1)).length()).isEqualTo(30);
  }

  @Test
  void theStrideOfADimensionOfOneElementDoesNotMatter() {
    RawTensor raw = new RawTensor(Form.LEGACY).shape(1, 4, 1).strides(-9, 1, 77);
    assertThat(floats(raw).length()).isEqualTo(4);
  }

  @Test
  void aTensorBeginsAtItsByteOffset() {
    RawTensor raw = new RawTensor(Form.LEGACY).setLong(Form.BYTE_OFFSET, 8);
    assertThat(floats(raw)).isEqualTo(new ElementMemory(RawTensor.DATA + 8, 6, 24));
  }

  @Test
  void aTensorMayEndWithTheLastByte() {
    RawTensor raw = new RawTensor(Form.LEGACY).setLong(Form.DATA, -24);
    assertThat(floats(raw)).isEqualTo(new ElementMemory(-24, 6, 24));
  }

  @Test
  void aTensorOfOneByteIsRead() {
    RawTensor raw = new RawTensor(Form.LEGACY).type(0, 8, 1).shape(1);
    assertThat(raw.read().tensor().elements(ElementType.BYTE, "it"))
        .isEqualTo(new ElementMemory(RawTensor.DATA, 1, 1));
  }

  @Test
  void aTensorWithoutDimensionsNeedsNoShape() {
    RawTensor raw = new RawTensor(Form.LEGACY).shape().setLong(Form.SHAPE, 0);
    assertThat(floats(raw).length()).isEqualTo(1);
  }

  @Test
  void aTensorOfSixtyFourDimensionsIsRead() {
    long[] shape = new long[64];
    Arrays.fill(shape, 1);
    assertThat(floats(new RawTensor(Form.LEGACY).shape(shape)).length()).isEqualTo(1);
  }

  @Test
  void aTensorWithoutElementsNeedsNoMemory() {
    RawTensor raw =
        new RawTensor(Form.LEGACY)
            .shape(Long.MAX_VALUE, 0, Long.MAX_VALUE)
            .strides(5, 5, 5)
            .setLong(Form.DATA, 0);
    assertThat(floats(raw)).isEqualTo(new ElementMemory(0, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 8, BYTE",
    "0, 16, SHORT",
    "0, 32, INT",
    "0, 64, LONG",
    "1, 8, BYTE",
    "1, 16, CHAR",
    "1, 16, SHORT",
    "1, 32, INT",
    "1, 64, LONG",
    "2, 16, SHORT",
    "2, 16, CHAR",
    "2, 32, FLOAT",
    "2, 64, DOUBLE",
    "4, 16, SHORT",
    "4, 16, CHAR",
    "6, 8, BOOLEAN",
    "6, 8, BYTE"
  })
  void anArrayHoldsElementsOfItsWidth(int code, int bits, ElementType type) {
    RawTensor raw = new RawTensor(Form.LEGACY).type(code, bits, 1);
    assertThat(raw.read().tensor().elements(type, "it").sizeInBytes()).isEqualTo(6L * bits / 8);
  }

  @ParameterizedTest
  @EnumSource
  void theTypeOfAnArrayIsReadAsThatArray(ElementType type) {
    TensorElement element = TensorElement.of(type);
    RawTensor raw =
        new RawTensor(Form.LEGACY).type(element.code(), element.bits(), element.lanes());
    assertThat(raw.read().tensor().elements(type, "it").length()).isEqualTo(6);
  }

  @ParameterizedTest
  @MethodSource
  void anImpossibleTensorIsRefused(Consumer<RawTensor> change, String message) {
    for (Form form : Form.values()) {
      RawTensor raw = new RawTensor(form);
      change.accept(raw);
      assertThatThrownBy(() -> checked(raw))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message.replace("{}", raw.name()));
    }
  }

  static List<Arguments> anImpossibleTensorIsRefused() {
    return List.of(
        refusal(
            "host memory",
            raw -> raw.device(1, 0),
            "{} is memory of device type 1 (CPU); device types 2 (CUDA) and 13 (CUDA managed) can"
                + " be adopted"),
        refusal(
            "unknown device type",
            raw -> raw.device(99, 0),
            "{} is memory of device type 99, which is unknown; device types 2 (CUDA) and 13 (CUDA"
                + " managed) can be adopted"),
        refusal(
            "device type behind the known ones",
            raw -> raw.device(18, 0),
            "{} is memory of device type 18, which is unknown; device types 2 (CUDA) and 13 (CUDA"
                + " managed) can be adopted"),
        refusal(
            "negative device type",
            raw -> raw.device(-1, 0),
            "{} is memory of device type -1, which is unknown; device types 2 (CUDA) and 13 (CUDA"
                + " managed) can be adopted"),
        refusal(
            "another device",
            raw -> raw.device(2, 1),
            "{} is memory of CUDA device 1; the runtime is of device 0"),
        refusal(
            "negative device",
            raw -> raw.device(2, -1),
            "{} is memory of CUDA device -1; the runtime is of device 0"),
        refusal(
            "lanes",
            raw -> raw.type(2, 32, 4),
            "{} has elements of 4 lanes; an array has elements of one lane"),
        refusal(
            "no lanes",
            raw -> raw.type(2, 32, 0),
            "{} has elements of 0 lanes; an array has elements of one lane"),
        refusal(
            "another type",
            raw -> raw.type(0, 16, 1),
            "{} has elements of type int16, which an array char[] or short[] can hold; a float[]"
                + " cannot"),
        refusal(
            "complex numbers",
            raw -> raw.type(5, 64, 1),
            "{} has elements of type complex64, for which Java has no array"),
        refusal(
            "floats of 8 bits",
            raw -> raw.type(10, 8, 1),
            "{} has elements of type code 10 with bits 8, for which Java has no array"),
        refusal(
            "less than a byte",
            raw -> raw.type(0, 4, 1),
            "{} has elements of type int4, which are no whole bytes"),
        refusal(
            "negative rank",
            raw -> raw.setInt(Form.DIMENSIONS, -2),
            "{} has -2 dimensions; a tensor has 0 to 64"),
        refusal(
            "too high a rank",
            raw -> raw.setInt(Form.DIMENSIONS, 65),
            "{} has 65 dimensions; a tensor has 0 to 64"),
        refusal(
            "no shape", raw -> raw.setLong(Form.SHAPE, 0), "{}: the pointer to its shape is null"),
        refusal(
            "shape at no address",
            raw -> raw.setLong(Form.SHAPE, 24),
            "{}: the pointer to its shape is 0x18, which is no address of a program"),
        refusal(
            "misaligned strides",
            raw -> raw.setLong(Form.STRIDES, 0x7f0000000004L),
            "{}: the pointer to its strides is 0x7f0000000004, which is not a multiple of 8"),
        refusal(
            "negative length",
            raw -> raw.shape(2, -3),
            "{} has the shape [2, -3], which is negative in dimension 1"),
        refusal(
            "too many elements",
            raw -> raw.shape(1L << 40, 1L << 40),
            "{} has the shape [1099511627776, 1099511627776] of elements of type float32, which is"
                + " more bytes than a long counts"),
        refusal(
            "too many bytes",
            raw -> raw.shape(1L << 61),
            "{} has the shape [2305843009213693952] of elements of type float32, which is more"
                + " bytes than a long counts"),
        refusal(
            "column-major",
            raw -> raw.strides(1, 2),
            "{} has the strides [1, 2] for the shape [2, 3]; the stride of dimension 1 is 2, and 1"
                + " without gaps"),
        refusal(
            "gap between rows",
            raw -> raw.strides(4, 1),
            "{} has the strides [4, 1] for the shape [2, 3]; the stride of dimension 0 is 4, and 3"
                + " without gaps"),
        refusal(
            "backwards",
            raw -> raw.shape(4).strides(-1),
            "{} has the strides [-1] for the shape [4]; the stride of dimension 0 is -1, and 1"
                + " without gaps"),
        refusal(
            "overflowing stride",
            raw -> raw.shape(4).strides(Long.MAX_VALUE),
            "{} has the strides [9223372036854775807] for the shape [4]; the stride of dimension 0"
                + " reaches further than a long counts"),
        refusal(
            "longest stride",
            raw -> raw.shape(2).strides(Long.MAX_VALUE),
            "{} has the strides [9223372036854775807] for the shape [2]; the stride of dimension 0"
                + " is 9223372036854775807, and 1 without gaps"),
        refusal(
            "broken byte offset",
            raw -> raw.setLong(Form.BYTE_OFFSET, 6),
            "{} has a byte offset of 6, which is not a multiple of the 4 bytes of its elements"),
        refusal("no memory", raw -> raw.setLong(Form.DATA, 0), "{} has 6 elements and no memory"),
        refusal(
            "byte offset beyond all addresses",
            raw -> raw.setLong(Form.BYTE_OFFSET, -8),
            "{} has 24 bytes from byte 18446744073709551608 of its memory at 0x7f0000001000, which"
                + " is beyond all addresses"),
        refusal(
            "end beyond all addresses",
            raw -> raw.setLong(Form.DATA, -8),
            "{} has 24 bytes from byte 0 of its memory at 0xfffffffffffffff8, which is beyond all"
                + " addresses"),
        refusal(
            "misaligned",
            raw -> raw.setLong(Form.DATA, 0x7f0000001002L),
            "{} begins at 0x7f0000001002, which is not aligned for the 4 bytes of its elements"));
  }

  private static Arguments refusal(String name, Consumer<RawTensor> change, String message) {
    return Arguments.of(Named.of(name, change), message);
  }

  @Test
  void aTensorOfAnotherMajorVersionIsRefused() {
    // A field that would be refused as well, and is not read.
    RawTensor raw = new RawTensor(Form.VERSIONED).version(2, 0).shape(-1);
    assertThatThrownBy(raw::read)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            raw.name()
                + " has version 2.0 of DLPack; version 1 is understood, and nothing but the"
                + " deleter of another one can be used");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | the pointer to a DLManagedTensor is null",
        "8 | the pointer to a DLManagedTensor is 0x8, which is no address of a program",
        "-8 | the pointer to a DLManagedTensor is 0xfffffffffffffff8, which is no address of a program",
        "8196 | the pointer to a DLManagedTensor is 0x2004, which is not a multiple of 8",
      })
  void anAddressAtWhichNoTensorLiesIsRefused(long address, String message) {
    assertThatThrownBy(() -> ManagedTensor.read(address, Form.LEGACY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static ElementMemory floats(RawTensor raw) {
    return raw.read().tensor().elements(ElementType.FLOAT, "it");
  }

  private static ElementMemory checked(RawTensor raw) {
    ManagedTensor tensor = raw.read();
    tensor.tensor().device().requireOn(0, tensor.toString());
    return tensor.tensor().elements(ElementType.FLOAT, tensor.toString());
  }
}
