package dev.streamfence.internal.column;

import static dev.streamfence.column.ColumnType.BOOL;
import static dev.streamfence.column.ColumnType.BOOL8;
import static dev.streamfence.column.ColumnType.INT32;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flags of a bit each become flags of a byte each on the device, and back. */
final class PackedFlagsTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device =
      SimulatedDevice.builder().checkUninitializedReads(true).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void everyArrayWasClosed() {
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void nineFlagsTakeTwoBytes() {
    boolean[] flags = {true, false, true, true, false, false, true, false, true};
    long downloaded = gpu.memory().statistics().downloadedBytes();
    try (DeviceColumn<boolean[]> column = flags(flags);
        DeviceColumn<byte[]> packed = column.packed(stream)) {
      assertThat(gpu.memory().statistics().downloadedBytes()).isEqualTo(downloaded);
      assertThat(packed.field()).isEqualTo(ColumnField.of("flag", BOOL));
      assertThat(packed.length()).isEqualTo(9);
      assertThat(packed.values().download(stream)).containsExactly(0x4d, 0x01);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 64, 1000})
  void unpackedFlagsAreThoseThatWerePacked(int rows) {
    Random random = new Random(rows);
    boolean[] flags = new boolean[rows];
    for (int i = 0; i < rows; i++) {
      flags[i] = random.nextBoolean();
    }
    try (DeviceColumn<boolean[]> column = flags(flags);
        DeviceColumn<byte[]> packed = column.packed(stream);
        DeviceColumn<boolean[]> unpacked = packed.unpacked(stream)) {
      assertThat(unpacked.type()).isEqualTo(BOOL8);
      assertThat(unpacked.values().download(stream)).isEqualTo(flags);
    }
  }

  @Test
  void aSliceIsUnpackedFromItsFirstBit() {
    try (DeviceColumn<byte[]> column =
            DeviceColumn.ofBits(
                ColumnField.nullable("flag", BOOL), 24, bytes(0x4d, 0x01, 0x80), bytes(9, 9, 9));
        DeviceColumn<boolean[]> unpacked = column.slice(3, 12).unpacked(stream)) {
      assertThat(unpacked.values().download(stream))
          .containsExactly(
              true, false, false, true, false, true, false, false, false, false, false, false);
      assertThat(unpacked.validityOffset()).isEqualTo(3);
      assertThat(unpacked.validity().download(stream)).containsExactly(9, 9);
    }
  }

  @Test
  void theBitmapIsCopied() {
    DeviceArray<byte[]> bitmap = bytes(0b101);
    try (DeviceColumn<boolean[]> column =
            new ColumnDraft<>(
                    ColumnField.nullable("flag", BOOL8),
                    3,
                    gpu.memory().upload(stream, new boolean[3]))
                .validity(bitmap, 0)
                .nullCount(1)
                .buildWritable();
        DeviceColumn<byte[]> packed = column.packed(stream)) {
      bitmap.fill(stream, 0L);
      assertThat(packed.validity().download(stream)).containsExactly(0b101);
    }
  }

  @Test
  void anyByteButZeroIsSet() {
    DeviceArray<boolean[]> flags = bytes(0, 1, 2, 0x80).reinterpret(boolean[].class);
    try (DeviceColumn<boolean[]> column = DeviceColumn.of(ColumnField.of("flag", BOOL8), flags);
        DeviceColumn<byte[]> packed = column.packed(stream)) {
      assertThat(packed.values().download(stream)).containsExactly(0b1110);
    }
  }

  @Test
  void otherTypesAreRefused() {
    try (DeviceColumn<int[]> column =
        DeviceColumn.of(ColumnField.of("x", INT32), gpu.memory().upload(stream, new int[1]))) {
      assertThatIllegalStateException()
          .isThrownBy(() -> column.packed(stream))
          .withMessage("column 'x' (int32 not null) of 1 rows cannot be packed; only bool8 can");
      assertThatIllegalStateException().isThrownBy(() -> column.unpacked(stream));
    }
  }

  @Test
  void whicheverDriverCallFailsNothingStaysAllocated() {
    long calls = device.calls();
    try (DeviceColumn<boolean[]> column =
        DeviceColumn.of(
            ColumnField.nullable("flag", BOOL8),
            gpu.memory().upload(stream, new boolean[9]),
            bytes(1, 1))) {
      column.packed(stream).close();
      calls = device.calls();
      column.packed(stream).close();
      calls = device.calls() - calls;
      long live = gpu.memory().statistics().liveBytes();
      // The last call is the free of the close.
      for (int nth = 1; nth <= calls - 2; nth++) {
        device.failCall(nth, INVALID_VALUE);
        assertThatThrownBy(() -> column.packed(stream)).isInstanceOf(CudaDriverException.class);
        assertThat(gpu.memory().statistics().liveBytes()).as("call %s", nth).isEqualTo(live);
      }
    }
  }

  private DeviceColumn<boolean[]> flags(boolean... flags) {
    return DeviceColumn.of(ColumnField.of("flag", BOOL8), gpu.memory().upload(stream, flags));
  }

  private DeviceArray<byte[]> bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return gpu.memory().upload(stream, bytes);
  }
}
