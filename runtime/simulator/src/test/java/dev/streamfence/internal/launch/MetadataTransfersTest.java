package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies of metadata between host and device, which are counted apart from those of data. */
final class MetadataTransfersTest extends OneStream {
  private static final Schema KEYS = Schema.of(ColumnField.of("key", ColumnType.INT32));

  private MemoryStatistics counted() {
    return gpu.memory().statistics();
  }

  @Test
  void aNumberOfRowsIsAReadOfMetadataAndNoDownload() {
    try (DeviceTable table = DeviceTable.allocate(stream, KEYS, 4)) {
      table.rowCount().fill(stream, 3);
      assertThat(table.rows(stream)).isEqualTo(3);
      assertThat(table.rows(stream)).isEqualTo(3);
      assertThat(counted().metadataReads()).isEqualTo(1);
      assertThat(counted().metadataReadBytes()).isEqualTo(4);
      assertThat(counted().downloads()).isZero();
      assertThat(counted().downloadedBytes()).isZero();
      table.rowCount().download(stream);
      assertThat(counted().metadataReads()).isEqualTo(1);
      assertThat(counted().downloads()).isEqualTo(1);
    }
  }

  @Test
  void aRefusedReadOfMetadataIsCountedAsARefusedDownload() {
    try (DeviceTable table = DeviceTable.allocate(stream, KEYS, 4)) {
      table.rowCount().fill(stream, 3);
      gpu.memory().refuseDownloads(true);
      long calls = device.calls();
      assertThatIllegalStateException().isThrownBy(() -> table.rows(stream));
      assertThat(device.calls()).isEqualTo(calls);
      assertThat(counted().refusedDownloads()).isEqualTo(1);
      assertThat(counted().metadataReads()).isZero();
    }
  }

  @Test
  void tablesOfAddressesAreCountedOnceForEachLaunchThatWritesSome() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (DeviceArray<int[]> first = gpu.memory().upload(stream, new int[] {1});
        DeviceArray<int[]> second = gpu.memory().upload(stream, new int[] {2})) {
      long uploads = counted().uploads();
      for (int i = 0; i < 3; i++) {
        try (LaunchRecorder open = bump.begin()) {
          open.table(List.of(first, second)).value(2).threads(1).preflight().launch().commit();
        }
      }
      assertThat(counted().tableUploads()).isEqualTo(1);
      assertThat(counted().tableUploadedBytes()).isEqualTo(16);
      assertThat(counted().uploads()).isEqualTo(uploads);
      assertThat(first.download(stream)).containsExactly(4);
    }
  }

  @Test
  void eachGroupOfCountsIsResetAlone() {
    try (DeviceTable table = DeviceTable.allocate(stream, KEYS, 4)) {
      table.rowCount().fill(stream, 3);
      table.rows(stream);
      table.rowCount().download(stream);
      gpu.memory().resetTransfers();
      assertThat(counted().downloads()).isZero();
      assertThat(counted().metadataReads()).isEqualTo(1);
      table.rowCount().download(stream);
      gpu.memory().resetMetadataTransfers();
      assertThat(counted().metadataReads()).isZero();
      assertThat(counted().metadataReadBytes()).isZero();
      assertThat(counted().downloads()).isEqualTo(1);
    }
  }

  @Test
  void aCopyOfTablesThatFailsIsNotCounted() {
    LaunchRecorder bump = LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP);
    try (DeviceArray<int[]> first = gpu.memory().upload(stream, new int[] {1})) {
      device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 1, 1);
      try (LaunchRecorder open = bump.begin()) {
        open.table(List.of(first)).value(1).threads(1).preflight();
        assertThatThrownBy(open::launch).isInstanceOf(CudaDriverException.class);
      }
      assertThat(counted().tableUploads()).isZero();
    }
  }
}
