package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RacyAccessException.Operation;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds writes of host memory that nothing orders: compares the bytes before each use with those
 * that the last ordered write left. It cannot see reads, writes of the value that was there, and
 * writes while the host has a buffer for writing. Confined to the driver's lock.
 */
final class HostWatch {
  /** Host memory whose accesses have a known end. */
  private static final class WatchedBytes {
    private final SimulatedHostMemory memory;
    private final String owner;
    private final byte[] ordered;

    /** The operation that wrote last, or else the first access. */
    private Submitted last;

    private boolean isBeingWritten;

    private WatchedBytes(SimulatedHostMemory memory, String owner, Submitted first) {
      this.memory = memory;
      this.owner = owner;
      this.ordered = memory.bytes().array().clone();
      this.last = first;
    }

    private byte[] bytes() {
      return memory.bytes().array();
    }
  }

  private final Consumer<Finding> findings;
  private final TreeMap<Long, WatchedBytes> watched = new TreeMap<>();

  HostWatch(Consumer<Finding> findings) {
    this.findings = findings;
  }

  /** Notes the begin of an access by the host. */
  void begun(Submitted op, SimulatedHostMemory memory, boolean writes) {
    WatchedBytes known = watched.get(memory.address());
    if (known != null) {
      compare(known, 0, known.ordered.length, op);
      known.isBeingWritten |= writes;
    }
  }

  /** Notes the end of an access by the host; watches the memory from the first one on. */
  void ended(Submitted op, SimulatedHostMemory memory, String owner) {
    WatchedBytes known = watched.get(memory.address());
    if (known == null) {
      watched.put(memory.address(), new WatchedBytes(memory, owner, op));
    } else if (known.isBeingWritten) {
      known.isBeingWritten = false;
      keep(known, 0, known.ordered.length, op);
    }
  }

  /** Compares what an operation is about to use. */
  void before(Submitted op) {
    for (Use use : op.uses()) {
      WatchedBytes known = find(use);
      if (known != null) {
        compare(known, from(known, use), to(known, use), op);
      }
    }
  }

  /** Keeps what an operation has written. */
  void after(Submitted op) {
    for (Use use : op.uses()) {
      WatchedBytes known = use.writes() ? find(use) : null;
      if (known != null) {
        keep(known, from(known, use), to(known, use), op);
      }
    }
  }

  void forget(long address) {
    watched.remove(address);
  }

  private void compare(WatchedBytes known, int from, int to, Submitted op) {
    if (known.isBeingWritten) {
      return;
    }
    byte[] now = known.bytes();
    int first = Arrays.mismatch(now, from, to, known.ordered, from, to);
    if (first < 0) {
      return;
    }
    int begin = from + first;
    int end = to;
    while (now[end - 1] == known.ordered[end - 1]) {
      end--;
    }
    long base = known.memory.address();
    Operation last = known.last.at(base + begin, base, now.length, "");
    findings.accept(
        new Finding(
            Kind.UNORDERED_HOST_WRITE,
            new Operation(
                last.what(),
                last.parameter(),
                "bytes " + begin + " to " + (end - 1) + " of " + known.owner,
                null,
                "",
                last.stream(),
                last.position(),
                last.ticket(),
                last.submittedAt()),
            op.at(base + begin, base, now.length, ""),
            base + begin,
            end - begin));
    System.arraycopy(now, begin, known.ordered, begin, end - begin);
  }

  private static void keep(WatchedBytes known, int from, int to, Submitted op) {
    System.arraycopy(known.bytes(), from, known.ordered, from, to - from);
    known.last = op;
  }

  private @Nullable WatchedBytes find(Use use) {
    Map.Entry<Long, WatchedBytes> floor = watched.floorEntry(use.address());
    return floor != null && use.address() - floor.getKey() < floor.getValue().ordered.length
        ? floor.getValue()
        : null;
  }

  private static int from(WatchedBytes known, Use use) {
    return use.bytes() == 0 ? 0 : (int) (use.address() - known.memory.address());
  }

  private static int to(WatchedBytes known, Use use) {
    int size = known.ordered.length;
    return use.bytes() == 0 ? size : (int) Math.min(size, from(known, use) + use.bytes());
  }
}
