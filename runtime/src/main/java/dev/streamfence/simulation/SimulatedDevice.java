// Long because its options are documented here.
package dev.streamfence.simulation;

import dev.streamfence.RacyAccessException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCall;
import dev.streamfence.internal.ptx.PtxInstance;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A simulated device that needs no GPU; {@code DeviceRuntime.simulated(device)} opens it. It runs
 * the PTX that is loaded on it, byte for byte in its own memory, and is deterministic for one
 * thread: the same calls give the same order and the same addresses. It reuses freed addresses as
 * early as the driver's rules allow.
 *
 * <p>A kernel that touches memory outside every allocation ends the device as it would end a GPU's
 * context; the error gives the kernel, thread, line and address. An access that races with another
 * one also ends the device, regardless of the order in which the two ran; the error's cause is then
 * a {@link RacyAccessException}. Two operations conflict if one of them writes, allocates or frees
 * a byte that the other one uses. They are ordered by their stream, by events that streams wait
 * for, and by what the host waits for before it submits the second. Atomic accesses count as
 * ordinary ones: the order of launches is declared for whole parameters.
 *
 * <p>Thread-safe. A kernel runs in the thread that calls the driver when the schedule selects it:
 * the one that launches, or one that waits. The device holds one lock meanwhile. {@link
 * Builder#instructionsPerLaunch} stops a kernel that never ends, and so does interrupting the
 * thread that runs it: after some millions of instructions the kernel stops, the device is lost
 * with {@code CUDA_ERROR_LAUNCH_TIMEOUT} and a cause that says so, and the thread stays
 * interrupted. Shorter kernels run to their end despite an interruption.
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

  /** Creates a builder with default settings. */
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

  /** How often one driver call was made since the device was built, including failed calls. */
  public long calls(DriverCall call) {
    return faults.calls(call);
  }

  /** How many driver calls were made since the device was built, including failed calls. */
  public long calls() {
    return faults.calls();
  }

  /**
   * Makes one driver call fail without any effect.
   *
   * @param call the call
   * @param nth counts from now: 1 is the next call of that kind
   * @param code the {@code CUresult} that it answers
   */
  public void failCall(DriverCall call, long nth, int code) {
    faults.fail(call, nth, code);
  }

  /**
   * Makes the n-th driver call of any kind from now fail without any effect.
   *
   * @param code the {@code CUresult} that it answers
   */
  public void failCall(long nth, int code) {
    faults.fail(nth, code);
  }

  /**
   * The number of streams, events, device and host allocations and modules that exist at this
   * moment: 0 after an orderly close.
   */
  public synchronized int liveObjects() {
    return driver == null ? 0 : driver.liveObjects();
  }

  @Override
  public String toString() {
    return properties.name() + ", " + settings.schedule + " schedule, seed " + settings.seed;
  }

  /**
   * From now on only collects races and other wrong accesses, for {@link #findings}: they do not
   * end the device, and an access to freed memory ends only its own kernel or copy.
   */
  public void collectFindings() {
    findings.collect();
  }

  /**
   * The findings since {@link #collectFindings}, in the order in which they were found. Runs
   * everything queued first, so all of it is checked; that orders nothing.
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

  /** Builds a simulated device. Confined to one thread at a time. */
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
     * Device memory; 2 GiB by default. One array may take all of it. The Java heap provides the
     * memory when an allocation is submitted: an allocation too large for the heap fails like one
     * too large for the device, with {@code CUDA_ERROR_OUT_OF_MEMORY}.
     */
    public Builder memoryInBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException(bytes + " bytes of device memory; it has at least 1");
      }
      memoryInBytes = bytes;
      return this;
    }

    /** When queued work runs; {@link Schedule#EAGER} by default. */
    public Builder schedule(Schedule schedule) {
      this.schedule = Objects.requireNonNull(schedule, "schedule");
      return this;
    }

    /** The seed of {@link Schedule#RANDOM}; 0 by default. */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /** The compute capability that it reports; 9.0 by default. */
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
     * The number of multiprocessors that it reports; 1 by default. Each holds as many blocks of a
     * cooperative launch as one of compute capability 9.0. All run on one thread of the host.
     */
    public Builder multiprocessors(int count) {
      if (count < 1) {
        throw new IllegalArgumentException(count + " multiprocessors; a device has at least 1");
      }
      multiprocessors = count;
      return this;
    }

    /**
     * How many instructions all threads of one launch run together before the device regards the
     * kernel as endless: the launch then fails with {@code CUDA_ERROR_LAUNCH_TIMEOUT}, which ends
     * the device. About 17 billion by default, which take a minute or two.
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
     * Whether to check accesses: races, uses of memory that is freed or not ready, and kernels that
     * access more than they declare. True by default; kernels then take up to twice as long.
     */
    public Builder checkRaces(boolean check) {
      checkRaces = check;
      return this;
    }

    /**
     * Whether reading bytes not written since the allocation is also an error, if accesses are
     * checked at all; false by default.
     */
    public Builder checkUninitializedReads(boolean check) {
      checkUninitializedReads = check;
      return this;
    }

    /**
     * Whether each operation records where the host submitted it, for reports; each takes a stack
     * trace. False by default.
     */
    public Builder traceSubmissions(boolean trace) {
      traceSubmissions = trace;
      return this;
    }

    /** For tests: gives even small arrays several segments. */
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

    /** Builds the device, not yet open. */
    public SimulatedDevice build() {
      return new SimulatedDevice(this);
    }
  }
}
