package dev.streamfence.internal.driver;

/**
 * The numbers that describe a device, with the driver's code for each ({@code CUdevice_attribute}).
 * Immutable.
 */
public enum DeviceAttribute {
  /** Largest product of the three block sizes. */
  MAX_THREADS_PER_BLOCK(1),
  /** Largest block in x. */
  MAX_BLOCK_X(2),
  /** Largest block in y. */
  MAX_BLOCK_Y(3),
  /** Largest block in z. */
  MAX_BLOCK_Z(4),
  /** Most blocks in x. */
  MAX_GRID_X(5),
  /** Most blocks in y. */
  MAX_GRID_Y(6),
  /** Most blocks in z. */
  MAX_GRID_Z(7),
  /** Shared memory of a block without opting in to more. */
  SHARED_BYTES_PER_BLOCK(8),
  /** Constant memory of a module. */
  CONSTANT_BYTES(9),
  /** Threads per warp. */
  WARP_SIZE(10),
  /** Registers of a block. */
  REGISTERS_PER_BLOCK(12),
  /** Clock of the multiprocessors, in kHz. */
  CLOCK_KILOHERTZ(13),
  /** How many multiprocessors there are. */
  MULTIPROCESSORS(16),
  /** Whether host and device share one physical memory. */
  INTEGRATED(18),
  /** Whether kernels can use mapped host memory. */
  CAN_MAP_HOST_MEMORY(19),
  /** Whether memory errors are corrected. */
  ERROR_CORRECTION(32),
  /** Clock of the memory, in kHz. */
  MEMORY_CLOCK_KILOHERTZ(36),
  /** Width of the memory bus in bits. */
  MEMORY_BUS_WIDTH_BITS(37),
  /** Size of the L2 cache. */
  L2_CACHE_BYTES(38),
  /** Most threads of a multiprocessor. */
  THREADS_PER_MULTIPROCESSOR(39),
  /** How many engines copy beside kernels. */
  COPY_ENGINES(40),
  /** Whether host and device share one address space. */
  UNIFIED_ADDRESSING(41),
  /** Compute capability, first number. */
  COMPUTE_MAJOR(75),
  /** Compute capability, second number. */
  COMPUTE_MINOR(76),
  /** Shared memory of a multiprocessor. */
  SHARED_BYTES_PER_MULTIPROCESSOR(81),
  /** Registers of a multiprocessor. */
  REGISTERS_PER_MULTIPROCESSOR(82),
  /** Whether memory can be managed by the driver. */
  MANAGED_MEMORY(83),
  /** Whether cooperative launches are supported. */
  COOPERATIVE_LAUNCH(95),
  /** Shared memory of a block after {@link CudaDriver#allowDynamicSharedBytes}. */
  SHARED_BYTES_PER_BLOCK_OPT_IN(97),
  /** Most blocks of a multiprocessor. */
  BLOCKS_PER_MULTIPROCESSOR(106),
  /** Shared memory of a block that the driver takes. */
  RESERVED_SHARED_BYTES_PER_BLOCK(111),
  /** Whether memory can be allocated in stream order. */
  MEMORY_POOLS(115);

  private final int code;

  DeviceAttribute(int code) {
    this.code = code;
  }

  /** Its number in the driver's {@code CUdevice_attribute}. */
  public int code() {
    return code;
  }
}
