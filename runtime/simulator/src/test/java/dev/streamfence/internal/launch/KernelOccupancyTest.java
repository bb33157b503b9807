package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The occupancy of kernels on a device with 1536 threads and 100 KiB per multiprocessor. */
final class KernelOccupancyTest {
  private static final KernelImage IMAGE =
      KernelImage.of(
          "blocks.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry any() { ret; }
          .visible .entry atMost200() .maxntid 200 { ret; }
          .visible .entry exactly96() .reqntid 96 { ret; }
          .visible .entry tile() .reqntid 16, 16 { ret; }
          .visible .entry large() { .shared .align 4 .b8 all[40960]; ret; }
          """
              .getBytes(US_ASCII));

  private final SimulatedDevice device =
      SimulatedDevice.builder()
          .threadsPerMultiprocessor(1536)
          .blocksPerMultiprocessor(16)
          .sharedBytesPerMultiprocessor(100 << 10)
          .build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final LoadedModule module = LoadedModule.of(stream, IMAGE);

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    // By threads, by blocks, by shared memory (of which each block has 1 KiB reserved).
    "any,       256,  0,      6",
    "any,       1,    0,      16",
    "any,       1024, 0,      1",
    "any,       64,   24576,  4",
    "any,       64,   101376, 1",
    // Not even one.
    "any,       64,   101377, 0",
    "any,       1025, 0,      0",
    "atMost200, 201,  0,      0",
    // Static shared memory counts.
    "large,     64,   0,      2",
    "large,     64,   60417,  0",
  })
  void aMultiprocessorHoldsAsManyBlocksAsItsLimitsAllow(
      String entry, int blockSize, int shared, int blocks) {
    assertThat(module.occupancy(entry).blocksPerMultiprocessor(blockSize, shared))
        .isEqualTo(blocks);
  }

  @ParameterizedTest
  @CsvSource({
    // The largest with 1536 threads.
    "any,       0,     768",
    // Two blocks fit, of which the largest are best.
    "any,       50000, 768",
    // One block fits.
    "any,       60000, 1024",
    // Seven blocks of 200, or 224 rounded up to warps, are fewer than eight of 192.
    "atMost200, 0,     192",
    "exactly96, 0,     96",
    "tile,      0,     256",
    "large,     0,     768",
  })
  void theSuggestedBlockSizeRunsMostThreads(String entry, int shared, int suggested) {
    assertThat(module.occupancy(entry).suggestedBlockSize(shared)).isEqualTo(suggested);
  }

  @Test
  void moreSharedMemoryThanABlockCanHaveIsRefusedWithTheNumbers() {
    assertThatThrownBy(() -> module.occupancy("large").suggestedBlockSize(60417))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("large: no block fits on simulated device (device 0")
        .hasMessageEndingWith("60417 bytes of dynamic shared memory and 40960 static ones");
    assertThatThrownBy(() -> module.occupancy("any").suggestedBlockSize(Integer.MAX_VALUE))
        .hasMessageContaining("2147483647 bytes");
  }

  @Test
  void numbersBelowTheirRangeAreRefused() {
    KernelOccupancy any = module.occupancy("any");

    assertThatThrownBy(() -> any.blocksPerMultiprocessor(0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("any: a block of 0 threads; it has at least 1");
    assertThatThrownBy(() -> any.blocksPerMultiprocessor(1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("any: -1 bytes of dynamic shared memory; the size is at least 0");
    assertThatThrownBy(() -> any.suggestedBlockSize(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aKernelThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> module.occupancy("none"))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("none");
  }

  @Test
  void anErrorOfTheDriverNamesTheKernel() {
    KernelOccupancy any = module.occupancy("any");
    device.failCall(DriverCall.SUGGESTED_BLOCK_SIZE, 1, 1);

    CudaDriverException error =
        catchThrowableOfType(CudaDriverException.class, () -> any.suggestedBlockSize(0));

    assertThat(error.call()).isEqualTo("cuOccupancyMaxPotentialBlockSize");
    assertThat(error.purpose()).isEqualTo("asking how many blocks of any fit");
    assertThat(any.suggestedBlockSize(0)).isEqualTo(768);
  }

  @Test
  void nothingIsAskedOfWhatIsClosed() {
    KernelOccupancy any = module.occupancy("any");
    stream.close();
    assertThatThrownBy(() -> module.occupancy("any")).isInstanceOf(StreamMisuseException.class);
    assertThat(any.suggestedBlockSize(0)).isEqualTo(768);
    gpu.close();
    assertThatThrownBy(() -> any.suggestedBlockSize(0)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> any.blocksPerMultiprocessor(32, 0))
        .isInstanceOf(RuntimeClosedException.class);
  }
}
