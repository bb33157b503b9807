package dev.streamfence.internal.column;

import static dev.streamfence.column.ColumnType.BOOL;
import static dev.streamfence.column.ColumnType.BOOL8;
import static dev.streamfence.column.ColumnType.FLOAT32;
import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.INT64;
import static dev.streamfence.column.ColumnType.UINT16;
import static dev.streamfence.column.ColumnType.UINT32;
import static dev.streamfence.column.ColumnType.UTF8;
import static dev.streamfence.internal.order.Misuses.misuse;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Columns: what their parts must be, and what becomes of these. */
final class DeviceColumnTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true));
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void everyArrayWasClosed() {
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aColumnIsItsArrays() {
    DeviceArray<int[]> values = ints(1, 2, 3);
    try (DeviceColumn<int[]> column = DeviceColumn.of(ColumnField.of("key", INT32), values)) {
      assertThat(column.values()).isSameAs(values);
      assertThat(column.name()).isEqualTo("key");
      assertThat(column.type()).isEqualTo(INT32);
      assertThat(column.length()).isEqualTo(3);
      assertThat(column.runtime()).isSameAs(gpu);
      assertThat(column.sizeInBytes()).isEqualTo(12);
      assertThat(column.validity().length()).isZero();
      assertThat(column.nullCount()).hasValue(0);
      assertThat(column.bitOffset()).isZero();
      assertThat(column.validityOffset()).isZero();
      assertThat(column).hasToString("column 'key' (int32 not null) of 3 rows");
      VectorKernels.on(stream).increment(column.values(), 3);
      assertThat(column.values().download(stream)).containsExactly(2, 3, 4);
    }
    assertThat(values.isOpen()).isFalse();
  }

  @Test
  void allKindsOfColumnsCloseAllTheirArrays() {
    try (DeviceColumn<char[]> dictionary =
            DeviceColumn.ofDictionary(
                ColumnField.nullable("d", ColumnType.dictionary(UINT16)),
                gpu.memory().upload(stream, new char[] {1, 0, 1}),
                bytes(0b101),
                text("ab", "cde"));
        DeviceColumn<byte[]> flags =
            DeviceColumn.ofBits(ColumnField.of("f", BOOL), 9, bytes(0x4d, 1), bytes());
        DeviceColumn<boolean[]> wide =
            DeviceColumn.of(
                ColumnField.nullable("b", BOOL8),
                gpu.memory().upload(stream, new boolean[9]),
                bytes(0xff, 0))) {
      assertThat(dictionary.dictionary().length()).isEqualTo(2);
      assertThat(dictionary.dictionary().values().download(stream))
          .isEqualTo("abcde".getBytes(UTF_8));
      assertThat(dictionary.dictionary().offsets().download(stream)).containsExactly(0, 2, 5);
      assertThat(dictionary.sizeInBytes()).isEqualTo(6 + 1 + 12 + 5);
      assertThat(flags.length()).isEqualTo(9);
      assertThat(wide.nullCount()).isEmpty();
    }
  }

  @Test
  void aColumnWithoutRowsWorks() {
    try (DeviceColumn<int[]> ints = DeviceColumn.of(ColumnField.of("i", INT32), ints());
        DeviceColumn<byte[]> flags =
            DeviceColumn.ofBits(ColumnField.nullable("f", BOOL), 0, bytes(), bytes());
        DeviceColumn<byte[]> text =
            DeviceColumn.ofText(ColumnField.nullable("t", UTF8), ints(), bytes(), bytes());
        DeviceColumn<byte[]> other = text();
        DeviceColumn<float[]> made =
            DeviceColumn.allocate(stream, ColumnField.nullable("m", FLOAT32), float[].class, 0)) {
      for (DeviceColumn<?> column : List.of(ints, flags, text, other, made)) {
        assertThat(column.length()).isZero();
        assertThat(column.nullCount()).hasValue(0);
        assertThat(column.slice(0, 0).length()).isZero();
      }
      assertThat(ints.values().download(stream)).isEmpty();
      assertThat(text.offsets().length()).isZero();
      assertThat(other.offsets().download(stream)).containsExactly(0);
    }
  }

  @Test
  void anAllocatedColumnHasNoNulls() {
    try (DeviceColumn<float[]> column =
        DeviceColumn.allocate(stream, ColumnField.nullable("x", FLOAT32), float[].class, 9)) {
      assertThat(column.values().length()).isEqualTo(9);
      assertThat(column.validity().download(stream)).containsExactly(0xff, 0xff);
      assertThat(column.nullCount()).hasValue(0);
      assertThat(column.origin()).isEqualTo(ColumnOrigin.OWNED);
      assertThat(Inside.allocation(column.values()).tag()).isEqualTo("column 'x'");
      assertThat(Inside.allocation(column.validity()).tag()).isEqualTo("validity of column 'x'");
    }
    try (DeviceColumn<byte[]> flags =
        DeviceColumn.allocate(stream, ColumnField.of("f", BOOL), byte[].class, 9)) {
      assertThat(flags.values().length()).isEqualTo(2);
    }
    try (DeviceColumn<float[]> eight =
        DeviceColumn.allocate(stream, ColumnField.nullable("x", FLOAT32), float[].class, 8)) {
      assertThat(Inside.allocation(eight.validity()).sizeInBytes()).isEqualTo(1);
    }
  }

  @Test
  void whatItsLengthAloneDoesNotSayIsNotAllocated() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceColumn.allocate(stream, ColumnField.of("t", UTF8), byte[].class, 4))
        .withMessageContaining("column 't' (utf8) cannot be allocated by its length alone");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                DeviceColumn.allocate(
                    stream, ColumnField.of("d", ColumnType.dictionary(INT32)), int[].class, 4));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DeviceColumn.allocate(stream, ColumnField.of("x", INT32), long[].class, 4))
        .withMessage("column 'x' (int32) takes values of int[], not of long[]");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DeviceColumn.allocate(stream, ColumnField.of("x", INT32), int[].class, -4))
        .withMessageContaining("-4");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                DeviceColumn.allocate(
                    stream, ColumnField.nullable("x", INT64), long[].class, Long.MAX_VALUE))
        .withMessageContaining("more bytes than a long counts");
  }

  @Test
  void whatDoesNotFitStaysTheCallersAndIsNamed() {
    List<DeviceArray<?>> arrays = new ArrayList<>();
    DeviceArray<int[]> five = keep(arrays, ints(1, 2, 3, 4, 5));
    DeviceArray<byte[]> one = keep(arrays, bytes(0xff));
    DeviceArray<byte[]> none = keep(arrays, bytes());
    DeviceArray<byte[]> two = keep(arrays, bytes(1, 2));
    DeviceArray<int[]> nine = keep(arrays, ints(new int[9]));
    refused(
        "'x' (float32, 5 rows) takes values of float[]; the array has int[]",
        () -> DeviceColumn.of(ColumnField.of("x", FLOAT32), five));
    refused(
        "'x' (int32, 5 rows) is not nullable and has a validity bitmap",
        () -> DeviceColumn.of(ColumnField.of("x", INT32), five, one));
    refused(
        "'x' (int32, 9 rows) needs a validity bitmap of 2 bytes",
        () -> DeviceColumn.of(ColumnField.nullable("x", INT32), nine, one));
    refused(
        "'f' (bool, 17 rows) needs 3 values",
        () -> DeviceColumn.ofBits(ColumnField.of("f", BOOL), 17, two, none));
    refused(
        "'f' (bool, -1 rows) has -1 rows",
        () -> DeviceColumn.ofBits(ColumnField.of("f", BOOL), -1, two, none));
    refused(
        "a long does not count the bits",
        () -> DeviceColumn.ofBits(ColumnField.of("f", BOOL), Long.MAX_VALUE, two, none));
    refused(
        "'f' (bool) of bytes that hold eight rows; use ofBits",
        () -> DeviceColumn.of(ColumnField.of("f", BOOL), two));
    refused(
        "'f' (bool) of bytes that hold eight rows; use ofBits",
        () -> DeviceColumn.of(ColumnField.nullable("f", BOOL), two, one));
    refused(
        "'f' (bool) of bytes that hold eight rows; use ofBits",
        () -> ReadableColumn.of(ColumnField.of("f", BOOL), two));
    refused(
        "'f' (bool) of bytes that hold eight rows; use ofBits",
        () -> ReadableColumn.of(ColumnField.nullable("f", BOOL), two, one));
    refused(
        "'x' (int32) as bool", () -> DeviceColumn.ofBits(ColumnField.of("x", INT32), 1, two, none));
    refused(
        "'t' (utf8, 2 rows) needs offsets", () -> DeviceColumn.of(ColumnField.of("t", UTF8), two));
    refused(
        "'x' (int32) as utf8",
        () -> DeviceColumn.ofText(ColumnField.of("x", INT32), five, two, none));
    refused(
        "'d' (dictionary<values=utf8, indices=int32>, 5 rows) needs a dictionary",
        () -> DeviceColumn.of(ColumnField.of("d", ColumnType.dictionary(INT32)), five));
    DeviceColumn<byte[]> flags =
        DeviceColumn.ofBits(ColumnField.of("f", BOOL), 3, two.view(0, 1), none);
    refused(
        "takes a dictionary of utf8, not of bool",
        () ->
            DeviceColumn.ofDictionary(
                ColumnField.of("d", ColumnType.dictionary(INT32)), five, none, flags));
    refused(
        "has a dictionary, which its type does not take",
        () -> DeviceColumn.ofDictionary(ColumnField.of("d", INT32), five, none, flags));
    assertThat(arrays).allMatch(DeviceArray::isOpen);
    arrays.forEach(DeviceArray::close);
  }

  @Test
  void importedPartsAreCheckedLikeOwnOnes() {
    DeviceArray<int[]> five = ints(1, 2, 3, 4, 5);
    DeviceArray<byte[]> two = bytes(1, 2);
    refused("needs 6 values", () -> new ColumnDraft<>(ColumnField.of("x", INT32), 6, five).build());
    refused(
        "begins at bit 1 of its values; only bool",
        () -> new ColumnDraft<>(ColumnField.of("x", INT32), 5, five).bitOffset(1).build());
    refused(
        "begins at bit -1",
        () -> new ColumnDraft<>(ColumnField.of("f", BOOL), 5, two).bitOffset(-1).build());
    refused(
        "(bool, 5 rows) needs 3 values",
        () -> new ColumnDraft<>(ColumnField.of("f", BOOL), 5, two).bitOffset(12).build());
    refused(
        "begins at bit -8 of its validity bitmap",
        () ->
            new ColumnDraft<>(ColumnField.nullable("x", INT32), 5, five).validity(two, -8).build());
    refused(
        "needs a validity bitmap of 3 bytes",
        () ->
            new ColumnDraft<>(ColumnField.nullable("x", INT32), 5, five).validity(two, 12).build());
    refused(
        "a long does not count the bits from there",
        () ->
            new ColumnDraft<>(ColumnField.nullable("x", INT32), 5, five)
                .validity(two, Long.MAX_VALUE)
                .build());
    refused(
        "has offsets, which only utf8 takes",
        () -> new ColumnDraft<>(ColumnField.of("x", INT32), 5, five).offsets(five).build());
    refused(
        "needs one offset more than it has rows",
        () -> new ColumnDraft<>(ColumnField.of("t", UTF8), 5, two).offsets(five).build());
    five.close();
    two.close();
  }

  @Test
  void arraysOfTwoRuntimesAreRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream elsewhere = other.streams().acquire();
        DeviceArray<byte[]> validity = other.memory().upload(elsewhere, new byte[1]);
        DeviceArray<byte[]> noBitmap = other.memory().allocate(elsewhere, byte[].class, 0);
        DeviceArray<int[]> values = ints(1)) {
      assertThatThrownBy(() -> DeviceColumn.of(ColumnField.nullable("x", INT32), values, validity))
          .satisfies(misuse(Misuse.OTHER_RUNTIME));
      assertThat(values.isOpen()).isTrue();
      assertThatThrownBy(
              () -> DeviceColumn.ofText(ColumnField.of("t", UTF8), values, validity, noBitmap))
          .satisfies(misuse(Misuse.OTHER_RUNTIME));
      assertThat(validity.isOpen()).isTrue();
    }
  }

  @Test
  void aColumnIsNoLongerThanItsRows() {
    DeviceArray<int[]> padded = ints(1, 2, 3, 4, 5, 6, 7, 8);
    try (DeviceColumn<int[]> column =
        new ColumnDraft<>(ColumnField.nullable("x", UINT32), 3, padded)
            .validity(bytes(0xff, 0xff, 0b101), 16)
            .buildWritable()) {
      assertThat(column.values().download(stream)).containsExactly(1, 2, 3);
      assertThat(column.validity().download(stream)).containsExactly(0b101);
      assertThat(column.validityOffset()).isZero();
    }
    assertThat(padded.isOpen()).isFalse();
    try (DeviceColumn<byte[]> bits =
        new ColumnDraft<>(ColumnField.of("f", BOOL), 5, bytes(1, 2, 3, 4))
            .bitOffset(12)
            .buildWritable()) {
      assertThat(bits.values().download(stream)).containsExactly(2, 3);
      assertThat(bits.bitOffset()).isEqualTo(4);
    }
  }

  @Test
  void aSliceNeedNotBeginWithAByte() {
    try (DeviceColumn<byte[]> flags =
        DeviceColumn.ofBits(
            ColumnField.nullable("f", BOOL), 40, bytes(1, 2, 4, 8, 16), bytes(3, 5, 7, 9, 11))) {
      DeviceColumn<byte[]> slice = flags.slice(11, 14);
      assertThat(slice.bitOffset()).isEqualTo(3);
      assertThat(slice.values().download(stream)).containsExactly(2, 4, 8);
      assertThat(slice.validityOffset()).isEqualTo(3);
      assertThat(slice.validity().download(stream)).containsExactly(5, 7, 9);
      DeviceColumn<byte[]> inner = slice.slice(6, 1);
      assertThat(inner.bitOffset()).isEqualTo(1);
      assertThat(inner.values().download(stream)).containsExactly(4);
      assertThat(inner.validityOffset()).isEqualTo(1);
      assertThat(flags.slice(40, 0).values().length()).isZero();
    }
  }

  @Test
  void aSliceIsAViewOfTheSameMemory() {
    try (DeviceColumn<int[]> column =
        DeviceColumn.of(ColumnField.nullable("x", INT32), ints(1, 2, 3, 4), bytes(0xff))) {
      DeviceColumn<int[]> slice = column.slice(1, 2);
      slice.values().fill(stream, 9);
      slice.close();
      assertThat(slice.isOpen()).isTrue();
      assertThat(slice.length()).isEqualTo(2);
      assertThat(slice.validityOffset()).isEqualTo(1);
      assertThat(column.values().download(stream)).containsExactly(1, 9, 9, 4);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> slice.slice(1, 2))
          .withMessageContaining("a slice of 2 rows from row 1 of column 'x'");
      assertThatIllegalArgumentException().isThrownBy(() -> slice.slice(-1, 1));
      assertThatIllegalArgumentException().isThrownBy(() -> slice.slice(0, -1));
    }
  }

  @Test
  void aSliceOfTextKeepsTheBytesAndSharesTheOffsets() {
    try (DeviceColumn<byte[]> text = text("", "grüß", "名前", "x")) {
      DeviceColumn<byte[]> slice = text.slice(1, 2);
      assertThat(slice.offsets().download(stream)).containsExactly(0, 6, 12);
      assertThat(new String(slice.values().download(stream), 6, 6, UTF_8)).isEqualTo("名前");
    }
  }

  @Test
  void aSliceOfADictionaryColumnHasTheWholeDictionary() {
    try (DeviceColumn<int[]> column =
        DeviceColumn.ofDictionary(
            ColumnField.of("d", ColumnType.dictionary(INT32)),
            ints(0, 1, 0),
            bytes(),
            text("a", "b"))) {
      assertThat(column.slice(1, 1).dictionary()).isSameAs(column.dictionary());
      assertThat(column.slice(1, 1).values().download(stream)).containsExactly(1);
    }
  }

  @Test
  void aClosedColumnIsNamedWithItsSlices() {
    DeviceColumn<int[]> column = DeviceColumn.of(ColumnField.of("key", INT32), ints(1, 2));
    DeviceColumn<int[]> slice = column.slice(0, 1);
    column.close();
    assertThat(column.isOpen()).isFalse();
    assertThat(slice.isOpen()).isFalse();
    assertClosedHere(column);
    column.close();
    assertClosedHere(column);
    for (Runnable use :
        List.<Runnable>of(
            slice::values,
            slice::validity,
            slice::offsets,
            slice::dictionary,
            () -> slice.slice(0, 1))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("column 'key'");
    }
    DeviceColumn<boolean[]> flags =
        DeviceColumn.of(ColumnField.of("flag", BOOL8), gpu.memory().upload(stream, new boolean[0]));
    DeviceColumn<byte[]> bits =
        DeviceColumn.ofBits(ColumnField.of("bit", BOOL), 0, bytes(), bytes());
    flags.close();
    bits.close();
    assertThatThrownBy(() -> flags.packed(stream))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("packed() uses column 'flag'");
    assertThatThrownBy(() -> bits.unpacked(stream))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("unpacked() uses column 'bit'");
  }

  private static void assertClosedHere(DeviceColumn<int[]> column) {
    assertThatThrownBy(column::values)
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessage("values() uses column 'key' (int32 not null) of 2 rows, which is closed")
        .hasRootCauseMessage("closed here by " + Thread.currentThread().getName());
  }

  @Test
  void partsThatATypeDoesNotHaveAreRefusedByName() {
    try (DeviceColumn<int[]> column = DeviceColumn.of(ColumnField.of("key", INT32), ints(1))) {
      assertThatIllegalStateException()
          .isThrownBy(column::offsets)
          .withMessage("column 'key' (int32 not null) of 1 rows has no offsets; only utf8 has");
      assertThatIllegalStateException().isThrownBy(column::dictionary);
    }
  }

  @Test
  void theNumberOfNullsIsForgottenWhenTheBitmapIsWritten() {
    DeviceArray<byte[]> bitmap = bytes(0b0101);
    try (DeviceColumn<int[]> column =
        new ColumnDraft<>(ColumnField.nullable("x", INT32), 4, ints(1, 2, 3, 4))
            .validity(bitmap, 0)
            .nullCount(2)
            .buildWritable()) {
      assertThat(column.nullCount()).isEqualTo(OptionalLong.of(2));
      assertThat(column.slice(0, 2).nullCount()).isEmpty();
      column.values().fill(stream, 0);
      assertThat(column.nullCount()).hasValue(2);
      bitmap.download(stream);
      assertThat(column.nullCount()).hasValue(2);
      bitmap.view(0, 1).fill(stream, 0);
      assertThat(column.nullCount()).isEmpty();
    }
  }

  @Test
  void aConversionDoesNotTakeOverANumberOfNullsFromBeforeAWrite() {
    DeviceArray<byte[]> bitmap = bytes(0b0101);
    DeviceArray<boolean[]> flags = gpu.memory().upload(stream, new boolean[4]);
    try (TrackedColumn<boolean[]> column =
        new ColumnDraft<>(ColumnField.nullable("x", BOOL8), 4, flags)
            .validity(bitmap, 0)
            .nullCount(2)
            .buildWritable()) {
      try (TrackedColumn<byte[]> packed = column.packed(stream)) {
        assertThat(packed.nullCount()).hasValue(2);
      }
      bitmap.fill(stream, 0);
      try (TrackedColumn<byte[]> packed = column.packed(stream)) {
        assertThat(packed.nullCount()).isEmpty();
      }
    }
  }

  @Test
  void aReadOnlyColumnIsReadAndNotWritten() {
    ReadableArray<int[]> values = ints(1, 2, 3, 4);
    Inside.allocation(values).hazards().refuseWrites();
    try (ReadableColumn<int[]> column =
        ReadableColumn.of(ColumnField.nullable("x", INT32), values, bytes(0xff))) {
      assertThat(column.isReadOnly()).isTrue();
      assertThat(column.slice(1, 2).values().download(stream)).containsExactly(2, 3);
      assertThat(column.slice(1, 2).isReadOnly()).isTrue();
    }
    try (ReadableColumn<int[]> column = ReadableColumn.of(ColumnField.of("x", INT32), ints(1))) {
      assertThat(column.isReadOnly()).as("what its maker says").isTrue();
    }
  }

  @Test
  void noCastMakesAReadOnlyColumnOneToWrite() {
    DeviceArray<int[]> values = ints(1, 2, 3, 4);
    ReadableColumn<int[]> column =
        ReadableColumn.of(ColumnField.nullable("x", INT32), values, bytes(0xff));
    for (ReadableColumn<int[]> each : List.of(column, column.slice(1, 2))) {
      assertThat(each).isNotInstanceOf(DeviceColumn.class);
      assertThat(each.values()).isNotInstanceOf(DeviceArray.class);
      assertThat(each.validity()).isNotInstanceOf(DeviceArray.class);
    }
    values.fill(stream, 5);
    assertThat(column.slice(1, 2).values().download(stream)).containsExactly(5, 5);
    column.close();
    assertThat(values.isOpen()).isFalse();
  }

  private static void refused(String message, Runnable making) {
    assertThatIllegalArgumentException().isThrownBy(making::run).withMessageContaining(message);
  }

  private static <A> DeviceArray<A> keep(List<DeviceArray<?>> arrays, DeviceArray<A> array) {
    arrays.add(array);
    return array;
  }

  private DeviceArray<int[]> ints(int... values) {
    return gpu.memory().upload(stream, values);
  }

  private DeviceArray<byte[]> bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return gpu.memory().upload(stream, bytes);
  }

  private DeviceColumn<byte[]> text(String... rows) {
    int[] offsets = new int[rows.length + 1];
    for (int i = 0; i < rows.length; i++) {
      offsets[i + 1] = offsets[i] + rows[i].getBytes(UTF_8).length;
    }
    return DeviceColumn.ofText(
        ColumnField.of("text", UTF8),
        ints(offsets),
        gpu.memory().upload(stream, String.join("", rows).getBytes(UTF_8)),
        bytes());
  }
}
