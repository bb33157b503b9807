package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverSource;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link SimulatedDevice}: its settings, and the driver while it is open. */
public final class SimulatedHardware implements SimulatedDevice, DriverSource {
  private static final System.Logger LOGGER = System.getLogger(LogTopic.SIMULATION.loggerName());

  private final DeviceProperties properties;
  private final FaultPlan faults = new FaultPlan();
  private final SimulatedMachine machine;
  private final SimulationSettings settings;
  private @Nullable SimulatedDriver driver;
  private boolean open;

  SimulatedHardware(SimulatedMachine machine, int ordinal) {
    this.settings = machine.settings();
    this.properties = settings.properties(ordinal);
    this.machine = machine;
  }

  /** What a driver of the device is made of. Immutable. */
  public static final class Parts {
    private final DeviceProperties properties;
    private final SimulationSettings settings;
    private final FaultPlan plan;
    private final SimulatedMachine.Shared shared;
    private final Runnable onClose;

    private Parts(SimulatedHardware device, SimulatedMachine.Shared shared) {
      this.properties = device.properties;
      this.settings = device.settings;
      this.plan = device.faults;
      this.shared = shared;
      this.onClose = device::closed;
    }

    DeviceProperties properties() {
      return properties;
    }

    SimulationSettings settings() {
      return settings;
    }

    FaultPlan plan() {
      return plan;
    }

    SimulatedMachine.Shared shared() {
      return shared;
    }

    Runnable onClose() {
      return onClose;
    }
  }

  @Override
  public CudaDriver open() {
    return open(SimulatedDriver::new);
  }

  /** Opens it with a driver that may carry out some calls in another way. */
  public synchronized CudaDriver open(Function<Parts, SimulatedDriver> maker) {
    if (open) {
      throw new IllegalStateException(
          "the simulated device is open already; build one per runtime");
    }
    open = true;
    SimulatedDriver opened = maker.apply(new Parts(this, machine.open()));
    driver = opened;
    return opened;
  }

  @Override
  public long calls(DriverCall call) {
    Objects.requireNonNull(call, "call");
    return faults.calls(call);
  }

  @Override
  public long calls() {
    return faults.calls();
  }

  @Override
  public void failCall(DriverCall call, long nth, int code) {
    Objects.requireNonNull(call, "call");
    faults.fail(call, nth, code);
  }

  @Override
  public void failCall(long nth, int code) {
    faults.fail(nth, code);
  }

  @Override
  public List<String> pendingFailures() {
    return faults.pending();
  }

  @Override
  public ForeignLibrary library(String name) {
    return new ForeignLibrary(this, name);
  }

  /** The driver, while it is open. */
  synchronized SimulatedDriver driver() {
    SimulatedDriver opened = driver;
    if (opened == null || !open) {
      throw new IllegalStateException("the simulated device is not open");
    }
    return opened;
  }

  @Override
  public synchronized int liveObjects() {
    return driver == null ? 0 : driver.liveObjects();
  }

  @Override
  public String toString() {
    return properties.name() + ", " + settings.schedule() + " schedule, seed " + settings.seed();
  }

  @Override
  public void collectFindings() {
    machine.findings().collect();
  }

  @Override
  public List<RacyAccessException.Finding> findings() {
    SimulatedDriver opened;
    synchronized (this) {
      opened = driver;
    }
    if (opened != null) {
      opened.carryOutEverything();
    }
    return machine.findings().snapshot();
  }

  private void closed() {
    synchronized (this) {
      open = false;
    }
    machine.closed();
    List<String> pending = pendingFailures();
    if (!pending.isEmpty()) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0} is closed, and injected failures have not happened: {1}",
          this,
          String.join(", ", pending));
    }
  }
}
