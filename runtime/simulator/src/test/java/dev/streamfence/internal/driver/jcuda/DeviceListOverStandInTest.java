package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.internal.driver.DeviceAttribute;
import dev.streamfence.internal.driver.DeviceProperties;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.driver.CUdevice_attribute;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of devices: their facts, and the answers of a driver that has none or is broken. */
class DeviceListOverStandInTest {
  private static final int INVALID_VALUE = 1;
  private static final int NO_DEVICE = 100;
  private static final int SYSTEM_DRIVER_MISMATCH = 803;
  private static final int UNKNOWN = 999;

  private StandIn standIn;

  @BeforeEach
  void load() {
    standIn = StandIn.loaded();
  }

  @AfterEach
  void reset() {
    if (standIn != null) {
      standIn.reset();
    }
  }

  @Test
  void everyDeviceIsListedWithItsFacts() {
    List<Long> before = standIn.live();

    List<DeviceInfo> devices = DeviceRuntime.devices();

    assertThat(devices).hasSize(2);
    DeviceInfo second = devices.get(1);
    assertThat(second.ordinal()).isEqualTo(1);
    assertThat(second.name()).isEqualTo("Stand-in 1");
    assertThat(second.uuid()).isEqualTo(UUID.fromString("00112233-4455-6677-8899-aabbccddee01"));
    assertThat(second.pciBusId()).isEqualTo("0000:3B:00.0");
    assertThat(second.driverVersion()).isEqualTo(12060);
    assertThat(second.totalMemoryInBytes()).isEqualTo(81L << 30);
    assertThat(second)
        .hasToString(
            "Stand-in 1 (device 1, compute capability 1075.1076, 1016 multiprocessors, 82944 MiB)");
    assertThat(standIn.live()).as("a list opens nothing").isEqualTo(before);
  }

  @Test
  void anOpenRuntimeTellsTheFactsOfItsDevice() {
    try (DeviceRuntime gpu = DeviceRuntime.open(1)) {
      DeviceInfo listed = DeviceRuntime.devices().get(1);
      assertThat(standIn.trace(() -> assertThat(gpu.info()).hasToString(listed.toString())))
          .isEmpty();
      assertThat(gpu.info().uuid()).isEqualTo(listed.uuid());
      assertThat(gpu.info().l2CacheBytes()).isEqualTo(listed.l2CacheBytes()).isEqualTo(1038);
    }
  }

  @Test
  void everyAttributeHasTheCodeOfItsName() {
    String codes =
        Stream.of(DeviceAttribute.values())
            .map(attribute -> attribute + " " + CUdevice_attribute.stringFor(attribute.code()))
            .map(line -> line.replace("CU_DEVICE_ATTRIBUTE_", ""))
            .collect(Collectors.joining("\n"));

    assertThat(codes)
        .isEqualTo(
            """
            MAX_THREADS_PER_BLOCK MAX_THREADS_PER_BLOCK
            MAX_BLOCK_X MAX_BLOCK_DIM_X
            MAX_BLOCK_Y MAX_BLOCK_DIM_Y
            MAX_BLOCK_Z MAX_BLOCK_DIM_Z
            MAX_GRID_X MAX_GRID_DIM_X
            MAX_GRID_Y MAX_GRID_DIM_Y
            MAX_GRID_Z MAX_GRID_DIM_Z
            SHARED_BYTES_PER_BLOCK MAX_SHARED_MEMORY_PER_BLOCK
            CONSTANT_BYTES TOTAL_CONSTANT_MEMORY
            WARP_SIZE WARP_SIZE
            REGISTERS_PER_BLOCK MAX_REGISTERS_PER_BLOCK
            CLOCK_KILOHERTZ CLOCK_RATE
            MULTIPROCESSORS MULTIPROCESSOR_COUNT
            INTEGRATED INTEGRATED
            CAN_MAP_HOST_MEMORY CAN_MAP_HOST_MEMORY
            ERROR_CORRECTION ECC_ENABLED
            MEMORY_CLOCK_KILOHERTZ MEMORY_CLOCK_RATE
            MEMORY_BUS_WIDTH_BITS GLOBAL_MEMORY_BUS_WIDTH
            L2_CACHE_BYTES L2_CACHE_SIZE
            THREADS_PER_MULTIPROCESSOR MAX_THREADS_PER_MULTIPROCESSOR
            COPY_ENGINES ASYNC_ENGINE_COUNT
            UNIFIED_ADDRESSING UNIFIED_ADDRESSING
            COMPUTE_MAJOR COMPUTE_CAPABILITY_MAJOR
            COMPUTE_MINOR COMPUTE_CAPABILITY_MINOR
            SHARED_BYTES_PER_MULTIPROCESSOR MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
            REGISTERS_PER_MULTIPROCESSOR MAX_REGISTERS_PER_MULTIPROCESSOR
            MANAGED_MEMORY MANAGED_MEMORY
            COOPERATIVE_LAUNCH COOPERATIVE_LAUNCH
            SHARED_BYTES_PER_BLOCK_OPT_IN MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            BLOCKS_PER_MULTIPROCESSOR MAX_BLOCKS_PER_MULTIPROCESSOR
            RESERVED_SHARED_BYTES_PER_BLOCK RESERVED_SHARED_MEMORY_PER_BLOCK
            MEMORY_POOLS MEMORY_POOLS_SUPPORTED""");
  }

  @Test
  void aDriverThatSeesNoDeviceListsNone() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.DEVICES)) {
      standIn.fail("cuInit", NO_DEVICE);
      assertThat(DeviceRuntime.devices()).isEmpty();
      standIn.reset();
      standIn.devices(0);
      assertThat(DeviceRuntime.devices()).isEmpty();

      assertThat(log.messages()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cuInit", "cuDeviceGetCount"})
  void aBrokenInstallationListsNoneAndIsLoggedAndOpeningThrowsItsError(String call) {
    standIn.fail(call, SYSTEM_DRIVER_MISMATCH);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.DEVICES)) {
      assertThat(DeviceRuntime.devices()).isEmpty();

      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("no GPU is listed: ")
          .contains(call, "803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    }
    assertThat(catchThrowableOfType(CudaDriverException.class, () -> DeviceRuntime.open(0)).code())
        .isEqualTo(SYSTEM_DRIVER_MISMATCH);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cuDeviceGet",
        "cuDriverGetVersion",
        "cuDeviceGetAttribute",
        "cuDeviceGetName",
        "cuDeviceTotalMem",
        "cuDeviceGetUuid",
        "cuDeviceGetPCIBusId"
      })
  void anErrorOfADeviceThatWasCountedIsThrown(String call) {
    standIn.fail(call, UNKNOWN, 1);

    CudaDriverException error =
        catchThrowableOfType(CudaDriverException.class, DeviceRuntime::devices);

    assertThat(error.call()).isEqualTo(call);
    assertThat(error.purpose()).isEqualTo("looking for CUDA devices");
  }

  @Test
  void anAttributeThatTheDriverDoesNotKnowIsZero() {
    standIn.fail("cuDeviceGetAttribute", INVALID_VALUE);

    DeviceInfo first = DeviceRuntime.devices().get(0);

    assertThat(first.reservedSharedBytesPerBlock()).isZero();
    assertThat(first.hasMemoryPools()).isFalse();
    assertThat(first.name()).isEqualTo("Stand-in 0");
    assertThatThrownBy(() -> DeviceRuntime.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("no stream-ordered memory");
  }

  @Test
  void everyAttributeIsReadByItsName() {
    assertThat(
            Stream.of(DeviceAttribute.values())
                .map(attribute -> attribute + " " + readers(attribute))
                .collect(Collectors.joining("\n")))
        .isEqualTo(
            """
            MAX_THREADS_PER_BLOCK maxThreadsPerBlock
            MAX_BLOCK_X maxBlockX
            MAX_BLOCK_Y maxBlockY
            MAX_BLOCK_Z maxBlockZ
            MAX_GRID_X maxGridX
            MAX_GRID_Y maxGridY
            MAX_GRID_Z maxGridZ
            SHARED_BYTES_PER_BLOCK sharedBytesPerBlock
            CONSTANT_BYTES constantBytes
            WARP_SIZE warpSize
            REGISTERS_PER_BLOCK registersPerBlock
            CLOCK_KILOHERTZ clockKilohertz
            MULTIPROCESSORS multiprocessors
            INTEGRATED isIntegrated
            CAN_MAP_HOST_MEMORY canMapHostMemory
            ERROR_CORRECTION hasErrorCorrection
            MEMORY_CLOCK_KILOHERTZ memoryClockKilohertz
            MEMORY_BUS_WIDTH_BITS memoryBusWidthBits
            L2_CACHE_BYTES l2CacheBytes
            THREADS_PER_MULTIPROCESSOR maxThreadsPerMultiprocessor
            COPY_ENGINES copyEngines
            UNIFIED_ADDRESSING hasUnifiedAddressing
            COMPUTE_MAJOR computeMajor
            COMPUTE_MINOR computeMinor
            SHARED_BYTES_PER_MULTIPROCESSOR sharedBytesPerMultiprocessor
            REGISTERS_PER_MULTIPROCESSOR registersPerMultiprocessor
            MANAGED_MEMORY hasManagedMemory
            COOPERATIVE_LAUNCH supportsCooperativeLaunches
            SHARED_BYTES_PER_BLOCK_OPT_IN sharedBytesPerBlockOptIn
            BLOCKS_PER_MULTIPROCESSOR maxBlocksPerMultiprocessor
            RESERVED_SHARED_BYTES_PER_BLOCK reservedSharedBytesPerBlock
            MEMORY_POOLS hasMemoryPools""");
  }

  private static String readers(DeviceAttribute attribute) {
    DeviceProperties without = properties(Map.of());
    DeviceProperties with = properties(Map.of(attribute, 1));
    return Stream.of(DeviceProperties.class.getRecordComponents())
        .filter(each -> !read(each, with).equals(read(each, without)))
        .map(RecordComponent::getName)
        .collect(Collectors.joining(" "));
  }

  private static DeviceProperties properties(Map<DeviceAttribute, Integer> attributes) {
    return DeviceProperties.of(
        new DeviceProperties.Identity("a device", 0, new UUID(0, 0), ""), 0, 0, attributes);
  }

  private static Object read(RecordComponent component, DeviceProperties from) {
    try {
      return component.getAccessor().invoke(from);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
