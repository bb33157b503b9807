package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arrow device arrays of another library as tables. */
final class ArrowAdoptionTest {
  private static final int CUDA = 2;
  private static final int INVALID_VALUE = 1;

  // Of an ArrowArray.
  private static final int LENGTH = 0;
  private static final int OFFSET = 16;
  private static final int CHILDREN = 48;
  private static final int DICTIONARY = 56;

  private static final Schema SCHEMA =
      Schema.of(
          ColumnField.nullable("number", ColumnType.INT32),
          ColumnField.of("flag", ColumnType.BOOL8),
          ColumnField.nullable("", new DictionaryType(ColumnType.UINT8, ColumnType.UTF8, true)));

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary cudf = device.library("cudf");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();
  private final ArrowLibrary library = new ArrowLibrary();
  private final long theirs = cudf.createStream();
  private final long event = cudf.createEvent();

  private final long numbers = cudf.allocate(24);
  private final long validity = cudf.allocate(8);
  private final long flags = cudf.allocate(3);
  private final long indices = cudf.allocate(3);
  private final long offsets = cudf.allocate(12);
  private final long text = cudf.allocate(5);

  @AfterEach
  void nothingIsLeft() {
    ArrowDevice.releaseArray(library.arrayAddress());
    ArrowDevice.releaseSchema(library.schemaAddress());
    if (gpu.isOpen()) {
      cudf.synchronize(theirs);
    }
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** The library writes the rows (1, true, "ab"), (null, false, "cde"), (3, true, "ab"). */
  private void produce() {
    cudf.launch(
        theirs,
        "produce",
        memory -> {
          for (int i = 0; i < 6; i++) {
            memory.putInt(numbers + 4 * i, i - 1);
          }
          memory.putLong(validity, 0b110111);
          for (int i = 0; i < 3; i++) {
            memory.putByte(flags + i, (byte) (1 - i % 2));
            memory.putByte(indices + i, (byte) (i % 2));
          }
          for (int i = 0; i < 5; i++) {
            memory.putByte(text + i, (byte) ('a' + i));
          }
          memory.putInt(offsets, 0);
          memory.putInt(offsets + 4, 2);
          memory.putInt(offsets + 8, 5);
        });
    cudf.recordEvent(event, theirs);
  }

  private void make(int deviceType, long deviceId, long ready) {
    library.make(numbers, validity, flags, indices, offsets, text, deviceType, deviceId, ready);
  }

  private DeviceTable adopt() {
    return ArrowDevice.adopt(stream, library.arrayAddress(), library.schemaAddress());
  }

  /** The table is the first row of three, whose numbers begin at their fourth. */
  @Test
  void anOffsetOfTheTableCountsForItsColumns() {
    produce();
    make(CUDA, 0, event);
    library.array.setLong(0, 1);
    library.array.setLong(16, 1);
    try (DeviceTable table = adopt()) {
      ReadableColumn<int[]> number = table.readable(0, int[].class);
      assertThat(number.values().download(stream)).containsExactly(2);
      assertThat(number.validityOffset()).isEqualTo(3);
      assertThat(number.nullCount()).isEmpty();
    }
  }

  @Test
  void aTableIsTakenOverWithOffsetsNullsAndDictionary() {
    produce();
    make(CUDA, 0, event);
    DeviceTable table = adopt();
    assertThat(table.schema()).isEqualTo(SCHEMA);
    assertThat(table.rows(other)).isEqualTo(3);
    ReadableColumn<int[]> number = table.readable("number", int[].class);
    assertThat(number.origin()).isEqualTo(ColumnOrigin.ARROW);
    assertThat(number.isExternal()).isTrue();
    assertThat(number.isReadOnly()).isTrue();
    assertThat(number.values().download(other)).containsExactly(1, 2, 3);
    // Of the bitmap's byte, the table's rows begin with the third bit.
    assertThat(number.validity().download(other)).containsExactly(0b110111);
    assertThat(number.validityOffset()).isEqualTo(2);
    assertThat(number.nullCount()).isEmpty();
    ReadableColumn<boolean[]> flag = table.readable("flag", boolean[].class);
    assertThat(flag.values().download(other)).containsExactly(true, false, true);
    assertThat(flag.validity().length()).isZero();
    assertThat(flag.nullCount()).hasValue(0);
    ReadableColumn<byte[]> word = table.readable(2, byte[].class);
    assertThat(word.values().download(other)).containsExactly(0, 1, 0);
    ReadableColumn<byte[]> words = word.dictionary();
    assertThat(words.offsets().download(other)).containsExactly(0, 2, 5);
    assertThat(new String(words.values().download(other), StandardCharsets.UTF_8))
        .isEqualTo("abcde");
    table.close();
    awaitRelease();
  }

  @Test
  void theNumberOfNullsOfAColumnThatIsTakenWholeIsKnown() {
    produce();
    make(CUDA, 0, event);
    child(0).setLong(LENGTH, 3);
    DeviceTable table = adopt();
    assertThat(table.readable("number", int[].class).nullCount()).hasValue(1);
    table.close();
  }

  @Test
  void aDictionaryMayBeginBehindItsFirstText() {
    produce();
    make(CUDA, 0, event);
    Pointer dictionary = child(2).getPointer(DICTIONARY);
    dictionary.setLong(LENGTH, 1);
    dictionary.setLong(OFFSET, 1);
    DeviceTable table = adopt();
    ReadableColumn<byte[]> words = table.readable(2, byte[].class).dictionary();
    assertThat(words.length()).isEqualTo(1);
    assertThat(words.offsets().download(other)).containsExactly(2, 5);
    table.close();
  }

  @Test
  void aBitmapMayEndWithItsLastByte() {
    produce();
    long wholeByte = cudf.allocate(1);
    long eightNumbers = cudf.allocate(32);
    library.make(eightNumbers, wholeByte, flags, indices, offsets, text, CUDA, 0, event);
    child(0).setLong(LENGTH, 3);
    child(0).setLong(OFFSET, 5);
    DeviceTable table = adopt();
    assertThat(table.readable("number", int[].class).validity().length()).isEqualTo(1);
    assertThat(table.readable("number", int[].class).validityOffset()).isEqualTo(5);
    table.close();
  }

  @Test
  void textsThatAreAllEmptyNeedNoMemory() {
    produce();
    cudf.launch(
        theirs,
        "empty",
        memory -> {
          memory.putInt(offsets + 4, 0);
          memory.putInt(offsets + 8, 0);
        });
    cudf.recordEvent(event, theirs);
    library.make(numbers, validity, flags, indices, offsets, 0, CUDA, 0, event);
    DeviceTable table = adopt();
    assertThat(table.readable(2, byte[].class).dictionary().values().length()).isZero();
    table.close();
  }

  private Pointer child(int index) {
    return library.array.getPointer(CHILDREN).getPointer(8L * index);
  }

  @Test
  void anAdoptionCopiesNothingAndWaitsOnce() {
    produce();
    make(CUDA, 0, event);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    DeviceTable table = adopt();
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    assertThat(device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isZero();
    assertThat(device.calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isZero();
    // The length of the dictionary's text, four bytes.
    assertThat(gpu.memory().statistics().metadataReads()).isEqualTo(1);
    assertThat(gpu.memory().statistics().metadataReadBytes()).isEqualTo(4);
    assertThat(gpu.memory().statistics().downloads()).isZero();
    table.close();
  }

  @Test
  void withoutItsEventAUseIsARace() {
    device.collectFindings();
    produce();
    cudf.synchronize(theirs);
    cudf.launch(theirs, "late", memory -> memory.putInt(numbers + 8, 1));
    make(CUDA, 0, 0);
    DeviceTable table = adopt();
    table.readable("number", int[].class).values().download(other);
    assertThat(device.findings())
        .extracting(finding -> finding.kind())
        .contains(RacyAccessException.Kind.WRITE_READ);
    cudf.synchronize(theirs);
    table.close();
  }

  @Test
  void aTableIsReleasedOnceAfterTheLastUse() {
    produce();
    make(CUDA, 0, event);
    DeviceTable table = adopt();
    assertThat(library.releasedSchemas()).isEqualTo(5);
    ReadableArray<int[]> values = table.readable("number", int[].class).values();
    try (DeviceArray<int[]> copy = values.copy(other)) {
      table.close();
      table.close();
      assertThat(copy.download(other)).containsExactly(1, 2, 3);
    }
    awaitRelease();
  }

  @Test
  void anUnclosedTableIsReleasedWithTheRuntime() {
    produce();
    make(CUDA, 0, event);
    adopt();
    gpu.close();
    assertThat(library.releasedArrays()).isEqualTo(5);
  }

  @Test
  void itsColumnsAreNotWritten() {
    produce();
    make(CUDA, 0, event);
    try (DeviceTable table = adopt()) {
      assertThatIllegalArgumentException().isThrownBy(() -> table.column("number", int[].class));
      for (ReadableColumn<?> column : table.columns()) {
        assertThat(column).isNotInstanceOf(DeviceColumn.class);
        assertThat(column.values()).isNotInstanceOf(DeviceArray.class);
        assertThat(column.validity()).isNotInstanceOf(DeviceArray.class);
      }
    }
  }

  @Test
  void aTableIsAdoptedOnce() {
    produce();
    make(CUDA, 0, event);
    DeviceTable table = adopt();
    assertThatIllegalArgumentException()
        .isThrownBy(this::adopt)
        .withMessageEndingWith("has been released or moved already");
    table.close();
  }

  @Test
  void aTableOfWhichOnlyTheSchemaIsLeftIsRefused() {
    make(CUDA, 0, 0);
    ArrowDevice.releaseArray(library.arrayAddress());
    refused("the array at {} has been released or moved already");
    assertThat(library.releasedSchemas()).isZero();
  }

  @Test
  void memoryOfAnotherDeviceOrOfTheHostIsRefused() {
    make(CUDA, 1, 0);
    refused("the array at {} is memory of CUDA device 1; the runtime is of device 0");
    ArrowDevice.releaseArray(library.arrayAddress());
    make(1, 0, 0);
    refused(
        "the array at {} is memory of device type 1 (CPU); device types 2 (CUDA) and 13 (CUDA"
            + " managed) can be adopted");
  }

  @Test
  void aTypeThatColumnsDoNotHaveIsRefusedByItsField() {
    make(CUDA, 0, 0);
    byte[] decimal = "d:38,2\0".getBytes(StandardCharsets.US_ASCII);
    try (Memory format = new Memory(decimal.length)) {
      format.write(0, decimal, 0, decimal.length);
      library.schema.getPointer(40).getPointer(0).setPointer(0, format);
      refused(
          "field 'number' has decimals of 38 digits in 128 bits; at most 18 digits in 64 bits can"
              + " be adopted");
    }
  }

  @Test
  void anArrayOfOneColumnIsNoTable() {
    make(CUDA, 0, 0);
    Pointer column = library.schema.getPointer(40).getPointer(0);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> ArrowDevice.adopt(stream, library.arrayAddress(), Pointer.nativeValue(column)))
        .withMessageEndingWith("has the format 'i'; a table is a structure, '+s'");
  }

  @Test
  void textThatEndsNowhereIsRefused() {
    produce();
    make(CUDA, 0, event);
    cudf.launch(theirs, "spoil", memory -> memory.putInt(offsets + 8, -5));
    cudf.recordEvent(event, theirs);
    refused("field '' has text up to byte -5");
    cudf.launch(theirs, "spoil", memory -> memory.putInt(offsets + 8, 5));
    cudf.recordEvent(event, theirs);
    library.array.getPointer(48).getPointer(16).getPointer(56).getPointer(40).setLong(16, 0);
    refused("field '' has text up to byte 5 and no memory for it");
  }

  @Test
  void textIsAdoptedWhileDownloadsAreRefused() {
    produce();
    make(CUDA, 0, event);
    gpu.memory().refuseDownloads(true);
    adopt().close();
    assertThat(gpu.memory().statistics().metadataReads()).isEqualTo(1);
    gpu.memory().refuseDownloads(false);
  }

  @Test
  void aTableIsStillItsOwnersAfterEachFailingDriverCall() {
    produce();
    make(CUDA, 0, event);
    adoptAndClose();
    // Once more: the first adoption creates what the later ones reuse.
    long calls = adoptAndClose();
    int released = library.releasedArrays();
    assertThat(library.releasedSchemas()).isEqualTo(released);
    for (long nth = 1; nth <= calls; nth++) {
      device.failCall(nth, INVALID_VALUE);
      assertThatThrownBy(this::adopt, "with a failure of driver call %d of %d", nth, calls)
          .isInstanceOf(CudaDriverException.class);
      gpu.synchronize();
      assertThat(library.releasedArrays()).isEqualTo(released);
      assertThat(library.releasedSchemas()).isEqualTo(released);
      assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
    }
    DeviceTable last = adopt();
    assertThat(last.readable(1, boolean[].class).values().download(other))
        .containsExactly(true, false, true);
    last.close();
  }

  /** Returns how many driver calls the adoption made, and makes the table anew. */
  private long adoptAndClose() {
    int released = library.releasedArrays();
    long before = device.calls();
    DeviceTable table = adopt();
    long calls = device.calls() - before;
    table.close();
    awaitRelease(released + 5);
    make(CUDA, 0, event);
    return calls;
  }

  private void awaitRelease() {
    awaitRelease(5);
  }

  private void awaitRelease(int arrays) {
    for (int i = 0; library.releasedArrays() < arrays && i < 10_000; i++) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(library.releasedArrays()).isEqualTo(arrays);
  }

  private void refused(String message) {
    int arrays = library.releasedArrays();
    assertThatIllegalArgumentException()
        .isThrownBy(this::adopt)
        .withMessage(message.replace("{}", "0x" + Long.toHexString(library.arrayAddress())));
    assertThat(library.releasedArrays()).isEqualTo(arrays);
    assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
  }
}
