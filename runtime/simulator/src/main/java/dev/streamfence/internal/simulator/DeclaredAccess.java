package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Compares a launch's accesses to one allocation with its declaration. Confined to one thread. */
final class DeclaredAccess {
  private final Submitted op;
  private final Shadow shadow;
  private final Set<Kind> reported = EnumSet.noneOf(Kind.class);
  private boolean given;
  private boolean reads;
  private boolean writes;

  DeclaredAccess(Submitted op, Shadow shadow) {
    this.op = op;
    this.shadow = shadow;
  }

  /** Reports undeclared accesses, each kind once. */
  void check(Runs runs) {
    for (int i = 0; i < runs.count(); i++) {
      long at = runs.start(i);
      while (at < runs.end(i)) {
        long until = lookUp(at, runs.end(i));
        if (!given) {
          report(Kind.UNDECLARED_ALLOCATION, at, until);
        } else {
          if ((runs.access(i) & Runs.READS) != 0 && !reads) {
            report(Kind.UNDECLARED_READ, at, until);
          }
          if ((runs.access(i) & Runs.WRITES) != 0 && !writes) {
            report(Kind.UNDECLARED_WRITE, at, until);
          }
        }
        at = until;
      }
    }
  }

  /** Looks up the declaration for a byte; returns the end of the range that it holds for. */
  private long lookUp(long at, long end) {
    List<Use> uses = op.uses();
    long address = shadow.base() + at;
    long until = shadow.base() + end;
    given = false;
    reads = false;
    writes = false;
    for (Use use : uses) {
      if (Submitted.contains(use, address, shadow.base(), shadow.size())) {
        given = true;
        reads |= use.reads();
        writes |= use.writes();
        if (use.bytes() != 0) {
          until = Math.min(until, use.address() + use.bytes());
        }
      } else if (use.bytes() != 0 && use.address() > address) {
        until = Math.min(until, use.address());
      }
    }
    return until - shadow.base();
  }

  private void report(Kind kind, long from, long to) {
    if (reported.add(kind)) {
      shadow.report(kind, shadow.allocation(), op, from, to);
    }
  }
}
