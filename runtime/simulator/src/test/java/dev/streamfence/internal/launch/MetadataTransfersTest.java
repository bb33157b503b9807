package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies of metadata between host and device, which are counted apart from those of data. */
final class MetadataTransfersTest extends OneStream {
  private MemoryStatistics counted() {
    return gpu.memory().statistics();
  }

  private static int metadata(DeviceArray<int[]> array, DeviceStream stream) {
    return TrackedArray.of(array).readMetadata(stream, 0, 1)[0];
  }

  @Test
  void aReadOfMetadataIsNoDownload() {
    try (DeviceArray<int[]> count = gpu.memory().allocate(stream, int[].class, 1)) {
      count.fill(stream, 3);
      assertThat(metadata(count, stream)).isEqualTo(3);
      assertThat(counted().metadataReads()).isEqualTo(1);
      assertThat(counted().metadataReadBytes()).isEqualTo(4);
      assertThat(counted().downloads()).isZero();
      assertThat(counted().downloadedBytes()).isZero();
      count.download(stream);
      assertThat(counted().metadataReads()).isEqualTo(1);
      assertThat(counted().downloads()).isEqualTo(1);
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
    try (DeviceArray<int[]> count = gpu.memory().allocateZeroed(stream, int[].class, 1)) {
      metadata(count, stream);
      count.download(stream);
      gpu.memory().resetTransfers();
      assertThat(counted().downloads()).isZero();
      assertThat(counted().metadataReads()).isEqualTo(1);
      count.download(stream);
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
