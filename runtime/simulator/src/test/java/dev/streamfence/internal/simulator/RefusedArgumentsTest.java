package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.simulation.KernelMemory;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arguments that the driver of a GPU refuses, and those beside them that it takes. */
final class RefusedArgumentsTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final CudaDriver driver = Inside.open(device);
  private final StreamHandle stream = driver.createStream(0);

  @AfterEach
  void close() {
    driver.close();
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(1));
  }

  @Test
  void freedHostMemoryHasNoAddressOnTheDevice() {
    HostMemory host = driver.allocateHost(64);
    assertThat(driver.deviceAddress(host)).isPositive();
    driver.freeHost(host);
    assertRefused(() -> driver.deviceAddress(host));
  }

  @Test
  void fillsOfMoreThanAByteAreAligned() {
    long address = driver.allocate(64);
    driver.fillAsync(address + 2, Short.BYTES, 1, 4, stream);
    driver.fillAsync(address + 4, Integer.BYTES, 1, 4, stream);
    driver.fill32StridedAsync(address, 8, 1, 4, stream);
    assertRefused(() -> driver.fillAsync(address + 1, Short.BYTES, 1, 4, stream));
    assertRefused(() -> driver.fillAsync(address + 2, Integer.BYTES, 1, 4, stream));
    assertRefused(() -> driver.fill32StridedAsync(address, 6, 1, 4, stream));
  }

  @Test
  void copiesStayWithinHostMemory() {
    long address = driver.allocate(64);
    HostMemory host = driver.allocateHost(64);
    driver.copyToDeviceAsync(address, host, 0, 64, stream);
    driver.copyToDeviceAsync(address, host, 63, 1, stream);
    driver.copyToHostAsync(host, 32, address, 32, stream);
    assertRefused(() -> driver.copyToDeviceAsync(address, host, 1, 64, stream));
    assertRefused(() -> driver.copyToHostAsync(host, 64, address, 1, stream));
    assertRefused(() -> driver.copyToHostAsync(host, -1, address, 1, stream));
  }

  @Test
  void dynamicSharedMemoryHasTheRoomThatStaticSharedMemoryLeaves() {
    int most = driver.properties().sharedBytesPerBlockOptIn();
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry shared()
        {
          .shared .align 4 .b8 fixed[1024];
          .reg .b32 %r<2>;
          mov.u32 %r1, fixed;
          ret;
        }
        """;
    FunctionHandle function =
        driver.function(driver.loadModule("shared.ptx", ptx.getBytes(US_ASCII)), "shared");
    assertThatCode(() -> driver.allowDynamicSharedBytes(function, most - 1024))
        .doesNotThrowAnyException();
    assertRefused(() -> driver.allowDynamicSharedBytes(function, most - 1023));
    assertRefused(() -> driver.allowDynamicSharedBytes(function, -1));
  }

  @Test
  void memoryThatAForeignKernelHasKeptIsRefusedAfterIt() {
    SimulatedLibrary library = device.library("library");
    long theirs = library.createStream();
    long address = driver.allocate(64);
    KernelMemory[] kept = new KernelMemory[1];
    library.launch(theirs, "keep", memory -> kept[0] = memory);
    assertThatThrownBy(() -> kept[0].putByte(address, (byte) 1))
        .isInstanceOf(IllegalStateException.class);
  }
}
