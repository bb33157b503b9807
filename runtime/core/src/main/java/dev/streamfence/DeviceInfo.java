package dev.streamfence;

import dev.streamfence.internal.driver.DeviceProperties;
import java.util.UUID;

/**
 * The facts of one device, see {@link DeviceRuntime#devices()} and {@link DeviceRuntime#info()}.
 * They are read once and do not change. A number that the driver does not report is 0, and a
 * feature that it does not report counts as absent. Immutable.
 */
public sealed interface DeviceInfo permits DeviceProperties {
  /** Its number, from 0: the argument of {@link DeviceRuntime#open(int)}. */
  int ordinal();

  /** The product, such as {@code NVIDIA A100-SXM4-80GB}, or {@code simulated device}. */
  String name();

  /**
   * Identifies the device across processes and machines; {@code nvidia-smi -L} shows it after
   * {@code GPU-}. A part of a GPU (MIG) has the identity of the whole.
   */
  UUID uuid();

  /** Its address on the PCI bus, such as {@code 0000:3B:00.0}; empty if it has none. */
  String pciBusId();

  /** The driver's CUDA version, 1000 × major + 10 × minor: 12040 for CUDA 12.4. */
  int driverVersion();

  /** The compute capability's first number. */
  int computeMajor();

  /** The compute capability's second number. */
  int computeMinor();

  /** Total device memory. */
  long totalMemoryInBytes();

  /** The number of streaming multiprocessors. */
  int multiprocessors();

  /** Threads per warp. */
  int warpSize();

  /** The most threads of a block: the largest product of its three sizes. */
  int maxThreadsPerBlock();

  /** The most threads of a block in x. */
  int maxBlockX();

  /** The most threads of a block in y. */
  int maxBlockY();

  /** The most threads of a block in z. */
  int maxBlockZ();

  /** The most blocks of a grid in x. */
  int maxGridX();

  /** The most blocks of a grid in y. */
  int maxGridY();

  /** The most blocks of a grid in z. */
  int maxGridZ();

  /** The most threads that one multiprocessor holds at the same time. */
  int maxThreadsPerMultiprocessor();

  /** The most blocks that one multiprocessor holds at the same time. */
  int maxBlocksPerMultiprocessor();

  /** Shared memory of a block, in bytes, for kernels that do not opt in to more. */
  int sharedBytesPerBlock();

  /**
   * Shared memory of a block, in bytes, for kernels that opt in to more. A launch that needs it
   * opts in automatically.
   */
  int sharedBytesPerBlockOptIn();

  /** Shared memory, in bytes, that the driver takes from the multiprocessor for each block. */
  int reservedSharedBytesPerBlock();

  /** Shared memory of a multiprocessor, in bytes. */
  int sharedBytesPerMultiprocessor();

  /** 32-bit registers of a block. */
  int registersPerBlock();

  /** 32-bit registers of a multiprocessor. */
  int registersPerMultiprocessor();

  /** Constant memory of a module, in bytes. */
  int constantBytes();

  /** Size of the L2 cache in bytes. */
  int l2CacheBytes();

  /** Width of the memory bus in bits. */
  int memoryBusWidthBits();

  /** Clock of the memory in kHz. */
  int memoryClockKilohertz();

  /** Clock of the multiprocessors in kHz. */
  int clockKilohertz();

  /** How many copies can run at the same time as kernels and each other. */
  int copyEngines();

  /** Whether host and device share one physical memory. */
  boolean isIntegrated();

  /** Whether memory errors are corrected (ECC). */
  boolean hasErrorCorrection();

  /** Whether the driver can move memory between host and device on demand. */
  boolean hasManagedMemory();

  /** Whether host and device share one address space. */
  boolean hasUnifiedAddressing();

  /** Whether kernels can use mapped host memory. */
  boolean canMapHostMemory();

  /** Whether memory can be allocated in stream order, which every runtime requires. */
  boolean hasMemoryPools();

  /** Whether it supports kernels whose blocks wait for each other. */
  boolean supportsCooperativeLaunches();

  /** Whether graphs can have loops and conditions, which takes a driver for CUDA 12.4 or later. */
  boolean supportsGraphConditions();
}
