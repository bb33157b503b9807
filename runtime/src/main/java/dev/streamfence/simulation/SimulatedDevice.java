// Long because its options are documented here.
package dev.streamfence.simulation;

import dev.streamfence.RacyAccessException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.ptx.PtxInstance;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A device without a GPU, to be opened with {@code DeviceRuntime.simulated(device)}. It runs the
 * PTX that is loaded on it, byte for byte in its own memory, and is deterministic for one thread:
 * the same calls give the same order and the same addresses. Freed addresses are used again as
 * early as the driver's rules allow.
 *
 * <p>A kernel that touches memory outside every block ends the device as it would end a GPU's
 * context; the error then says which kernel, thread, line and address it was. So does an access
 * that races with another one, whatever order the two happened to run in: two operations conflict
 * if one of them writes, allocates or frees a byte that the other one uses, and are ordered by
 * their stream, by events that streams wait for, and by what the host waits for before it submits
 * the second. The error's cause is then a {@link RacyAccessException}. Atomic accesses count as
 * ordinary ones: the order of launches is declared for whole parameters.
 *
 * <p>Thread-safe. It holds one lock while a kernel runs, in whichever thread calls the driver when
 * the schedule has it: the one that launches, or one that waits. A kernel that never ends is ended
 * by {@link Builder#instructionsPerLaunch}, or by an interruption of the thread that runs it: once
 * the kernel has run for some millions of instructions it stops, the device is lost with {@code
 * CUDA_ERROR_LAUNCH_TIMEOUT} and a cause that says so, and the thread stays interrupted. Shorter
 * kernels run to their end in spite of an interruption.
 */
public final class SimulatedDevice {
  private final DeviceProperties properties;
  private final FaultPlan faults = new FaultPlan();
  private final Findings findings = new Findings();
  private final Builder settings;
  private @Nullable SimulatedDriver driver;
  private boolean open;

  private SimulatedDevice(Builder builder) {
    this.properties =
        new DeviceProperties(
            "simulated device",
            0,
            builder.computeMajor,
            builder.computeMinor,
            13_000,
            builder.memoryInBytes,
            builder.multiprocessors,
            1024,
            1024,
            1024,
            64,
            Integer.MAX_VALUE,
            65_535,
            65_535,
            48 << 10,
            227 << 10);
    this.settings = builder.copy();
  }

  /** Starts the description of a device. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens the device; the runtime does this.
   *
   * @throws IllegalStateException if it is open already
   */
  public synchronized CudaDriver open() {
    if (open) {
      throw new IllegalStateException(
          "the simulated device is open already; build one per runtime");
    }
    open = true;
    driver = new SimulatedDriver(properties, settings, faults, findings, this::closed);
    return driver;
  }

  /** How often one driver call was made since the device was built, failed ones included. */
  public long calls(DriverCall call) {
    return faults.calls(call);
  }

  /** How many driver calls were made since the device was built. */
  public long calls() {
    return faults.calls();
  }

  /**
   * Makes one driver call fail without any effect.
   *
   * @param call which one
   * @param nth counts from now: 1 is the next call of that kind
   * @param code the {@code CUresult} that it answers
   */
  public void failCall(DriverCall call, long nth, int code) {
    faults.fail(call, nth, code);
  }

  /**
   * Makes the n-th driver call from now fail without any effect, whichever it is.
   *
   * @param code the {@code CUresult} that it answers
   */
  public void failCall(long nth, int code) {
    faults.fail(nth, code);
  }

  /**
   * Streams, events, blocks, host allocations and modules that exist at this moment: 0 after an
   * orderly close.
   */
  public synchronized int liveObjects() {
    return driver == null ? 0 : driver.liveObjects();
  }

  @Override
  public String toString() {
    return properties.name() + ", " + settings.schedule + " schedule, seed " + settings.seed;
  }

  /**
   * From now on races and other wrong accesses are only collected, for {@link #findings}: they do
   * not end the device, and an access to freed memory ends its own kernel or copy alone.
   */
  public void collectFindings() {
    findings.collect();
  }

  /**
   * What was found since {@link #collectFindings}, in the order in which it was found. Carries out
   * everything that is queued, so that all of it is checked; that orders nothing.
   */
  public List<RacyAccessException.Finding> findings() {
    SimulatedDriver opened;
    synchronized (this) {
      opened = driver;
    }
    if (opened != null) {
      opened.carryOutEverything();
    }
    return findings.snapshot();
  }

  private synchronized void closed() {
    open = false;
  }

  /** Describes a simulated device. Confined to one thread at a time. */
  public static final class Builder {
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

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
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

    /**
     * Device memory; 2 GiB when not said. An array may take all of it. It is taken from the Java
     * heap when the allocation is submitted: one that the heap has no room for is refused like one
     * that the device has no room for, with {@code CUDA_ERROR_OUT_OF_MEMORY}.
     */
    public Builder memoryInBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException(bytes + " bytes of device memory; it has at least 1");
      }
      memoryInBytes = bytes;
      return this;
    }

    /** When queued work runs; {@link Schedule#EAGER} when not said. */
    public Builder schedule(Schedule schedule) {
      this.schedule = Objects.requireNonNull(schedule, "schedule");
      return this;
    }

    /** What {@link Schedule#RANDOM} draws from; 0 when not said. */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /** The compute capability that it claims; 9.0 when not said. */
    public Builder computeCapability(int major, int minor) {
      if (major < 1 || minor < 0) {
        throw new IllegalArgumentException(
            "compute capability " + major + "." + minor + "; it is 1.0 or later");
      }
      computeMajor = major;
      computeMinor = minor;
      return this;
    }

    /**
     * How many multiprocessors it claims, each of which holds the blocks of a cooperative launch
     * that one of compute capability 9.0 would; 1 when not said. All run on one thread of the host.
     */
    public Builder multiprocessors(int count) {
      if (count < 1) {
        throw new IllegalArgumentException(count + " multiprocessors; a device has at least 1");
      }
      multiprocessors = count;
      return this;
    }

    /**
     * How many instructions all threads of one launch run together before the device takes the
     * kernel for one that never ends: the launch then fails with {@code CUDA_ERROR_LAUNCH_TIMEOUT},
     * which ends the device. Some 17 billion when not said, which take a minute or two.
     */
    public Builder instructionsPerLaunch(long instructions) {
      if (instructions < 1) {
        throw new IllegalArgumentException(
            instructions + " instructions per launch; a launch runs at least 1");
      }
      instructionsPerLaunch = instructions;
      return this;
    }

    /**
     * Whether accesses are checked: races, uses of memory that is freed or not ready, and kernels
     * that do more than they declare. True when not said; kernels take up to twice as long.
     */
    public Builder checkRaces(boolean check) {
      checkRaces = check;
      return this;
    }

    /**
     * Whether a read of bytes that nobody has written since the allocation is an error as well, as
     * far as accesses are checked at all; false when not said.
     */
    public Builder checkUninitializedReads(boolean check) {
      checkUninitializedReads = check;
      return this;
    }

    /**
     * Whether each operation remembers where the host submitted it, for reports; a stack trace
     * each. False when not said.
     */
    public Builder traceSubmissions(boolean trace) {
      traceSubmissions = trace;
      return this;
    }

    /** For tests: so that small arrays have several segments, too. */
    Builder segmentShift(int shift) {
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

    /** The device, not open yet. */
    public SimulatedDevice build() {
      return new SimulatedDevice(this);
    }
  }
}
