package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.DeviceAttribute;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.simulator.bytes.Backing;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The settings of a simulated device. Confined to one thread at a time. */
public final class SimulationSettings implements SimulatedDevice.Builder, Cloneable {
  private static final System.Logger LOGGER = System.getLogger(LogTopic.SIMULATION.loggerName());

  private static final String NAME = "simulated device";
  private static final int WARP_SIZE = 32;
  private static final int THREADS_PER_BLOCK = 1024;
  private static final int SHARED_BYTES_PER_BLOCK = 48 << 10;
  private static final int RESERVED_SHARED_BYTES = 1 << 10;

  private long memoryInBytes = 2L << 30;

  /** The devices of a machine whose memory has another size. Never changed. */
  private Map<Integer, Long> memoryOfDevices = Map.of();

  private Schedule schedule = Schedule.EAGER;
  private long seed;
  private int computeMajor = 9;
  private int computeMinor;
  private int multiprocessors = 1;
  private int threadsPerMultiprocessor = 2048;
  private int blocksPerMultiprocessor = 32;
  private int sharedBytesPerMultiprocessor = 228 << 10;
  private long instructionsPerLaunch = PtxInstance.DEFAULT_INSTRUCTION_LIMIT;
  private int segmentShift = Backing.SEGMENT_SHIFT;
  private Consumer<String> kernelOutput = SimulationSettings::log;
  private boolean checkRaces = true;
  private boolean checkThreadRaces = true;
  private boolean checkUninitializedReads;
  private boolean traceSubmissions;

  /** Default settings. */
  public SimulationSettings() {}

  private SimulationSettings copy() {
    try {
      return (SimulationSettings) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public SimulationSettings memoryInBytes(long bytes) {
    memoryInBytes = requireMemory(bytes);
    return this;
  }

  @Override
  public SimulationSettings memoryInBytes(int device, long bytes) {
    if (device < 0) {
      throw new IllegalArgumentException("device " + device + "; they are numbered from 0");
    }
    Map<Integer, Long> more = new TreeMap<>(memoryOfDevices);
    more.put(device, requireMemory(bytes));
    memoryOfDevices = more;
    return this;
  }

  private static long requireMemory(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(bytes + " bytes of device memory; it has at least 1");
    }
    return bytes;
  }

  @Override
  public SimulationSettings schedule(Schedule schedule) {
    this.schedule = Objects.requireNonNull(schedule, "schedule");
    return this;
  }

  @Override
  public SimulationSettings seed(long seed) {
    this.seed = seed;
    return this;
  }

  @Override
  public SimulationSettings computeCapability(int major, int minor) {
    if (major < 1 || minor < 0) {
      throw new IllegalArgumentException(
          "compute capability " + major + "." + minor + "; it is 1.0 or later");
    }
    computeMajor = major;
    computeMinor = minor;
    return this;
  }

  @Override
  public SimulationSettings multiprocessors(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(count + " multiprocessors; a device has at least 1");
    }
    multiprocessors = count;
    return this;
  }

  @Override
  public SimulationSettings threadsPerMultiprocessor(int threads) {
    if (threads < THREADS_PER_BLOCK || threads % WARP_SIZE != 0) {
      throw new IllegalArgumentException(
          threads
              + " threads per multiprocessor; it holds a block of "
              + THREADS_PER_BLOCK
              + " and whole warps of "
              + WARP_SIZE);
    }
    threadsPerMultiprocessor = threads;
    return this;
  }

  @Override
  public SimulationSettings blocksPerMultiprocessor(int blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException(
          blocks + " blocks per multiprocessor; it holds at least 1");
    }
    blocksPerMultiprocessor = blocks;
    return this;
  }

  @Override
  public SimulationSettings sharedBytesPerMultiprocessor(int bytes) {
    if (bytes < SHARED_BYTES_PER_BLOCK + RESERVED_SHARED_BYTES) {
      throw new IllegalArgumentException(
          bytes
              + " bytes of shared memory per multiprocessor; it holds a block of "
              + SHARED_BYTES_PER_BLOCK
              + " and the "
              + RESERVED_SHARED_BYTES
              + " that the driver takes");
    }
    sharedBytesPerMultiprocessor = bytes;
    return this;
  }

  @Override
  public SimulationSettings instructionsPerLaunch(long instructions) {
    if (instructions < 1) {
      throw new IllegalArgumentException(
          instructions + " instructions per launch; a launch runs at least 1");
    }
    instructionsPerLaunch = instructions;
    return this;
  }

  @Override
  public SimulationSettings kernelOutput(Consumer<String> receiver) {
    kernelOutput = Objects.requireNonNull(receiver, "receiver");
    return this;
  }

  private static void log(String text) {
    String line = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    LOGGER.log(System.Logger.Level.INFO, "{0}", line);
  }

  @Override
  public SimulationSettings checkRaces(boolean check) {
    checkRaces = check;
    return this;
  }

  @Override
  public SimulationSettings checkThreadRaces(boolean check) {
    checkThreadRaces = check;
    return this;
  }

  @Override
  public SimulationSettings checkUninitializedReads(boolean check) {
    checkUninitializedReads = check;
    return this;
  }

  @Override
  public SimulationSettings traceSubmissions(boolean trace) {
    traceSubmissions = trace;
    return this;
  }

  /** For tests: gives even small arrays several segments. */
  SimulationSettings segmentShift(int shift) {
    segmentShift = shift;
    return this;
  }

  int segmentShift() {
    return segmentShift;
  }

  Schedule schedule() {
    return schedule;
  }

  long seed() {
    return seed;
  }

  long instructionsPerLaunch() {
    return instructionsPerLaunch;
  }

  Consumer<String> kernelOutput() {
    return kernelOutput;
  }

  boolean checksRaces() {
    return checkRaces;
  }

  boolean checksThreadRaces() {
    return checkThreadRaces;
  }

  boolean checksUninitializedReads() {
    return checkUninitializedReads;
  }

  boolean tracesSubmissions() {
    return traceSubmissions;
  }

  @Override
  public SimulatedHardware build() {
    return (SimulatedHardware) build(1).get(0);
  }

  @Override
  public List<SimulatedDevice> build(int devices) {
    if (devices < 1) {
      throw new IllegalArgumentException(devices + " devices; a machine has at least 1");
    }
    for (int device : memoryOfDevices.keySet()) {
      if (device >= devices) {
        throw new IllegalArgumentException(
            "memory of device " + device + "; the machine has " + devices + " devices, from 0 on");
      }
    }
    SimulatedMachine machine = new SimulatedMachine(copy(), devices);
    return IntStream.range(0, devices)
        .<SimulatedDevice>mapToObj(ordinal -> new SimulatedHardware(machine, ordinal))
        .toList();
  }

  /**
   * A device that the settings describe. What they leave open is as on compute capability 9.0; a
   * clock, a cache and a bus are not simulated.
   */
  DeviceProperties properties(int ordinal) {
    Map<DeviceAttribute, Integer> attributes = new EnumMap<>(DeviceAttribute.class);
    attributes.put(DeviceAttribute.COMPUTE_MAJOR, computeMajor);
    attributes.put(DeviceAttribute.COMPUTE_MINOR, computeMinor);
    attributes.put(DeviceAttribute.MULTIPROCESSORS, multiprocessors);
    attributes.put(DeviceAttribute.WARP_SIZE, WARP_SIZE);
    attributes.put(DeviceAttribute.MAX_THREADS_PER_BLOCK, THREADS_PER_BLOCK);
    attributes.put(DeviceAttribute.MAX_BLOCK_X, THREADS_PER_BLOCK);
    attributes.put(DeviceAttribute.MAX_BLOCK_Y, THREADS_PER_BLOCK);
    attributes.put(DeviceAttribute.MAX_BLOCK_Z, 64);
    attributes.put(DeviceAttribute.MAX_GRID_X, Integer.MAX_VALUE);
    attributes.put(DeviceAttribute.MAX_GRID_Y, 65_535);
    attributes.put(DeviceAttribute.MAX_GRID_Z, 65_535);
    attributes.put(DeviceAttribute.THREADS_PER_MULTIPROCESSOR, threadsPerMultiprocessor);
    attributes.put(DeviceAttribute.BLOCKS_PER_MULTIPROCESSOR, blocksPerMultiprocessor);
    attributes.put(DeviceAttribute.SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK);
    attributes.put(
        DeviceAttribute.SHARED_BYTES_PER_BLOCK_OPT_IN,
        sharedBytesPerMultiprocessor - RESERVED_SHARED_BYTES);
    attributes.put(DeviceAttribute.RESERVED_SHARED_BYTES_PER_BLOCK, RESERVED_SHARED_BYTES);
    attributes.put(DeviceAttribute.SHARED_BYTES_PER_MULTIPROCESSOR, sharedBytesPerMultiprocessor);
    attributes.put(DeviceAttribute.REGISTERS_PER_BLOCK, 64 << 10);
    attributes.put(DeviceAttribute.REGISTERS_PER_MULTIPROCESSOR, 64 << 10);
    attributes.put(DeviceAttribute.CONSTANT_BYTES, 64 << 10);
    attributes.put(DeviceAttribute.MEMORY_POOLS, 1);
    attributes.put(DeviceAttribute.COOPERATIVE_LAUNCH, 1);
    return DeviceProperties.of(
        new DeviceProperties.Identity(NAME, ordinal, uuid(ordinal), ""),
        13_000,
        memoryOfDevices.getOrDefault(ordinal, memoryInBytes),
        attributes);
  }

  private static UUID uuid(int ordinal) {
    String name = ordinal == 0 ? NAME : NAME + " " + ordinal;
    return UUID.nameUUIDFromBytes(name.getBytes(UTF_8));
  }
}
