package dev.streamfence.internal.driver;

import dev.streamfence.DeviceInfo;
import java.util.Map;
import java.util.UUID;

/**
 * The properties of a device: the implementation of {@link DeviceInfo}. Lookups allocate nothing.
 * Immutable.
 */
public final class DeviceProperties implements DeviceInfo {
  /**
   * How a device is told apart from others.
   *
   * @param name the product, such as {@code NVIDIA A100}, or {@code simulated device}
   * @param ordinal its number among the devices of the driver
   * @param uuid the same in each process
   * @param pciBusId where it is on the PCI bus; empty if it is on none
   */
  public record Identity(String name, int ordinal, UUID uuid, String pciBusId) {}

  private final Identity identity;

  /** The first driver whose conditions may decide about copies and fills. */
  private static final int GRAPH_CONDITIONS = 12040;

  private final int driverVersion;
  private final long totalMemoryInBytes;

  /** By code. */
  private final int[] attributes;

  private DeviceProperties(
      Identity identity, int driverVersion, long totalMemoryInBytes, int[] attributes) {
    this.identity = identity;
    this.driverVersion = driverVersion;
    this.totalMemoryInBytes = totalMemoryInBytes;
    this.attributes = attributes;
  }

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
    int[] values = new int[DeviceAttribute.CODES];
    attributes.forEach((attribute, value) -> values[attribute.code()] = value);
    return new DeviceProperties(identity, driverVersion, totalMemoryInBytes, values);
  }

  /** How the device is told apart from others. */
  public Identity identity() {
    return identity;
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
  public int driverVersion() {
    return driverVersion;
  }

  @Override
  public long totalMemoryInBytes() {
    return totalMemoryInBytes;
  }

  /** An attribute as the driver reports it; 0 if the driver does not know it. */
  public int attribute(DeviceAttribute attribute) {
    return attributes[attribute.code()];
  }

  @Override
  public int computeMajor() {
    return attribute(DeviceAttribute.COMPUTE_MAJOR);
  }

  @Override
  public int computeMinor() {
    return attribute(DeviceAttribute.COMPUTE_MINOR);
  }

  @Override
  public int multiprocessors() {
    return attribute(DeviceAttribute.MULTIPROCESSORS);
  }

  @Override
  public int warpSize() {
    return attribute(DeviceAttribute.WARP_SIZE);
  }

  @Override
  public int maxThreadsPerBlock() {
    return attribute(DeviceAttribute.MAX_THREADS_PER_BLOCK);
  }

  @Override
  public int maxBlockX() {
    return attribute(DeviceAttribute.MAX_BLOCK_X);
  }

  @Override
  public int maxBlockY() {
    return attribute(DeviceAttribute.MAX_BLOCK_Y);
  }

  @Override
  public int maxBlockZ() {
    return attribute(DeviceAttribute.MAX_BLOCK_Z);
  }

  @Override
  public int maxGridX() {
    return attribute(DeviceAttribute.MAX_GRID_X);
  }

  @Override
  public int maxGridY() {
    return attribute(DeviceAttribute.MAX_GRID_Y);
  }

  @Override
  public int maxGridZ() {
    return attribute(DeviceAttribute.MAX_GRID_Z);
  }

  @Override
  public int maxThreadsPerMultiprocessor() {
    return attribute(DeviceAttribute.THREADS_PER_MULTIPROCESSOR);
  }

  @Override
  public int maxBlocksPerMultiprocessor() {
    return attribute(DeviceAttribute.BLOCKS_PER_MULTIPROCESSOR);
  }

  @Override
  public int sharedBytesPerBlock() {
    return attribute(DeviceAttribute.SHARED_BYTES_PER_BLOCK);
  }

  @Override
  public int sharedBytesPerBlockOptIn() {
    return attribute(DeviceAttribute.SHARED_BYTES_PER_BLOCK_OPT_IN);
  }

  @Override
  public int reservedSharedBytesPerBlock() {
    return attribute(DeviceAttribute.RESERVED_SHARED_BYTES_PER_BLOCK);
  }

  @Override
  public int sharedBytesPerMultiprocessor() {
    return attribute(DeviceAttribute.SHARED_BYTES_PER_MULTIPROCESSOR);
  }

  @Override
  public int registersPerBlock() {
    return attribute(DeviceAttribute.REGISTERS_PER_BLOCK);
  }

  @Override
  public int registersPerMultiprocessor() {
    return attribute(DeviceAttribute.REGISTERS_PER_MULTIPROCESSOR);
  }

  @Override
  public int constantBytes() {
    return attribute(DeviceAttribute.CONSTANT_BYTES);
  }

  @Override
  public int l2CacheBytes() {
    return attribute(DeviceAttribute.L2_CACHE_BYTES);
  }

  @Override
  public int memoryBusWidthBits() {
    return attribute(DeviceAttribute.MEMORY_BUS_WIDTH_BITS);
  }

  @Override
  public int memoryClockKilohertz() {
    return attribute(DeviceAttribute.MEMORY_CLOCK_KILOHERTZ);
  }

  @Override
  public int clockKilohertz() {
    return attribute(DeviceAttribute.CLOCK_KILOHERTZ);
  }

  @Override
  public int copyEngines() {
    return attribute(DeviceAttribute.COPY_ENGINES);
  }

  @Override
  public boolean isIntegrated() {
    return attribute(DeviceAttribute.INTEGRATED) != 0;
  }

  @Override
  public boolean hasErrorCorrection() {
    return attribute(DeviceAttribute.ERROR_CORRECTION) != 0;
  }

  @Override
  public boolean hasManagedMemory() {
    return attribute(DeviceAttribute.MANAGED_MEMORY) != 0;
  }

  @Override
  public boolean hasUnifiedAddressing() {
    return attribute(DeviceAttribute.UNIFIED_ADDRESSING) != 0;
  }

  @Override
  public boolean canMapHostMemory() {
    return attribute(DeviceAttribute.CAN_MAP_HOST_MEMORY) != 0;
  }

  @Override
  public boolean hasMemoryPools() {
    return attribute(DeviceAttribute.MEMORY_POOLS) != 0;
  }

  @Override
  public boolean supportsCooperativeLaunches() {
    return attribute(DeviceAttribute.COOPERATIVE_LAUNCH) != 0;
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
