package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.KernelThread;
import dev.streamfence.RacyAccessException.Operation;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder.SubmissionPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation as submitted, with everything that a report says about it. Immutable.
 *
 * @param what kernel and stream, the driver's function and stream, or the host
 * @param stream the number of its stream; {@link #HOST} for the host
 * @param place its place in the order
 * @param ticket its ticket, or 0
 * @param uses the ranges that it names
 * @param declared whether {@code uses} is everything that it may touch
 * @param submittedAt where the host submitted it, if that is traced
 * @param sites where its code accesses memory; null unless it is a launch
 */
record Submitted(
    String what,
    int stream,
    SubmissionPoint place,
    long ticket,
    List<Use> uses,
    boolean declared,
    @Nullable Throwable submittedAt,
    @Nullable LaunchSites sites) {
  /** Stands for the number of a stream where the host itself acts. */
  static final int HOST = -1;

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

  /**
   * Describes it as the operation that touches an address in an allocation.
   *
   * @param site the instruction that does, or empty
   */
  Operation at(long address, long base, long size, String site) {
    return at(address, base, size, null, site);
  }

  /**
   * Describes it as the operation of which one thread touches an address in an allocation.
   *
   * @param site the thread's instruction
   */
  Operation at(long address, long base, long size, @Nullable KernelThread thread, String site) {
    String parameter = "";
    String argument = "";
    for (Use use : uses) {
      if (contains(use, address, base, size)) {
        parameter = use.parameter();
        argument = use.argument();
        break;
      }
    }
    return operation(parameter, argument, thread, site);
  }

  /** Describes it as the operation of which one thread touches a variable in shared memory. */
  Operation inShared(String variable, KernelThread thread, String site) {
    return operation("", variable, thread, site);
  }

  private Operation operation(
      String parameter, String argument, @Nullable KernelThread thread, String site) {
    return new Operation(
        what, parameter, argument, thread, site, stream, place.position(), ticket, submittedAt);
  }

  /**
   * How far an address is from a named range, as an unsigned number; 0 inside of it. Addresses wrap
   * around: a negative index leads below the range.
   */
  static long distance(Use use, long address) {
    long past = address - use.address();
    if (Long.compareUnsigned(past, use.bytes()) < 0) {
      return 0;
    }
    long behind = past - use.bytes();
    return Long.compareUnsigned(behind, -past) < 0 ? behind : -past;
  }

  /** Whether a range is nearer to an address than another one. */
  static boolean isNearer(Use use, Use other, long address) {
    return Long.compareUnsigned(distance(use, address), distance(other, address)) < 0;
  }

  /** Whether a named range contains the address, which is in an allocation. */
  static boolean contains(Use use, long address, long base, long size) {
    return use.bytes() == 0
        ? use.address() >= base && use.address() - base < size
        : address >= use.address() && address - use.address() < use.bytes();
  }
}
