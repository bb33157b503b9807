package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The history of the bytes at one address, across its lives (successive allocations there), as
 * intervals of bytes that share a state. Operations arrive in the order in which they ran, but
 * their places alone tell whether two are ordered. Unordered operations are reported whichever ran
 * first: a write that ran between two and hides the first is either unordered with one of them, or
 * orders them. Confined to the driver's lock.
 */
final class Shadow {
  private record Reported(Kind kind, Submitted other) {}

  private final long base;
  private final boolean checkUninitialized;
  private final Consumer<Finding> findings;
  private long size;
  private boolean live;
  private Submitted allocation;
  private @Nullable Submitted free;
  private final Deque<Submitted> nextLives = new ArrayDeque<>();
  private final Intervals states;

  /** Starts the first life. */
  Shadow(
      long base,
      long size,
      Submitted allocation,
      boolean checkUninitialized,
      Consumer<Finding> findings) {
    this.base = base;
    this.checkUninitialized = checkUninitialized;
    this.findings = findings;
    this.size = size;
    this.allocation = allocation;
    this.states = new Intervals(ByteState.allocatedBy(allocation));
    this.live = true;
  }

  long base() {
    return base;
  }

  long size() {
    return size;
  }

  boolean isLive() {
    return live;
  }

  Submitted allocation() {
    return allocation;
  }

  boolean contains(long address) {
    return address >= base && address - base < size;
  }

  /** Records that another life was submitted; it starts when its allocation runs. */
  void promise(Submitted nextAllocation) {
    nextLives.addLast(nextAllocation);
  }

  /** Starts the next life. The pool hands out an address only after its free. */
  void allocate(long newSize, Submitted newAllocation) {
    size = newSize;
    allocation = newAllocation;
    nextLives.remove(newAllocation);
    live = true;
    forget();
  }

  /** Ends a life; everything in it must come before the free. */
  void free(Submitted op) {
    if (!live || meansLaterLife(op, 0, size)) {
      return;
    }
    if (!allocation.before(op)) {
      report(Kind.USE_BEFORE_READY, allocation, op, 0, size);
    }
    Set<Submitted> reported = new HashSet<>();
    states.forEach(
        size,
        (start, end, state) -> {
          if (state.written() && !state.write().before(op) && reported.add(state.write())) {
            reportFree(state.write(), op, start, end);
          }
          for (Submitted read : state.reads()) {
            if (!read.before(op) && reported.add(read)) {
              reportFree(read, op, start, end);
            }
          }
        });
    live = false;
    free = op;
    forget();
  }

  /** Checks and records the accesses of an operation. */
  void use(Submitted op, Runs runs) {
    if (runs.count() == 0
        || meansLaterLife(op, runs.start(0), runs.end(0))
        || meansEarlierLife(op, runs.start(0), runs.end(0))) {
      return;
    }
    if (!allocation.before(op)) {
      report(Kind.USE_BEFORE_READY, allocation, op, runs.start(0), runs.end(0));
    }
    new Merge(op).apply(runs);
  }

  /** Whether an operation is meant for a later life of this address; reports it if so. */
  private boolean meansLaterLife(Submitted op, long from, long to) {
    Submitted meant = null;
    for (Submitted next : nextLives) {
      if (!next.place().submittedBefore(op.place())) {
        break;
      }
      meant = next;
    }
    if (meant == null) {
      return false;
    }
    report(Kind.USE_BEFORE_READY, meant, op, from, to);
    return true;
  }

  /** Whether an operation is meant for an earlier life of this address; reports it if so. */
  boolean meansEarlierLife(Submitted op, long from, long to) {
    if (live && allocation.place().submittedBefore(op.place())) {
      return false;
    }
    Submitted end = free;
    if (end == null) {
      report(Kind.USE_BEFORE_READY, allocation, op, from, to);
    } else {
      reportFree(op, end, from, to);
    }
    return true;
  }

  private void reportFree(Submitted use, Submitted end, long from, long to) {
    boolean inTime = use.place().submittedBefore(end.place());
    report(inTime ? Kind.FREE_WHILE_IN_USE : Kind.USE_AFTER_FREE, use, end, from, to);
  }

  void report(Kind kind, Submitted one, Submitted other, long from, long to) {
    report(kind, one, other, from, to, "");
  }

  void report(Kind kind, Submitted one, Submitted other, long from, long to, String detail) {
    boolean inOrder = one.place().submittedBefore(other.place());
    Submitted first = inOrder ? one : other;
    Submitted second = inOrder ? other : one;
    findings.accept(
        new Finding(
            kind,
            first.at(base + from, base, size, site(kind, first, true)),
            second.at(base + from, base, size, site(kind, second, false)),
            base + from,
            to - from,
            detail));
  }

  private String site(Kind kind, Submitted op, boolean first) {
    LaunchSites sites = op.sites();
    return sites == null ? "" : sites.of(kind, first, base);
  }

  private void forget() {
    states.reset(ByteState.allocatedBy(allocation));
  }

  /** Merges the runs of one operation into the intervals. */
  private final class Merge {
    private final Submitted op;
    private final ByteState written;
    private final Map<ByteState, ByteState> afterRead = new HashMap<>();
    private final Set<ByteState> checkedForWrite = new HashSet<>();
    private final Set<Reported> reported = new HashSet<>();
    private int run;

    Merge(Submitted op) {
      this.op = op;
      this.written = ByteState.writtenBy(op);
    }

    void apply(Runs runs) {
      Intervals.Part merged = states.part(runs.start(0), runs.end(runs.count() - 1));
      merged.forEach(size, (start, end, state) -> merge(runs, merged, start, end, state));
      merged.replace();
    }

    private void merge(Runs runs, Intervals.Part merged, long start, long end, ByteState state) {
      long at = start;
      while (at < end) {
        while (run < runs.count() && runs.end(run) <= at) {
          run++;
        }
        long until = end;
        if (run < runs.count() && runs.start(run) <= at) {
          until = Math.min(end, runs.end(run));
          merged.append(at, next(state, runs.access(run), at, until));
        } else {
          until = run < runs.count() ? Math.min(end, runs.start(run)) : end;
          merged.append(at, state);
        }
        at = until;
      }
    }

    private ByteState next(ByteState state, int access, long from, long to) {
      boolean writes = (access & Runs.WRITES) != 0;
      ByteState read = state;
      if ((access & Runs.READS) != 0) {
        ByteState known = afterRead.get(state);
        if (known == null) {
          checkRead(state, writes, from, to);
          known = state.readBy(op);
          afterRead.put(state, known);
        }
        read = known;
      }
      if (!writes) {
        return read;
      }
      if (checkedForWrite.add(state)) {
        checkWrite(state, from, to);
      }
      return written;
    }

    private void checkRead(ByteState state, boolean writesToo, long from, long to) {
      if (state.written()) {
        // An operation that reads and writes conflicts once, through its write.
        if (!writesToo && !state.write().before(op)) {
          boolean readFirst = op.place().submittedBefore(state.write().place());
          once(readFirst ? Kind.READ_WRITE : Kind.WRITE_READ, state.write(), from, to);
        }
      } else if (checkUninitialized && !op.place().isOnHost()) {
        // The host is handed all bytes, and need not read those that it has not written.
        once(Kind.UNINITIALIZED_READ, allocation, from, to);
      }
    }

    private void checkWrite(ByteState state, long from, long to) {
      if (state.written() && !state.write().before(op)) {
        once(Kind.WRITE_WRITE, state.write(), from, to);
      }
      for (Submitted read : state.reads()) {
        if (!read.before(op)) {
          boolean writeFirst = op.place().submittedBefore(read.place());
          once(writeFirst ? Kind.WRITE_READ : Kind.READ_WRITE, read, from, to);
        }
      }
    }

    private void once(Kind kind, Submitted other, long from, long to) {
      if (reported.add(new Reported(kind, other))) {
        report(kind, other, op, from, to);
      }
    }
  }
}
