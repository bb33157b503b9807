package dev.streamfence.internal.simulator;

import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Objects;

/** The settings of a simulated device. Confined to one thread at a time. */
public final class SimulationSettings implements SimulatedDevice.Builder {
  private long memoryInBytes = 2L << 30;
  private Schedule schedule = Schedule.EAGER;
  private long seed;
  private int computeMajor = 9;
  private int computeMinor;
  private int multiprocessors = 1;
  private long instructionsPerLaunch = PtxInstance.DEFAULT_INSTRUCTION_LIMIT;
  private int segmentShift = Backing.SEGMENT_SHIFT;
  private boolean checkRaces = true;
  private boolean checkUninitializedReads;
  private boolean traceSubmissions;

  /** Default settings. */
  public SimulationSettings() {}

  private SimulationSettings copy() {
    SimulationSettings copy = new SimulationSettings();
    copy.memoryInBytes = memoryInBytes;
    copy.schedule = schedule;
    copy.seed = seed;
    copy.computeMajor = computeMajor;
    copy.computeMinor = computeMinor;
    copy.multiprocessors = multiprocessors;
    copy.instructionsPerLaunch = instructionsPerLaunch;
    copy.segmentShift = segmentShift;
    copy.checkRaces = checkRaces;
    copy.checkUninitializedReads = checkUninitializedReads;
    copy.traceSubmissions = traceSubmissions;
    return copy;
  }

  @Override
  public SimulationSettings memoryInBytes(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(bytes + " bytes of device memory; it has at least 1");
    }
    memoryInBytes = bytes;
    return this;
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
  public SimulationSettings instructionsPerLaunch(long instructions) {
    if (instructions < 1) {
      throw new IllegalArgumentException(
          instructions + " instructions per launch; a launch runs at least 1");
    }
    instructionsPerLaunch = instructions;
    return this;
  }

  @Override
  public SimulationSettings checkRaces(boolean check) {
    checkRaces = check;
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

  boolean checksRaces() {
    return checkRaces;
  }

  boolean checksUninitializedReads() {
    return checkUninitializedReads;
  }

  boolean tracesSubmissions() {
    return traceSubmissions;
  }

  @Override
  public SimulatedHardware build() {
    return new SimulatedHardware(copy());
  }

  long memoryInBytes() {
    return memoryInBytes;
  }

  int computeMajor() {
    return computeMajor;
  }

  int computeMinor() {
    return computeMinor;
  }

  int multiprocessors() {
    return multiprocessors;
  }
}
