package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the memory accesses of operations as they run, and reports those that nothing orders.
 * Derives the order from driver calls alone, not from their callers.
 *
 * <p>Also watches page-locked host memory: what the device does with it, calls for its buffer, and
 * changes that neither explains. Watches a variable of a module once the host has asked for its
 * address: before, no launch can declare it, and no copy reach it. Confined to the driver's lock.
 */
final class RaceChecker {
  private static final System.Logger LOGGER = System.getLogger(LogTopic.SIMULATION.loggerName());

  private final boolean checkThreads;
  private final boolean checkUninitialized;
  private final Consumer<Finding> findings;
  private final TreeMap<Long, Shadow> shadows = new TreeMap<>();

  /** Allocations submitted and yet to run: by address, in the order of submission. */
  private final TreeMap<Long, Deque<Shadow>> promised = new TreeMap<>();

  /** The addresses of memory that other code allocated: its kernels need not declare that. */
  private final Set<Long> foreign = new HashSet<>();

  private final HostWatch host;
  private final TouchedBytes.Pages pages = new TouchedBytes.Pages();

  /** The instructions and parameters that a warning was about. */
  private final Set<String> warned = new HashSet<>();

  /**
   * Creates a checker that knows no memory.
   *
   * @param checkThreads whether to check the threads of a launch against each other as well
   * @param checkUninitialized whether to report reads of bytes that nothing has written
   * @param findings receives what is found
   */
  RaceChecker(boolean checkThreads, boolean checkUninitialized, Consumer<Finding> findings) {
    this.checkThreads = checkThreads;
    this.checkUninitialized = checkUninitialized;
    this.findings = findings;
    this.host = new HostWatch(findings);
  }

  /** Watches host memory for changes that no access explains. */
  HostWatch host() {
    return host;
  }

  /** Records that an address was handed out; its allocation is yet to run. */
  void promised(Submitted op, long address, long size) {
    promised
        .computeIfAbsent(address, a -> new ArrayDeque<>())
        .addLast(new Shadow(address, size, op, checkUninitialized, findings));
    Shadow known = shadows.get(address);
    if (known != null) {
      known.promise(op);
    }
  }

  /** Records memory that other code allocated for itself. */
  void allocatedByOthers(Submitted op, long address, long size) {
    allocated(op, address, size);
    foreign.add(address);
  }

  void allocated(Submitted op, long address, long size) {
    foreign.remove(address);
    Deque<Shadow> others = keep(op, address);
    Shadow known = shadows.get(address);
    if (known == null) {
      Shadow fresh = new Shadow(address, size, op, checkUninitialized, findings);
      shadows.put(address, fresh);
      others.forEach(next -> fresh.promise(next.allocation()));
    } else {
      known.allocate(size, op);
    }
  }

  /** Removes a promise, usually the first, and returns the others at its address. */
  private Deque<Shadow> keep(Submitted op, long address) {
    Deque<Shadow> there = promised.getOrDefault(address, new ArrayDeque<>());
    for (Iterator<Shadow> i = there.iterator(); i.hasNext(); ) {
      if (i.next().allocation().equals(op)) {
        i.remove();
        break;
      }
    }
    if (there.isEmpty()) {
      promised.remove(address);
    }
    return there;
  }

  /** Records host memory. */
  void allocatedHost(Submitted op, long address, long size) {
    shadows.put(address, new Shadow(address, size, op, checkUninitialized, findings));
  }

  /**
   * Records a variable of a module, unless it is known.
   *
   * @param op the load that initialized it
   */
  void watch(Submitted op, long address, long size) {
    shadows.computeIfAbsent(address, a -> new Shadow(a, size, op, false, findings));
  }

  void freed(Submitted op, long address) {
    Shadow known = shadows.get(address);
    if (known != null) {
      known.free(op);
    }
  }

  /** Forgets the memory at an address, which no longer exists or belongs to a module. */
  void forget(long address) {
    shadows.remove(address);
  }

  /** Records a copy or a fill, which accesses exactly the ranges that it names. */
  void transferred(Submitted op) {
    for (Use use : op.uses()) {
      int access = (use.reads() ? Runs.READS : 0) | (use.writes() ? Runs.WRITES : 0);
      Shadow shadow = find(use.address());
      if (shadow != null) {
        shadow.use(op, Runs.of(use.address() - shadow.base(), use.bytes(), access));
      }
    }
  }

  /** Records a fill, which may leave gaps between its values. */
  void filled(Submitted op, long address, long pitch, int width, long count) {
    Shadow shadow = find(address);
    if (shadow != null) {
      long first = address - shadow.base();
      Runs runs = new Runs();
      if (pitch == width) {
        runs.add(first, first + count * width, Runs.WRITES);
      } else {
        for (long i = 0; i < count; i++) {
          long start = first + i * pitch;
          runs.add(start, start + width, Runs.WRITES);
        }
      }
      shadow.use(op, runs);
    }
  }

  /** The device memory that a launch runs in. */
  LaunchAccesses begin(MappedMemory memory, Submitted op) {
    return new LaunchAccesses(
        memory, pages, op, checkThreads ? new LaunchOrder() : null, checkUninitialized);
  }

  /** Records the accesses of a launch that has ended, normally or not. */
  void launched(Submitted op, LaunchAccesses accesses) {
    LaunchSites sites = op.sites();
    for (TouchedBytes touched : accesses.end()) {
      if (sites != null) {
        sites.accessed(touched.allocation().address(), touched.firstLoad(), touched.firstStore());
        warn(op, sites, touched.watch());
      }
      Runs runs = touched.drain();
      Shadow shadow = shadows.get(touched.allocation().address());
      if (shadow != null) {
        if (op.declared() && (sites != null || !foreign.contains(shadow.base()))) {
          new DeclaredAccess(op, shadow).check(runs);
        }
        DeclaredNumbers.check(op, shadow, touched.allocation(), runs);
        shadow.use(op, runs);
      }
    }
  }

  /** Reports what the threads of a launch that has ended did wrong among themselves. */
  void ran(Submitted op, LaunchAccesses accesses, LaunchThreads threads) {
    accesses.unwritten().forEach(load -> findings.accept(threads.describe(load)));
    LaunchOrder order = accesses.order();
    if (order != null) {
      order.conflicts().forEach(conflict -> findings.accept(threads.describe(conflict)));
      if (!order.isComplete() && warned.add(threads.kernel())) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "{0} touches too much memory for the Java heap: not all accesses of its threads were"
                + " checked for races",
            op.what());
      }
    }
  }

  /** Logs, once, that a parameter is probably passed an array of the wrong type. */
  private void warn(Submitted op, LaunchSites sites, @Nullable WordWatch watch) {
    String place = watch == null ? "" : sites.place(watch.site());
    if (watch != null && !place.isEmpty() && warned.add(place + " " + watch.parameter())) {
      LOGGER.log(System.Logger.Level.WARNING, "{0}: {1} ({2})", op.what(), watch, place);
    }
  }

  /**
   * Whether memory refused an operation because it ran before an allocation or after a free;
   * reports it if so.
   */
  boolean explains(Submitted op, long address) {
    Shadow meant = null;
    Map.Entry<Long, Deque<Shadow>> floor = promised.floorEntry(address);
    for (Shadow next : floor == null ? List.<Shadow>of() : floor.getValue()) {
      if (next.contains(address) && next.allocation().place().submittedBefore(op.place())) {
        meant = next;
      }
    }
    if (meant != null) {
      long offset = address - meant.base();
      meant.report(Kind.USE_BEFORE_READY, meant.allocation(), op, offset, offset + 1);
      return true;
    }
    Shadow shadow = find(address);
    if (shadow == null || shadow.isLive()) {
      return false;
    }
    long offset = address - shadow.base();
    return shadow.meansEarlierLife(op, offset, offset + 1);
  }

  private @Nullable Shadow find(long address) {
    Map.Entry<Long, Shadow> floor = shadows.floorEntry(address);
    return floor != null && floor.getValue().contains(address) ? floor.getValue() : null;
  }
}
