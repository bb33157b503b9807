package dev.streamfence.internal.driver;

import dev.streamfence.DeviceInfo;
import java.util.Map;
import java.util.UUID;

/**
 * The properties of a device: the implementation of {@link DeviceInfo}, which describes them.
 * Immutable.
 *
 * @param driverVersion as {@code cuDriverGetVersion} returns it, 1000 × major + 10 × minor
 */
public record DeviceProperties(
    Identity identity,
    int driverVersion,
    long totalMemoryInBytes,
    int computeMajor,
    int computeMinor,
    int multiprocessors,
    int warpSize,
    int maxThreadsPerBlock,
    int maxBlockX,
    int maxBlockY,
    int maxBlockZ,
    int maxGridX,
    int maxGridY,
    int maxGridZ,
    int maxThreadsPerMultiprocessor,
    int maxBlocksPerMultiprocessor,
    int sharedBytesPerBlock,
    int sharedBytesPerBlockOptIn,
    int reservedSharedBytesPerBlock,
    int sharedBytesPerMultiprocessor,
    int registersPerBlock,
    int registersPerMultiprocessor,
    int constantBytes,
    int l2CacheBytes,
    int memoryBusWidthBits,
    int memoryClockKilohertz,
    int clockKilohertz,
    int copyEngines,
    boolean isIntegrated,
    boolean hasErrorCorrection,
    boolean hasManagedMemory,
    boolean hasUnifiedAddressing,
    boolean canMapHostMemory,
    boolean hasMemoryPools,
    boolean supportsCooperativeLaunches)
    implements DeviceInfo {
  /**
   * How a device is told apart from others.
   *
   * @param name the product, such as {@code NVIDIA A100}, or {@code simulated device}
   * @param ordinal its number among the devices of the driver
   * @param uuid the same in each process
   * @param pciBusId where it is on the PCI bus; empty if it is on none
   */
  public record Identity(String name, int ordinal, UUID uuid, String pciBusId) {}

  /** The first driver whose conditions may decide about copies and fills. */
  private static final int GRAPH_CONDITIONS = 12040;

  /**
   * The properties of a device.
   *
   * @param driverVersion as {@code cuDriverGetVersion} returns it, 1000 × major + 10 × minor
   * @param totalMemoryInBytes total device memory
   * @param attributes by attribute; 0 for those left out
   */
  public static DeviceProperties of(
      Identity identity,
      int driverVersion,
      long totalMemoryInBytes,
      Map<DeviceAttribute, Integer> attributes) {
    return new DeviceProperties(
        identity,
        driverVersion,
        totalMemoryInBytes,
        get(attributes, DeviceAttribute.COMPUTE_MAJOR),
        get(attributes, DeviceAttribute.COMPUTE_MINOR),
        get(attributes, DeviceAttribute.MULTIPROCESSORS),
        get(attributes, DeviceAttribute.WARP_SIZE),
        get(attributes, DeviceAttribute.MAX_THREADS_PER_BLOCK),
        get(attributes, DeviceAttribute.MAX_BLOCK_X),
        get(attributes, DeviceAttribute.MAX_BLOCK_Y),
        get(attributes, DeviceAttribute.MAX_BLOCK_Z),
        get(attributes, DeviceAttribute.MAX_GRID_X),
        get(attributes, DeviceAttribute.MAX_GRID_Y),
        get(attributes, DeviceAttribute.MAX_GRID_Z),
        get(attributes, DeviceAttribute.THREADS_PER_MULTIPROCESSOR),
        get(attributes, DeviceAttribute.BLOCKS_PER_MULTIPROCESSOR),
        get(attributes, DeviceAttribute.SHARED_BYTES_PER_BLOCK),
        get(attributes, DeviceAttribute.SHARED_BYTES_PER_BLOCK_OPT_IN),
        get(attributes, DeviceAttribute.RESERVED_SHARED_BYTES_PER_BLOCK),
        get(attributes, DeviceAttribute.SHARED_BYTES_PER_MULTIPROCESSOR),
        get(attributes, DeviceAttribute.REGISTERS_PER_BLOCK),
        get(attributes, DeviceAttribute.REGISTERS_PER_MULTIPROCESSOR),
        get(attributes, DeviceAttribute.CONSTANT_BYTES),
        get(attributes, DeviceAttribute.L2_CACHE_BYTES),
        get(attributes, DeviceAttribute.MEMORY_BUS_WIDTH_BITS),
        get(attributes, DeviceAttribute.MEMORY_CLOCK_KILOHERTZ),
        get(attributes, DeviceAttribute.CLOCK_KILOHERTZ),
        get(attributes, DeviceAttribute.COPY_ENGINES),
        get(attributes, DeviceAttribute.INTEGRATED) != 0,
        get(attributes, DeviceAttribute.ERROR_CORRECTION) != 0,
        get(attributes, DeviceAttribute.MANAGED_MEMORY) != 0,
        get(attributes, DeviceAttribute.UNIFIED_ADDRESSING) != 0,
        get(attributes, DeviceAttribute.CAN_MAP_HOST_MEMORY) != 0,
        get(attributes, DeviceAttribute.MEMORY_POOLS) != 0,
        get(attributes, DeviceAttribute.COOPERATIVE_LAUNCH) != 0);
  }

  private static int get(Map<DeviceAttribute, Integer> attributes, DeviceAttribute attribute) {
    return attributes.getOrDefault(attribute, 0);
  }

  @Override
  public String name() {
    return identity.name();
  }

  @Override
  public int ordinal() {
    return identity.ordinal();
  }

  @Override
  public UUID uuid() {
    return identity.uuid();
  }

  @Override
  public String pciBusId() {
    return identity.pciBusId();
  }

  @Override
  public boolean supportsGraphConditions() {
    return driverVersion >= GRAPH_CONDITIONS;
  }

  @Override
  public String toString() {
    return name()
        + " (device "
        + ordinal()
        + ", compute capability "
        + computeMajor()
        + "."
        + computeMinor()
        + ", "
        + multiprocessors()
        + (multiprocessors() == 1 ? " multiprocessor, " : " multiprocessors, ")
        + totalMemoryInBytes / (1 << 20)
        + " MiB)";
  }
}
