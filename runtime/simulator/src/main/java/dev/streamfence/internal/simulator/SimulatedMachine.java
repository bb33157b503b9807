package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The simulated devices that were built together, which order and check work as one. Thread-safe.
 */
final class SimulatedMachine {
  private static final System.Logger LOGGER = System.getLogger(LogTopic.SIMULATION.loggerName());

  private final SimulationSettings settings;
  private final int devices;
  private final FindingLog findings = new FindingLog();
  private @Nullable Shared shared;
  private int open;

  /**
   * Creates a machine none of whose devices is open.
   *
   * @param devices how many it has
   */
  SimulatedMachine(SimulationSettings settings, int devices) {
    this.settings = settings;
    this.devices = devices;
  }

  SimulationSettings settings() {
    return settings;
  }

  FindingLog findings() {
    return findings;
  }

  /** What a device shares with those that are open. */
  synchronized Shared open() {
    open++;
    Shared existing = shared;
    if (existing == null) {
      existing = new Shared(settings, findings, devices > 1);
      shared = existing;
    }
    return existing;
  }

  /** A device was closed; the first one that is opened after the last one begins anew. */
  synchronized void closed() {
    if (--open == 0) {
      shared = null;
    }
  }

  /** What the open devices share. Confined to the driver's lock, but for what never changes. */
  static final class Shared {
    /** Addresses of one device differ from those of every other one in these bits. */
    private static final int DEVICE_SHIFT = 48;

    private final WaitingThreads waiting = new WaitingThreads();
    private final SubmissionOrder order = new SubmissionOrder();
    private final Scheduler scheduler;
    private final @Nullable RaceChecker checker;
    private final FindingLog findings;
    private final boolean isOfSeveral;
    private final List<DeviceState> devices = new ArrayList<>();

    /** What a warning was about. */
    private final Set<String> warned = new HashSet<>();

    private Shared(SimulationSettings settings, FindingLog findings, boolean isOfSeveral) {
      this.isOfSeveral = isOfSeveral;
      this.findings = findings;
      this.scheduler = new Scheduler(settings.schedule(), settings.seed());
      this.checker =
          settings.checksRaces()
              ? new RaceChecker(
                  settings.checksThreadRaces(), settings.checksUninitializedReads(), this::found)
              : null;
    }

    /** The device of an operation in reports. */
    String where(DeviceProperties device) {
      return isOfSeveral ? " of device " + device.ordinal() : "";
    }

    /** Whether an address belongs to another device than the one with a base. */
    boolean isOfAnother(long base, long address) {
      long device = address >>> DEVICE_SHIFT;
      return device != base >>> DEVICE_SHIFT && device < devices.size();
    }

    /** The threads that wait for the lock of all devices, which is this object. */
    WaitingThreads waiting() {
      return waiting;
    }

    SubmissionOrder order() {
      return order;
    }

    /** The scheduler of no device. */
    Scheduler scheduler() {
      return scheduler;
    }

    /** Watches the accesses of all devices; null if none are checked. */
    @Nullable RaceChecker checker() {
      return checker;
    }

    /** Adds a device, and returns what to add to each of its addresses. */
    long add(DeviceState device) {
      synchronized (waiting) {
        devices.add(device);
        return (devices.size() - 1L) << DEVICE_SHIFT;
      }
    }

    /** Ends all devices unless findings are only collected: the work of several may be involved. */
    private void found(Finding finding) {
      if (findings.take(finding)) {
        return;
      }
      if (finding.kind().isWarning()) {
        if (warned.add(finding.first().site() + finding.second().site())) {
          LOGGER.log(System.Logger.Level.WARNING, "{0}", finding);
        }
      } else {
        devices.forEach(device -> device.lose(finding));
      }
    }
  }
}
