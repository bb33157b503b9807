package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Operation;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.SubmissionOrder.SubmissionPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation as submitted, with everything that a report says about it. Immutable.
 *
 * @param what kernel and stream, or the driver's function
 * @param place its place in the order
 * @param ticket its ticket, or 0
 * @param uses the ranges that it names
 * @param declared whether {@code uses} is everything that it may touch
 * @param submittedAt where the host submitted it, if that is traced
 */
record Submitted(
    String what,
    SubmissionPoint place,
    long ticket,
    List<Use> uses,
    boolean declared,
    @Nullable Throwable submittedAt) {
  /** The site of a submission: never thrown, kept for its stack trace. */
  static final class Here extends Throwable {
    private static final long serialVersionUID = 1L;

    Here(String what) {
      super(what + " was submitted here by " + Thread.currentThread().getName());
    }
  }

  /** No two operations have the same place. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Submitted submitted && place.equals(submitted.place);
  }

  @Override
  public int hashCode() {
    return place.hashCode();
  }

  boolean before(Submitted other) {
    return place.before(other.place);
  }

  /** Describes it as the operation that touches an address in an allocation. */
  Operation at(long address, long base, long size) {
    String parameter = "";
    for (Use use : uses) {
      if (contains(use, address, base, size)) {
        parameter = use.parameter();
        break;
      }
    }
    return new Operation(what, parameter, place.stream(), place.position(), ticket, submittedAt);
  }

  /** Whether a named range contains the address, which is in an allocation. */
  static boolean contains(Use use, long address, long base, long size) {
    return use.bytes() == 0
        ? use.address() >= base && use.address() - base < size
        : address >= use.address() && address - use.address() < use.bytes();
  }
}
